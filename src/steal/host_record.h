// SPDX-License-Identifier: Apache-2.0
// A recording: all that the machines of one place were told and did, as text. docs/policies.md,
// "Recordings", has the format; sim/replay.h reads it.
#ifndef TWI_HOST_RECORD_H
#define TWI_HOST_RECORD_H

#include "steal/host.h"

#define TWI_RECORDING_FIRST "twill recording 1"

enum { TWI_RECORD_LINE_MOST = 256 };

// Of events and actions a line each, with its end. Returns its length.
size_t twi_record_event(char text[TWI_RECORD_LINE_MOST], int is_policy,
                        const struct twi_event *event);
size_t twi_record_action(char text[TWI_RECORD_LINE_MOST], const struct twi_action *action);
// The last line; `sum` is of all before.
size_t twi_record_end(char text[TWI_RECORD_LINE_MOST], uint64_t events, uint64_t sum);

// The sum of bytes; begins with TWI_RECORD_SUM.
#define TWI_RECORD_SUM UINT64_C(0xcbf29ce484222325)
uint64_t twi_record_sum(uint64_t sum, const char *bytes, size_t count);

struct twi_recording;

// Of a host with these parts. NULL: the file cannot be created, or memory is out.
struct twi_recording *twi_recording_create(const char *path, const struct twi_host_parts *parts);
void twi_recording_step(struct twi_recording *recording, const struct twi_machine *machine,
                        const struct twi_event *event, const struct twi_actions *actions);
// 0, or -1: it could not be written in full. NULL is allowed.
int twi_recording_close(struct twi_recording *recording);

#endif

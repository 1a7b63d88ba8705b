// SPDX-License-Identifier: Apache-2.0
// What a place remembers of its last run, for tw_places_stats. The communication worker writes it.
#ifndef TWI_REPORT_H
#define TWI_REPORT_H

#include <twill/report.h>

#include "steal/host.h"

struct twi_place;
struct tw_stats;

struct twi_report {
    struct tw_place_stats stats;
    uint64_t *stolen;                // tasks, by the place they were stolen from
    struct twi_recording *recording; // NULL: none is wanted
};

// Before a run of a host with these parts: forgets the last. `record` is the setting of that name.
// 0, TW_ENOMEM, or TW_EIO: the recording cannot be created.
int twi_report_begin(struct twi_place *place, const struct twi_host_parts *parts,
                     const char *record);
// What a machine of the host was told and did; the recorder is the place.
twi_record twi_report_step;
// After a run: what the host and the workers have counted. A recording that could not be written
// is an error like that of a trace.
void twi_report_end(struct twi_place *place, struct tw_stats *workers);

#endif

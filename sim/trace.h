// SPDX-License-Identifier: Apache-2.0
// A simulation as a Chrome trace (ui.perfetto.dev): each step of each place's machines.
#ifndef SIM_TRACE_H
#define SIM_TRACE_H

#include <stdio.h>

#include "steal/machine.h"

void sim_trace_begin(FILE *file);
void sim_trace_step(FILE *file, uint32_t place, const struct twi_machine *machine,
                    const struct twi_event *event, const struct twi_actions *actions);
// Worker `worker` ran a task.
void sim_trace_task(FILE *file, uint32_t place, uint32_t worker, uint64_t from_ns, uint64_t for_ns);
void sim_trace_end(FILE *file);

#endif

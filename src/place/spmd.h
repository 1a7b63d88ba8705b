// SPDX-License-Identifier: Apache-2.0
// The task that tw_run_spmd runs at each place, and what only it may do: take part in what all
// places do together. Its top level is its own text and the functions it calls, outside any finish.
#ifndef TWI_SPMD_H
#define TWI_SPMD_H

#include <twill/task.h>

// What tw_run_spmd wants to be run, and by which type.
struct twi_spmd {
    const struct tw_task_type *type;
    const void *args; // stay valid as long as the run
};
extern const struct tw_task_type twi_spmd_type;

// The program ends unless the calling task is at the top level of such a task.
void twi_spmd_require(const char *what);

#endif

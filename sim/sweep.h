// SPDX-License-Identifier: Apache-2.0
// Many simulations at the same time, one a task, on Twill itself.
#ifndef SIM_SWEEP_H
#define SIM_SWEEP_H

#include "sim/run.h"

struct tw_options;

struct sim_sweep {
    const struct sim_options *options; // of each
    struct sim_result *results;        // of each; those that were stopped say so
    size_t count;
    // After each that was not stopped, one call at a time; `number` of them are done. May be NULL.
    void (*progress)(void *self, size_t done, size_t count);
    void *self;
};

// 0, or a TW_E... code. Results are freed by sim_sweep_free.
int sim_sweep_run(struct sim_sweep *sweep, const struct tw_options *options);
void sim_sweep_free(struct sim_sweep *sweep);

#endif

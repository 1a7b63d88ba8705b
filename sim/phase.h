// SPDX-License-Identifier: Apache-2.0
// One run of a collection of tasks on a simulated machine: every core has a queue, and steals from
// the others when it is empty, or does not.
//
// The queue is the split queue of "Work Stealing and Persistence-based Load Balancers". The owner
// runs what was put in last, and shares half of its tasks whenever nothing is shared; a thief asks
// another core, by chance, and gets half of what that shares, the oldest. An attempt takes a fixed
// time, half of it until the victim decides.
//
// A thief's first attempts are simulated one by one. After some in vain it is counted among the
// waiting: of those together the moment of the next success is drawn, which depends on how many
// they are and how many cores share anything, and the attempts in between are counted by time. So
// a machine on which hardly anything is left costs no more than one that is full.
#ifndef SIM_PHASE_H
#define SIM_PHASE_H

#include <stdbool.h>

#include "sim/lists.h"
#include "sim/usage.h"

struct sim_phase_options {
    const struct sim_lists *start; // who has what, oldest first
    const uint64_t *cost_ns;       // of a task by its number
    bool is_stealing;
    uint64_t attempt_ns; // of a steal, from the request to the answer
    uint64_t give_ns;    // more for each task that is stolen
    uint64_t task_ns;    // of the runtime for each task
    uint64_t end_ns;     // until all know that it is over
    uint32_t alone;      // attempts of a search that are simulated one by one; 0: some
    uint64_t seed;
};

struct sim_phase_core {
    uint64_t load_ns; // costs of what it ran
    uint32_t tasks, attempts, steals;
};

struct sim_phase {
    uint64_t makespan_ns, last_task_ns;
    uint64_t events;
    uint32_t tasks, cores;
    uint32_t *core, *task; // who ran what, in the order in which they ended
    struct sim_phase_core *of;
    struct sim_usage usage;
};

// 0, or -1: no memory. To be freed by sim_phase_free.
int sim_phase_run(struct sim_phase *phase, const struct sim_phase_options *options);
void sim_phase_free(struct sim_phase *phase);

#endif

// SPDX-License-Identifier: Apache-2.0
// One simulation: a machine, work, a policy and a detector, from the first task to the last place's
// end. Several may run at the same time; nothing is shared between them.
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include <stdbool.h>
#include <stdio.h>

#include "fabric/sim.h"
#include "sim/work.h"
#include "steal/host.h"

// Costs at a place are multiplied by sixteenths / 16.
struct sim_slow {
    uint32_t place, sixteenths;
};

struct sim_stall {
    uint32_t place;
    uint64_t at_ns, for_ns;
};

enum { SIM_SLOW_MOST = 8, SIM_STALLS_MOST = 8, SIM_PHASES_MOST = 8 };

struct sim_options {
    struct twi_sim_machine machine;
    const struct sim_work *work;
    const struct twi_machine *policy, *detector;
    struct twi_rules rules; // threshold, batch, hungry, tries, order, backoffs; 0: the default
    bool is_live;           // instead of these the rules of live places
    uint64_t seed;
    uint32_t phases; // the work, so often one after the other, up to SIM_PHASES_MOST; 0 is 1
    uint64_t jitter_ns;
    uint32_t misses;                          // sixteenths of gifts that find the tasks gone
    struct sim_slow slow[SIM_SLOW_MOST];      // those with a factor
    struct sim_stall stalls[SIM_STALLS_MOST]; // those with a length
    uint64_t events_most;                     // 0: any number
    const int *stop;           // ends the run when it is not 0, atomically; may be NULL
    FILE *trace;               // a Chrome trace is written there; may be NULL
    struct sim_checks *checks; // may be NULL
};

// Statistics of a place, or of all in sum.
struct sim_stats {
    struct twi_steal_stats steals;
    struct twi_host_stats host;
    uint64_t tasks;
    uint64_t busy_ns; // of its workers
};

enum sim_end {
    SIM_DONE,
    SIM_STUCK,   // nothing happens any more, but some places are not finished
    SIM_ENDLESS, // more than events_most
    SIM_STOPPED,
    SIM_NO_MEMORY,
};

struct sim_result {
    enum sim_end end;
    struct sim_answer answer;
    int verdict;           // of sim_work.check
    uint64_t makespan_ns;  // until the last place is finished
    uint64_t last_task_ns; // until the last task is done
    uint64_t events, trace_hash;
    uint64_t work_ns; // sum of the costs
    size_t bytes;     // memory at the end
    struct sim_stats sum;
    struct sim_stats *place; // of each; free() it
};

// 0, or -1: no memory for it (then there is nothing to free).
int sim_run(const struct sim_options *options, struct sim_result *result);

// Of its places, but for what differs from place to place.
struct twi_rules sim_rules_of(const struct sim_options *options);

// Fills in what is 0.
void sim_rules_default(struct twi_rules *rules, const struct twi_sim_machine *machine);

const char *sim_end_name(enum sim_end end);

#endif

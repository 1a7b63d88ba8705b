// SPDX-License-Identifier: Apache-2.0
// A program that runs the same collection of tasks again and again, on a simulated machine: what
// each scheme of balancing makes of the next iteration.
//
// Iteration 0 has null tasks too, if the collection has any: all tasks stand in blocks of
// consecutive indexes, and are stolen. From iteration 1 on null tasks are left out, but by
// steal-all, and who ran a task in iteration 0 has it. As the paper does, the persist schemes steal
// in iteration 1, neither steal nor rebalance in iteration 2, and rebalance before every one from
// then on, without stealing.
#ifndef SIM_ITERATE_H
#define SIM_ITERATE_H

#include <stdbool.h>

#include "fabric/sim.h"
#include "sim/lists.h"
#include "sim/usage.h"

enum sim_scheme {
    SIM_SCHEME_NONE,
    SIM_SCHEME_STEAL_ALL,
    SIM_SCHEME_STEAL,
    SIM_SCHEME_RETENTIVE,
    SIM_SCHEME_PERSIST_CENTRAL,
    SIM_SCHEME_PERSIST_TREE,
    SIM_SCHEME_AUTO,
    SIM_SCHEMES,
};
extern const char *const sim_scheme_names[];     // NULL ends them
extern const char *const sim_scheme_summaries[]; // of each a line of help

enum { SIM_ITERATIONS_MOST = 1000 };

struct sim_iterate {
    const struct sim_costs *costs;
    const struct twi_sim_machine *machine;
    enum sim_scheme scheme;
    uint32_t cores, iterations;
    uint32_t every, share; // a start of table 3, without null tasks (lists.h); 0: in blocks
    uint64_t attempt_ns;   // of a steal; 0: what the machine's network and polls take
    uint64_t null_ns;      // what a null task costs
    uint32_t noise;        // costs of an iteration differ by up to this, in millionths
    uint32_t shift;        // in this iteration tasks change their costs with each other; 0: never
    uint64_t seed;
    struct twi_balance_rules rules;
};

struct sim_spread_of { // over cores
    double mean, deviation;
};

struct sim_iteration {
    uint32_t number;
    bool is_stealing, is_rebalanced;
    uint64_t makespan_ns, last_task_ns;
    uint64_t work_ns; // the sum of costs
    uint64_t most_ns; // load of the busiest core
    struct sim_spread_of attempts, steals, tasks;
    struct sim_rebalanced rebalanced; // before it, if it was
    uint64_t rebalance_ns;            // what that takes, in the model
    uint64_t events;
    uint64_t fingerprint; // of what ran: the same when the same tasks did, each as often
    struct sim_usage usage;
};

// What `twill sim iterate` does unless it is told otherwise: retentive stealing on blocks, with
// times that bring it near the paper's figures. Costs, machine, cores and iterations are left open.
void sim_iterate_defaults(struct sim_iterate *settings);

// Simulates; results[] has room for iterations + 1. The number of results, or -1: no memory. It
// depends on nothing but its settings, but for `seconds` of a rebalance.
int sim_iterate(const struct sim_iterate *settings, struct sim_iteration *results);

// Work over the time of all cores.
double sim_iteration_efficiency(const struct sim_iteration *iteration, uint32_t cores);

#endif

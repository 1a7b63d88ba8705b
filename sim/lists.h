// SPDX-License-Identifier: Apache-2.0
// Which core has which tasks of a collection, and how a balancer changes that.
#ifndef SIM_LISTS_H
#define SIM_LISTS_H

#include "balance/balancer.h"
#include "sim/costs.h"

struct sim_lists {
    uint32_t cores, tasks;
    uint32_t *first; // core c has task[first[c]] up to task[first[c + 1]], without that
    uint32_t *task;  // numbers
};

// All of these: 0, or -1 if memory is out.
int sim_lists_make(struct sim_lists *lists, uint32_t cores, uint32_t tasks); // first[] is all 0
int sim_lists_copy(struct sim_lists *lists, const struct sim_lists *from);
void sim_lists_free(struct sim_lists *lists);

// Where the tasks are that are not null, when all stand in blocks of consecutive indexes.
int sim_lists_blocks(struct sim_lists *lists, const struct sim_costs *costs, uint32_t cores);

// The paper's starts for its table 3: sorted by cost, longest first, tasks are dealt out to the
// cores in turn, one at a time, but every `every`-th core gets `share` of them.
int sim_lists_deal(struct sim_lists *lists, const struct sim_costs *costs, uint32_t cores,
                   uint32_t every, uint32_t share);

// From a row of (core, task) pairs to lists, in their order.
int sim_lists_gather(struct sim_lists *lists, uint32_t cores, uint32_t tasks, const uint32_t *core,
                     const uint32_t *task);

// The highest load of a core, when task t costs cost_ns[t].
uint64_t sim_lists_most(const struct sim_lists *lists, const uint64_t *cost_ns);

struct sim_rebalanced {
    uint64_t before_ns, after_ns; // load of the busiest core
    uint32_t donated, moved;      // tasks
    double seconds;               // of real time, to make the plan
};

// Moves tasks as the balancer says, who knows how long each took.
int sim_lists_rebalance(struct sim_lists *lists, const uint64_t *cost_ns,
                        const struct twi_balancer *balancer, const struct twi_balance_rules *rules,
                        struct sim_rebalanced *result);

#endif

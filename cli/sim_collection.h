// SPDX-License-Identifier: Apache-2.0
// Collections of tasks by their costs: what `twill sim iterate` and `twill sim rebalance` share.
#ifndef CLI_SIM_COLLECTION_H
#define CLI_SIM_COLLECTION_H

#include "cli/sim.h"
#include "sim/lists.h"

struct sim_collection {
    const char *costs, *cores;
    uint64_t tasks, mean_ns, work_seed, fan;
    unsigned distribution;
    double keep, fill;
    bool json;
};

extern const struct cli_option sim_collection_options[];
void sim_collection_defaults(struct sim_collection *settings);

// False: `message` says what is wrong. The costs are freed by sim_costs_free.
bool sim_collection_open(const struct sim_collection *settings, struct sim_costs *costs,
                         char *message, size_t size);
bool sim_collection_cores(const struct sim_collection *settings, struct sim_numbers *cores,
                          char *message, size_t size);
struct twi_balance_rules sim_collection_rules(const struct sim_collection *settings);

// "blocks" or two numbers, such as "4,2".
bool sim_collection_start(const char *text, uint32_t *every, uint32_t *share, char *message,
                          size_t size);

#endif

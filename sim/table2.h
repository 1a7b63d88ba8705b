// SPDX-License-Identifier: Apache-2.0
// Table 2 of "Work Stealing and Persistence-based Load Balancers": steals of a core in iterations
// of HF-Be256 on Hopper, by retentive stealing. Sizes whose headers are damaged in print are left
// out.
#ifndef SIM_TABLE2_H
#define SIM_TABLE2_H

#include "sim/iterate.h"

struct sim_table2 {
    uint32_t cores, iteration;
    struct sim_spread_of attempts, steals;
};

// NULL: the paper has none.
const struct sim_table2 *sim_table2_printed(uint32_t cores, uint32_t iteration);

#endif

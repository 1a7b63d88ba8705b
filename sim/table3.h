// SPDX-License-Identifier: Apache-2.0
// Table 3 of "Work Stealing and Persistence-based Load Balancers": both balancers on tasks that are
// dealt out more and more unevenly, over more and more cores.
#ifndef SIM_TABLE3_H
#define SIM_TABLE3_H

#include "sim/lists.h"

enum { SIM_CENTRAL, SIM_TREE, SIM_BOTH }; // as in twi_balancers

struct sim_cell {
    uint32_t cores, every, share; // how tasks start: sim_lists_deal
    double start;                 // the highest load, in percent of the average
    double over[SIM_BOTH];        // the highest load afterwards, in percent over the average
    double seconds[SIM_BOTH];     // of real time, here
    uint32_t moved[SIM_BOTH];     // tasks
};

// Fills in one, whose cores and start are given. 0, or -1: no memory.
int sim_cell_fill(struct sim_cell *cell, const struct sim_costs *costs,
                  const struct twi_balance_rules *rules);

// ---- what the paper has ----

enum { SIM_TABLE3_ROWS = 10, SIM_TABLE3_COLUMNS = 5 };
extern const uint32_t sim_table3_cores[SIM_TABLE3_COLUMNS];
extern const uint32_t sim_table3_starts[SIM_TABLE3_ROWS][2]; // every, share

struct sim_printed {
    double over[SIM_BOTH], seconds[SIM_BOTH];
};

// Of HF-Be256 on Hopper. NULL: it has none.
const struct sim_printed *sim_table3_printed(uint32_t cores, uint32_t every, uint32_t share);

#endif

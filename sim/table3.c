// SPDX-License-Identifier: Apache-2.0
#include "sim/table3.h"

static double percent(uint64_t load_ns, const struct sim_costs *costs, uint32_t cores)
{
    return costs->sum_ns ? 100.0 * (double)load_ns * cores / (double)costs->sum_ns : 100;
}

int sim_cell_fill(struct sim_cell *cell, const struct sim_costs *costs,
                  const struct twi_balance_rules *rules)
{
    const struct twi_balancer *const balancers[] = {&twi_persist_central, &twi_persist_tree};
    for (int i = 0; i < SIM_BOTH; i++) {
        struct sim_lists lists;
        struct sim_rebalanced done;
        if (sim_lists_deal(&lists, costs, cell->cores, cell->every, cell->share) != 0)
            return -1;
        int error = sim_lists_rebalance(&lists, costs->cost_ns, balancers[i], rules, &done);
        sim_lists_free(&lists);
        if (error != 0)
            return -1;
        cell->start = percent(done.before_ns, costs, cell->cores);
        cell->over[i] = percent(done.after_ns, costs, cell->cores) - 100;
        cell->seconds[i] = done.seconds;
        cell->moved[i] = done.moved;
    }
    return 0;
}

// ---- what the paper has ----

const uint32_t sim_table3_cores[SIM_TABLE3_COLUMNS] = {2400, 4800, 9600, 19200, 38400};
const uint32_t sim_table3_starts[SIM_TABLE3_ROWS][2] = {
    {1, 1}, {2, 2}, {2, 4}, {2, 8}, {4, 2}, {4, 4}, {4, 8}, {8, 2}, {8, 4}, {8, 8},
};

// Percent over the ideal and seconds, each of the central and of the hierarchical one.
static const struct sim_printed printed[SIM_TABLE3_ROWS][SIM_TABLE3_COLUMNS] = {
    {{{0.03, 0.06}, {1.57, 1.42}},
     {{0.03, 0.18}, {1.98, 1.12}},
     {{0.03, 0.4}, {5.76, 1.08}},
     {{0.03, 2.0}, {14.8, 1.92}},
     {{5.8, 12}, {35.6, 1.04}}},
    {{{0.03, 0.14}, {4.83, 0.07}},
     {{0.03, 0.54}, {6.33, 0.16}},
     {{0.03, 1.1}, {8.42, 0.81}},
     {{1.7, 6.6}, {13.0, 0.77}},
     {{5.8, 12}, {43.8, 1.00}}},
    {{{0.03, 0.26}, {7.40, 0.35}},
     {{0.03, 0.68}, {10.0, 0.66}},
     {{0.03, 4.0}, {13.0, 0.33}},
     {{0.03, 7.1}, {18.3, 0.31}},
     {{5.8, 12}, {37.7, 1.14}}},
    {{{0.03, 0.28}, {9.24, 0.34}},
     {{0.03, 2.2}, {11.4, 0.30}},
     {{0.03, 3.7}, {13.0, 0.33}},
     {{0.1, 7.3}, {18.4, 1.62}},
     {{5.8, 18}, {45.2, 4.40}}},
    {{{0.03, 0.17}, {1.40, 0.08}},
     {{0.03, 0.53}, {2.00, 0.30}},
     {{0.03, 1.3}, {3.82, 0.48}},
     {{2.8, 5.7}, {16.9, 0.82}},
     {{5.8, 11}, {39.5, 0.75}}},
    {{{0.03, 0.29}, {2.84, 0.09}},
     {{0.03, 0.60}, {4.13, 0.20}},
     {{0.03, 2.4}, {6.65, 0.56}},
     {{1.3, 7.4}, {13.4, 0.36}},
     {{5.8, 15}, {37.0, 0.65}}},
    {{{0.03, 0.29}, {4.34, 0.28}},
     {{0.03, 0.58}, {6.27, 0.97}},
     {{0.03, 3.9}, {9.07, 0.58}},
     {{0.03, 6.9}, {15.1, 0.26}},
     {{5.8, 13}, {43.0, 0.85}}},
    {{{0.03, 0.30}, {0.45, 0.04}},
     {{0.03, 0.73}, {0.75, 0.11}},
     {{0.03, 1.2}, {2.73, 0.25}},
     {{2.9, 5.4}, {15.0, 0.79}},
     {{6.6, 13}, {36.2, 0.36}}},
    {{{0.03, 0.50}, {0.98, 0.06}},
     {{0.03, 1.0}, {1.52, 0.07}},
     {{0.03, 3.1}, {3.03, 0.19}},
     {{2.3, 7.6}, {11.9, 0.65}},
     {{5.8, 12}, {38.1, 0.55}}},
    {{{0.03, 0.49}, {1.88, 0.06}},
     {{0.03, 1.0}, {2.70, 0.10}},
     {{0.03, 4.6}, {5.01, 0.49}},
     {{0.9, 7.9}, {11.4, 0.38}},
     {{5.8, 15}, {36.7, 0.63}}},
};

const struct sim_printed *sim_table3_printed(uint32_t cores, uint32_t every, uint32_t share)
{
    for (int row = 0; row < SIM_TABLE3_ROWS; row++)
        for (int column = 0; column < SIM_TABLE3_COLUMNS; column++)
            if (sim_table3_cores[column] == cores && sim_table3_starts[row][0] == every &&
                sim_table3_starts[row][1] == share)
                return &printed[row][column];
    return NULL;
}

// SPDX-License-Identifier: Apache-2.0
// All tasks of a collection, the null ones too, in blocks of consecutive indexes over cores. There
// may be thousands of null tasks for each other: those between two others are one unit, or several
// of some hundred each.
#ifndef SIM_UNITS_H
#define SIM_UNITS_H

#include "sim/lists.h"

struct sim_units {
    // Numbers below costs->tasks are tasks; above them they are units of null tasks.
    struct sim_lists lists;
    uint32_t *nulls; // in each of these
};

// 0, or -1: no memory.
int sim_units_make(struct sim_units *units, const struct sim_costs *costs, uint32_t cores);
void sim_units_free(struct sim_units *units);

#endif

// SPDX-License-Identifier: Apache-2.0
// Where tasks stand at the start, when their number is known.
#ifndef SIM_PLACEMENT_H
#define SIM_PLACEMENT_H

#include <stdint.h>

#include "sim/work.h"

enum sim_placement {
    SIM_ALL_ON_ONE, // at place 0
    SIM_IN_BLOCKS,  // evenly, those of neighbouring numbers together
    SIM_SKEWED,     // likewise, but shares fall evenly, from the first place to the last
    SIM_AT_RANDOM,  // each at a place of its own choice
};
extern const char *const sim_placement_names[]; // NULL ends them

#define SIM_TASKS_MOST (UINT64_C(1) << 32)

struct sim_plan {
    enum sim_placement placement;
    uint64_t tasks;
    // At random: in order, a random number in the upper half and a task's in the lower. It does not
    // depend on the number of places.
    uint64_t *drawn;
};

// At most SIM_TASKS_MOST tasks. 0, or -1: no memory.
int sim_plan_make(struct sim_plan *plan, enum sim_placement placement, uint64_t tasks,
                  uint64_t seed);
void sim_plan_drop(struct sim_plan *plan);

// What all works that are placed begin with, and those calls that are the same for all. A task is a
// uint64_t; the placed ones count from 0. The answer's result is the sum of costs.
struct sim_placed {
    struct sim_work work;
    struct sim_plan plan;
    uint64_t tasks; // with those that are spawned
    uint64_t sum_ns;
};

void sim_placed_seed(const struct sim_work *work, uint32_t place, uint32_t places,
                     struct sim_spawner *spawner);
int sim_placed_check(const struct sim_work *work, const struct sim_answer *answer);
uint64_t sim_placed_total_ns(const struct sim_work *work);

#endif

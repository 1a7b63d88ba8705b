// SPDX-License-Identifier: Apache-2.0
// Where tasks stand at the start.
//
// Each place has a row of consecutive positions, from its border to that of the next place. In
// blocks a task's position is its number. At random each task draws a number of 32 bits, which is
// its part of the way from the first place to the last, and positions go by these numbers; so one
// sorting serves any number of places, and a place finds its tasks by their border.
#include "sim/placement.h"

#include <stdlib.h>

#include "base/rng.h"

const char *const sim_placement_names[] = {"all-on-one", "blocks", "skewed", "random", NULL};

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

int sim_plan_make(struct sim_plan *plan, enum sim_placement placement, uint64_t tasks,
                  uint64_t seed)
{
    *plan = (struct sim_plan){.placement = placement, .tasks = tasks};
    if (placement != SIM_AT_RANDOM)
        return 0;
    plan->drawn = malloc((tasks + 1) * sizeof *plan->drawn); // there may be none
    if (!plan->drawn)
        return -1;
    struct twi_rng rng = {seed};
    for (uint64_t i = 0; i < tasks; i++)
        plan->drawn[i] = twi_rng_next(&rng) >> 32 << 32 | i;
    qsort(plan->drawn, tasks, sizeof *plan->drawn, compare);
    return 0;
}

void sim_plan_drop(struct sim_plan *plan)
{
    free(plan->drawn);
}

// a * b / c, where a <= c.
static uint64_t part(uint64_t a, uint64_t b, uint64_t c)
{
    return (uint64_t)((unsigned __int128)a * b / c);
}

// How many tasks have drawn less.
static uint64_t drawn_below(const struct sim_plan *plan, uint64_t number)
{
    uint64_t low = 0, high = plan->tasks;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (plan->drawn[middle] >> 32 < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The position at which a place's row begins; for place `places`: at which all end.
static uint64_t border(const struct sim_plan *plan, uint64_t place, uint64_t places)
{
    switch (plan->placement) {
    case SIM_ALL_ON_ONE:
        return place == 0 ? 0 : plan->tasks;
    case SIM_IN_BLOCKS:
        return part(place, plan->tasks, places);
    case SIM_SKEWED: // shares of places, places - 1, ... 1
        return part(place * (2 * places + 1 - place), plan->tasks, places * (places + 1));
    case SIM_AT_RANDOM:
        return drawn_below(plan, part(place, UINT64_C(1) << 32, places));
    }
    return 0;
}

void sim_placed_seed(const struct sim_work *work, uint32_t place, uint32_t places,
                     struct sim_spawner *spawner)
{
    const struct sim_plan *plan = &((const struct sim_placed *)work)->plan;
    uint64_t end = border(plan, (uint64_t)place + 1, places);
    for (uint64_t at = border(plan, place, places); at < end; at++) {
        uint64_t task = plan->drawn ? (uint32_t)plan->drawn[at] : at;
        spawner->spawn(spawner, &task);
    }
}

int sim_placed_check(const struct sim_work *work, const struct sim_answer *answer)
{
    const struct sim_placed *placed = (const struct sim_placed *)work;
    return answer->tasks == placed->tasks && answer->result == placed->sum_ns;
}

uint64_t sim_placed_total_ns(const struct sim_work *work)
{
    return ((const struct sim_placed *)work)->sum_ns;
}

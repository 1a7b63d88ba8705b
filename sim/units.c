// SPDX-License-Identifier: Apache-2.0
#include "sim/units.h"

#include <stdlib.h>

enum { UNIT_LEAST = 128, UNITS_ABOUT = 1 << 20 };

struct maker {
    struct sim_units *units; // NULL: count only
    const struct sim_costs *costs;
    uint32_t cores, core;
    uint64_t unit_most, at; // the next index
    uint32_t count, nulls;
};

// The first index that is not of this core's block.
static uint64_t end_of(const struct maker *maker, uint32_t core)
{
    unsigned __int128 end = (unsigned __int128)maker->costs->all * (core + 1);
    return (uint64_t)((end + maker->cores - 1) / maker->cores);
}

static void place(struct maker *maker, uint32_t number)
{
    while (maker->at >= end_of(maker, maker->core))
        maker->core++;
    if (maker->units) {
        maker->units->lists.first[maker->core + 1]++;
        maker->units->lists.task[maker->count] = number;
    }
    maker->count++;
}

// The null tasks up to `index`, without it; no unit is in two blocks.
static void place_nulls(struct maker *maker, uint64_t index)
{
    while (maker->at < index) {
        place(maker, maker->costs->tasks + maker->nulls);
        uint64_t end = end_of(maker, maker->core);
        end = end < index ? end : index;
        end = end - maker->at < maker->unit_most ? end : maker->at + maker->unit_most;
        if (maker->units)
            maker->units->nulls[maker->nulls] = (uint32_t)(end - maker->at);
        maker->nulls++;
        maker->at = end;
    }
}

static void place_all(struct maker *maker)
{
    for (uint32_t i = 0; i < maker->costs->tasks; i++) {
        place_nulls(maker, maker->costs->index[i]);
        place(maker, i);
        maker->at++;
    }
    place_nulls(maker, maker->costs->all);
}

int sim_units_make(struct sim_units *units, const struct sim_costs *costs, uint32_t cores)
{
    uint64_t unit = costs->all / UNITS_ABOUT;
    struct maker maker = {.costs = costs, .cores = cores};
    maker.unit_most = unit > UNIT_LEAST ? unit : UNIT_LEAST;
    struct maker again = maker;
    place_all(&maker);
    *units = (struct sim_units){.nulls = malloc(((size_t)maker.nulls + 1) * sizeof(uint32_t))};
    if (!units->nulls || sim_lists_make(&units->lists, cores, maker.count) != 0) {
        sim_units_free(units);
        return -1;
    }
    again.units = units;
    place_all(&again);
    for (uint32_t core = 0; core < cores; core++)
        units->lists.first[core + 1] += units->lists.first[core];
    return 0;
}

void sim_units_free(struct sim_units *units)
{
    sim_lists_free(&units->lists);
    free(units->nulls);
    units->nulls = NULL;
}

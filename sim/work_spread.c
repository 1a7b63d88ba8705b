// SPDX-License-Identifier: Apache-2.0
// Simulated work: tasks whose costs come from a distribution.
//
// A task is its index. The first ones are placed; each may spawn others, and what task i spawns
// has the indexes that follow what task i - 1 spawns, so that all tasks of a run have different
// ones, known beforehand. A cost follows from seed and index by arithmetic of whole numbers alone,
// and so is the same on every machine.
#include "sim/works.h"

#include <stdlib.h>

#include "base/rng.h"
#include "sim/draw.h"

const char *const sim_distribution_names[] = {"constant", "uniform", "exponential",
                                              "pareto",   "bimodal", NULL};

enum { PARETO_MOST = 1000 }; // means

struct spread_work {
    struct sim_placed placed;
    struct sim_spread settings;
};

// ---- costs ----

static uint32_t square_root(uint64_t x)
{
    uint32_t root = 0;
    for (uint32_t bit = UINT32_C(1) << 31; bit; bit >>= 1)
        if ((uint64_t)(root | bit) * (root | bit) <= x)
            root |= bit;
    return root;
}

// Of shape 2: the least, divided by the square root of an even random number.
static uint64_t pareto(uint64_t mean, uint64_t random)
{
    unsigned __int128 cost = ((unsigned __int128)mean << 31) / square_root(random | 1);
    return cost < mean * PARETO_MOST ? (uint64_t)cost : mean * PARETO_MOST;
}

static uint64_t bimodal(uint64_t mean, uint64_t random)
{
    uint64_t less = (mean + 1) / 2;
    return sim_draw_below(10, random) > 0 ? less : 10 * mean - 9 * less;
}

static uint64_t draw(enum sim_distribution distribution, uint64_t mean, uint64_t random)
{
    switch (distribution) {
    case SIM_CONSTANT:
        return mean;
    case SIM_UNIFORM:
        return 1 + sim_draw_below(2 * mean - 1, random);
    case SIM_EXPONENTIAL:
        return sim_draw_exponential(mean, random);
    case SIM_PARETO:
        return pareto(mean, random);
    case SIM_BIMODAL:
        return bimodal(mean, random);
    }
    return 0;
}

uint64_t sim_spread_cost(const struct sim_spread *settings, uint64_t index)
{
    // Neither seeds nor indexes that follow each other give numbers that resemble each other.
    struct twi_rng seeds = {settings->seed}, indexes = {index};
    struct twi_rng rng = {twi_rng_next(&seeds) ^ twi_rng_next(&indexes)};
    uint64_t cost = draw(settings->distribution, settings->mean_ns, twi_rng_next(&rng));
    return cost > 0 ? cost : 1;
}

// ---- the work ----

static uint64_t cost(const struct sim_work *work, void *task)
{
    return sim_spread_cost(&((const struct spread_work *)work)->settings, *(uint64_t *)task);
}

static void run(const struct sim_work *work, const void *task, struct sim_spawner *spawner,
                struct sim_answer *answer)
{
    const struct spread_work *self = (const struct spread_work *)work;
    uint64_t index = *(const uint64_t *)task;
    answer->tasks++;
    answer->nodes++;
    answer->result += sim_spread_cost(&self->settings, index);
    uint64_t child = self->settings.tasks + index * self->settings.fanout;
    for (uint32_t i = 0; i < self->settings.fanout && child + i < self->placed.tasks; i++)
        spawner->spawn(spawner, &(uint64_t){child + i});
}

static void destroy(struct sim_work *work)
{
    sim_plan_drop(&((struct spread_work *)work)->placed.plan);
    free(work);
}

static const struct sim_work calls = {
    .name = "spread",
    .task_size = sizeof(uint64_t),
    .seed = sim_placed_seed,
    .cost = cost,
    .run = run,
    .check = sim_placed_check,
    .total_ns = sim_placed_total_ns,
    .destroy = destroy,
};

// More than SIM_TASKS_MOST: there are too many.
static uint64_t count_tasks(const struct sim_spread *settings)
{
    uint64_t tasks = settings->tasks, level = tasks;
    for (uint32_t depth = 0; depth < settings->depth; depth++) {
        level *= settings->fanout;
        tasks += level;
        if (tasks > SIM_TASKS_MOST || level == 0)
            break;
    }
    return tasks;
}

static const char *check_settings(const struct sim_spread *settings)
{
    if (settings->tasks > SIM_TASKS_MOST)
        return "there are 4294967296 tasks at the start, at most";
    if (settings->mean_ns < 1 || settings->mean_ns > SIM_COST_MOST_NS)
        return "tasks cost 1 ns to 1000 s, on average";
    if (count_tasks(settings) > SIM_TASKS_MOST)
        return "fanout and depth make more than 4294967296 tasks";
    return NULL;
}

static const char *init(struct spread_work *self, const struct sim_spread *settings)
{
    struct sim_placed *placed = &self->placed;
    placed->work = calls;
    self->settings = *settings;
    if (settings->depth == 0)
        self->settings.fanout = 0;
    placed->tasks = count_tasks(settings);
    for (uint64_t i = 0; i < placed->tasks; i++) {
        uint64_t cost_ns = sim_spread_cost(settings, i);
        if (__builtin_add_overflow(placed->sum_ns, cost_ns, &placed->sum_ns))
            return "all costs together are more than 2^64 ns";
    }
    // Costs and places are drawn from different numbers.
    if (sim_plan_make(&placed->plan, settings->placement, settings->tasks, ~settings->seed) != 0)
        return "no memory";
    return NULL;
}

struct sim_work *sim_work_spread(const struct sim_spread *settings, char *message, size_t size)
{
    struct spread_work *self = calloc(1, sizeof *self);
    const char *wrong = self ? check_settings(settings) : "no memory";
    if (!wrong)
        wrong = init(self, settings);
    if (!wrong)
        return &self->placed.work;
    snprintf(message, size, "tasks: %s", wrong);
    free(self);
    return NULL;
}

// SPDX-License-Identifier: Apache-2.0
// Random layouts of tasks over cores, for the tests of the balancers, and plans for them.
#ifndef TEST_BALANCE_SCENE_H
#define TEST_BALANCE_SCENE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "balance/balancer.h"
#include "balance/bin.h"
#include "base/rng.h"
#include "support.h"

struct balance_scene {
    struct twi_layout layout;
    uint32_t *first;
    uint64_t *duration_ns;
    uint32_t tasks;
};

// Small and large numbers are as likely: up to 2^bits - 1.
static inline uint64_t scene_number(struct twi_rng *rng, uint32_t bits)
{
    uint64_t number = twi_rng_next(rng);
    uint32_t length = twi_rng_below(rng, bits + 1);
    return length ? number >> (64 - length) : 0;
}

static inline uint64_t scene_duration(struct twi_rng *rng, uint32_t kind)
{
    switch (kind) {
    case 0: // hardly any work
        return twi_rng_below(rng, 3);
    case 1: // all alike
        return 1000000;
    case 2: // some
        return 1000 + twi_rng_below(rng, 1000000);
    case 3: // one in a hundred is huge
        return twi_rng_below(rng, 100) ? 1000 : UINT64_C(1000000000);
    default: // anything
        return scene_number(rng, 44);
    }
}

static inline void scene_free(struct balance_scene *scene)
{
    free(scene->first);
    free(scene->duration_ns);
}

static inline struct balance_scene scene_alloc(uint32_t cores, uint32_t tasks)
{
    struct balance_scene scene = {.tasks = tasks};
    scene.first = calloc((size_t)cores + 1, sizeof *scene.first);
    scene.duration_ns = calloc((size_t)tasks + 1, sizeof *scene.duration_ns);
    assert_non_null(scene.first);
    assert_non_null(scene.duration_ns);
    scene.layout = (struct twi_layout){cores, scene.first, scene.duration_ns};
    return scene;
}

// Each task at a core of its own choice, among the first `busy` cores.
static inline struct balance_scene scene_make(uint32_t cores, uint32_t busy, uint32_t tasks,
                                              uint32_t kind, uint64_t seed)
{
    struct balance_scene scene = scene_alloc(cores, tasks);
    struct twi_rng rng = {seed};
    for (uint32_t i = 0; i < tasks; i++) {
        scene.first[twi_rng_below(&rng, busy) + 1]++;
        scene.duration_ns[i] = scene_duration(&rng, kind);
    }
    for (uint32_t core = 0; core < cores; core++)
        scene.first[core + 1] += scene.first[core];
    return scene;
}

// 1 to 1,000 cores, of which perhaps most have nothing, and up to 4,000 tasks, perhaps none.
static inline struct balance_scene scene_random(uint64_t seed)
{
    struct twi_rng rng = {seed};
    uint32_t cores = 1 + (uint32_t)(scene_number(&rng, 10) % 1000);
    uint32_t busy = twi_rng_below(&rng, 2) ? cores : 1 + twi_rng_below(&rng, cores);
    uint32_t tasks = (uint32_t)(scene_number(&rng, 12) % 4000);
    uint32_t kind = twi_rng_below(&rng, 6);
    return scene_make(cores, busy, tasks, kind, twi_rng_next(&rng));
}

static inline struct twi_balance_rules scene_rules(uint64_t seed)
{
    struct twi_rng rng = {~seed};
    struct twi_balance_rules rules = TWI_BALANCE_RULES;
    if (twi_rng_below(&rng, 2)) {
        rules.keep = 1000000 + twi_rng_below(&rng, 200000);
        rules.fill = 1000000 + twi_rng_below(&rng, 200000);
        rules.fan = 2 + twi_rng_below(&rng, twi_rng_below(&rng, 2) ? 4 : TWI_FAN_MOST - 1);
    }
    return rules;
}

// The plan's moves are to be freed. What the memory held before makes no difference.
static inline struct twi_plan scene_plan(const struct balance_scene *scene,
                                         const struct twi_balancer *balancer,
                                         const struct twi_balance_rules *rules, int garbage)
{
    struct twi_plan plan = {.count = 77, .donated = 77};
    size_t size = balancer->size(&scene->layout, rules);
    void *memory = malloc(size);
    plan.moves = malloc(((size_t)scene->tasks + 1) * sizeof *plan.moves);
    assert_non_null(memory);
    assert_non_null(plan.moves);
    memset(memory, garbage, size);
    balancer->plan(&scene->layout, rules, memory, &plan);
    free(memory);
    return plan;
}

static inline uint64_t scene_load(const struct balance_scene *scene, uint32_t core)
{
    uint64_t load = 0;
    for (uint32_t i = scene->first[core]; i < scene->first[core + 1]; i++)
        load += twi_bin_ns(twi_bin_of(scene->duration_ns[i]));
    return load;
}

#endif

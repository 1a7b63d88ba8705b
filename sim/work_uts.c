// SPDX-License-Identifier: Apache-2.0
// Simulated work: an unbalanced tree, really searched.
//
// A task is a range of a node's children. What it costs follows from their number, so nothing is
// hashed before the task ends; then each child is hashed and counted, and its own children spawned
// in ranges.
#include "sim/works.h"

#include <stdlib.h>

enum { CHUNK = 8 };

// Nodes `first` to `first + count - 1` among their siblings; at height 0: the root.
struct range {
    struct uts_state parent;
    uint32_t height; // of the nodes, not of their parent
    uint32_t first, count;
};

struct uts_work {
    struct sim_work work;
    uint64_t node_ns;
    uint32_t chunk;
    struct uts_count known; // zeros where nobody knows
    struct uts_tree tree;
};

static void seed(const struct sim_work *work, uint32_t place, uint32_t places,
                 struct sim_spawner *spawner)
{
    (void)work, (void)places;
    struct range root = {.height = 0, .count = 1};
    if (place == 0)
        spawner->spawn(spawner, &root);
}

static uint64_t cost(const struct sim_work *work, void *task)
{
    return ((const struct range *)task)->count * ((const struct uts_work *)work)->node_ns;
}

static inline void spawn_children(const struct uts_work *self, struct range *range,
                                  uint32_t children, struct sim_spawner *spawner)
{
    for (range->first = 0; range->first < children; range->first += self->chunk) {
        uint32_t left = children - range->first;
        range->count = left < self->chunk ? left : self->chunk;
        spawner->spawn(spawner, range);
    }
}

static void run(const struct sim_work *work, const void *task, struct sim_spawner *spawner,
                struct sim_answer *answer)
{
    const struct uts_work *self = (const struct uts_work *)work;
    const struct range *range = task;
    struct range below = {.height = range->height + 1};
    struct uts_count count = {0};
    for (uint32_t i = range->first; i < range->first + range->count; i++) {
        if (range->height == 0)
            below.parent = self->tree.root;
        else
            uts_hash_child(&self->tree, &range->parent, i, &below.parent);
        uint32_t children = uts_state_children(&self->tree, range->height, &below.parent);
        uts_count_node(&count, range->height, children);
        spawn_children(self, &below, children, spawner);
    }
    answer->tasks++;
    answer->nodes += count.nodes;
    answer->result += count.leaves;
}

static int check(const struct sim_work *work, const struct sim_answer *answer)
{
    const struct uts_count *known = &((const struct uts_work *)work)->known;
    if (known->nodes == 0)
        return -1;
    return answer->nodes == known->nodes && (!known->leaves || answer->result == known->leaves);
}

static uint64_t total_ns(const struct sim_work *work)
{
    const struct uts_work *self = (const struct uts_work *)work;
    return self->known.nodes * self->node_ns;
}

static void destroy(struct sim_work *work)
{
    free(work);
}

static const struct sim_work calls = {
    .name = "uts",
    .task_size = sizeof(struct range),
    .seed = seed,
    .cost = cost,
    .run = run,
    .check = check,
    .total_ns = total_ns,
    .destroy = destroy,
};

static const char *init(struct uts_work *self, const struct sim_uts *settings)
{
    struct uts_parameters parameters = settings->parameters;
    if (settings->tree) {
        const struct uts_named_tree *named = uts_find_named(settings->tree);
        if (!named)
            return "no such tree: T1 to T5 are, T1L to T3L, T1XL ...";
        parameters = named->parameters;
        self->known = named->known;
    }
    if (settings->node_ns < 1 || settings->node_ns > SIM_NODE_MOST_NS)
        return "a node costs 1 ns to 10 ms";
    self->work = calls;
    self->node_ns = settings->node_ns;
    self->chunk = settings->chunk ? settings->chunk : CHUNK;
    return uts_tree_init(&self->tree, &parameters, UTS_SHA_AUTO, 1);
}

struct sim_work *sim_work_uts(const struct sim_uts *settings, char *message, size_t size)
{
    struct uts_work *self = calloc(1, sizeof *self);
    const char *wrong = self ? init(self, settings) : "no memory";
    if (!wrong)
        return &self->work;
    snprintf(message, size, "uts %s: %s", settings->tree ? settings->tree : "(custom)", wrong);
    free(self);
    return NULL;
}

// SPDX-License-Identifier: Apache-2.0
// Knapsack: instances, the table, and the search without and with tasks.
#include "apps/knapsack/knapsack.h"

#include <stdlib.h>
#include <twill/twill.h>

// Where weights are nearly equal the last item that fits leaves a gap, which a bound by parts of
// items does not see: the search stays long for any seed.
#define WEIGHT_LEAST (KNAPSACK_WEIGHT_MAX / 10 * 9)
#define VALUE_SPREAD 20

// One search. The best value is read while others raise it: an old one only prunes less.
struct search {
    const struct knapsack *knapsack;
    uint32_t best;
};

// What is left to decide: items from `next` on, with so much room and so much value already.
struct node {
    uint32_t next, room, value;
};

static uint32_t below(uint64_t *state, uint32_t limit)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % limit;
}

static int by_density(const void *left, const void *right)
{
    const struct knapsack_item *a = left, *b = right;
    uint64_t a_first = (uint64_t)a->value * b->weight, b_first = (uint64_t)b->value * a->weight;
    return (a_first < b_first) - (a_first > b_first);
}

void knapsack_fill(struct knapsack *knapsack, unsigned items, double ratio, uint64_t seed)
{
    uint64_t state = seed + 1, weights = 0;
    for (unsigned i = 0; i < items; i++) {
        struct knapsack_item *item = &knapsack->item[i];
        item->weight = WEIGHT_LEAST + below(&state, KNAPSACK_WEIGHT_MAX - WEIGHT_LEAST + 1);
        item->value = item->weight + WEIGHT_LEAST + below(&state, VALUE_SPREAD);
        weights += item->weight;
    }
    knapsack->items = items;
    knapsack->capacity = (uint32_t)((double)weights * ratio);
    qsort(knapsack->item, items, sizeof *knapsack->item, by_density);
}

bool knapsack_table(const struct knapsack *knapsack, uint64_t *value)
{
    uint32_t capacity = knapsack->capacity;
    uint64_t *most = calloc((size_t)capacity + 1, sizeof *most); // for each capacity
    if (!most)
        return false;
    for (unsigned i = 0; i < knapsack->items; i++) {
        struct knapsack_item item = knapsack->item[i];
        for (uint32_t room = capacity; room >= item.weight; room--)
            if (most[room] < most[room - item.weight] + item.value)
                most[room] = most[room - item.weight] + item.value;
    }
    *value = most[capacity];
    free(most);
    return true;
}

// Even if items could be cut, could more than `best` come of it? Whole items are taken while they
// fit, and a part of the first that does not.
static bool is_promising(const struct knapsack *knapsack, struct node node, uint32_t best)
{
    uint64_t value = node.value, room = node.room;
    for (unsigned i = node.next; i < knapsack->items; i++) {
        struct knapsack_item item = knapsack->item[i];
        if (item.weight > room)
            return value + room * item.value / item.weight > best;
        value += item.value;
        room -= item.weight;
    }
    return value > best;
}

// relaxed: the value alone is shared, nothing is published by it
static uint32_t best_so_far(const struct search *search)
{
    return __atomic_load_n(&search->best, __ATOMIC_RELAXED);
}

static void offer(struct search *search, uint32_t value)
{
    uint32_t best = best_so_far(search);
    while (value > best && !__atomic_compare_exchange_n(&search->best, &best, value, true,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

// Whether the search goes on below the node; its own value is offered.
static inline bool visit(struct search *search, struct node node)
{
    offer(search, node.value);
    return node.next < search->knapsack->items &&
           is_promising(search->knapsack, node, best_so_far(search));
}

static inline bool fits(const struct search *search, struct node node)
{
    return search->knapsack->item[node.next].weight <= node.room;
}

static inline struct node taken(const struct search *search, struct node node)
{
    struct knapsack_item item = search->knapsack->item[node.next];
    return (struct node){node.next + 1, node.room - item.weight, node.value + item.value};
}

static inline struct node left_out(struct node node)
{
    return (struct node){node.next + 1, node.room, node.value};
}

// The nodes visited, here and below.
static uint64_t explore(struct search *search, struct node node)
{
    if (!visit(search, node))
        return 1;
    uint64_t nodes = 1;
    if (fits(search, node))
        nodes += explore(search, taken(search, node));
    return nodes + explore(search, left_out(node));
}

// What leaves the item out is forked and joined last: on one worker that is the sequential order.
TW_FUNCTION(uint64_t, branch, {
    struct search *search;
    struct node node;
    uint32_t stop; // from this item on sequentially
})
{
    struct search *search = self.search;
    struct node node = self.node;
    if (node.next >= self.stop)
        return explore(search, node);
    if (!visit(search, node))
        return 1;
    tw_forked(branch) without =
        tw_fork(branch, .search = search, .node = left_out(node), .stop = self.stop);
    uint64_t nodes = 1;
    if (fits(search, node))
        nodes += tw_call(branch, .search = search, .node = taken(search, node), .stop = self.stop);
    return nodes + tw_join(branch, without);
}

TW_TASK(run_branch, {
    struct search *search;
    struct node node;
    uint32_t stop;
    uint64_t *nodes;
})
{
    *self.nodes = tw_call(branch, .search = self.search, .node = self.node, .stop = self.stop);
}

void knapsack_sequential(const struct knapsack *knapsack, struct knapsack_found *found)
{
    struct search search = {.knapsack = knapsack};
    found->nodes = explore(&search, (struct node){.room = knapsack->capacity});
    found->value = search.best;
}

int knapsack_fork(const struct tw_options *options, const struct knapsack *knapsack,
                  unsigned cutoff, struct knapsack_found *found)
{
    struct search search = {.knapsack = knapsack};
    uint32_t stop = knapsack->items > cutoff ? knapsack->items - cutoff : 0;
    int error =
        tw_run_with(options, run_branch, .search = &search, .node = {.room = knapsack->capacity},
                    .stop = stop, .nodes = &found->nodes);
    found->value = search.best;
    return error;
}

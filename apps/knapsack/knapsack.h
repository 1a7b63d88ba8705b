// SPDX-License-Identifier: Apache-2.0
// The 0/1 knapsack by branch and bound: which of the items, each taken or not, are worth most
// within a capacity? Searches prune by the best value that anyone has found so far, so that how
// many nodes they visit depends on who is where at which time. The value they find does not.
#ifndef APPS_KNAPSACK_H
#define APPS_KNAPSACK_H

#include <stdbool.h>
#include <stdint.h>

#define KNAPSACK_ITEMS_MAX 200
#define KNAPSACK_WEIGHT_MAX 1000

struct tw_options;

struct knapsack_item {
    uint32_t value, weight;
};

// The items with the most value for their weight come first.
struct knapsack {
    unsigned items;
    uint32_t capacity;
    struct knapsack_item item[KNAPSACK_ITEMS_MAX];
};

struct knapsack_found {
    uint64_t value;
    uint64_t nodes; // that were visited
};

// An instance from a seed: values follow weights closely, which leaves bounds little to cut off.
// The capacity is that part (0 to 1) of all weights.
void knapsack_fill(struct knapsack *knapsack, unsigned items, double ratio, uint64_t seed);

// The value by dynamic programming: no search at all. false: no memory.
bool knapsack_table(const struct knapsack *knapsack, uint64_t *value);

void knapsack_sequential(const struct knapsack *knapsack, struct knapsack_found *found);

// A task for each node above the last `cutoff` items. 0 or a TW_E... code.
int knapsack_fork(const struct tw_options *options, const struct knapsack *knapsack,
                  unsigned cutoff, struct knapsack_found *found);

#endif

// SPDX-License-Identifier: Apache-2.0
// A tree of ten children a node: each leaf gives its number, each node the sum of its children's.
// Nothing is computed besides, so that what remains is the cost of starting and joining tasks that
// are many at a time.
#ifndef APPS_SKYNET_H
#define APPS_SKYNET_H

#include <stdbool.h>
#include <stdint.h>

#define SKYNET_CHILDREN 10
#define SKYNET_LEAVES_MAX 1000000000 // the sum of their numbers fits 64 bits

struct tw_options;

bool skynet_is_whole(uint64_t leaves);  // is it a power of ten, so that every level is full?
uint64_t skynet_sum(uint64_t leaves);   // by the formula, at once
uint64_t skynet_nodes(uint64_t leaves); // leaves and all above them

uint64_t skynet_sequential(uint64_t leaves);

// A task for each node. 0 or a TW_E... code.
int skynet_fork(const struct tw_options *options, uint64_t leaves, uint64_t *sum);
int skynet_async(const struct tw_options *options, uint64_t leaves, uint64_t *sum);

#endif

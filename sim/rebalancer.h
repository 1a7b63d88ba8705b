// SPDX-License-Identifier: Apache-2.0
// The tree balancer alone, for benchmarks: tasks at random cores, rebalanced as often as one likes.
#ifndef SIM_REBALANCER_H
#define SIM_REBALANCER_H

#include <stdint.h>

struct sim_rebalancer;

// NULL: no memory.
struct sim_rebalancer *sim_rebalancer_make(uint32_t cores, uint32_t tasks, uint64_t seed);
void sim_rebalancer_free(struct sim_rebalancer *self);

// How long each task takes.
const uint64_t *sim_rebalancer_durations(const struct sim_rebalancer *self);

// Makes a plan, always the same. Returns how many tasks move by it.
uint32_t sim_rebalancer_run(struct sim_rebalancer *self);

// Whether the last plan names tasks that there are, each once, and leaves the busiest core with
// less.
int sim_rebalancer_check(const struct sim_rebalancer *self);

#endif

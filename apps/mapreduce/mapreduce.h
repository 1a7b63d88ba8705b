// SPDX-License-Identifier: Apache-2.0
// Map and reduce over values that are far away: each leaf fetches its value, which takes a while,
// computes with it, and the results are summed modulo 2^64. On P workers that hide the latency all
// of it takes about the latency of one leaf and the work of all leaves divided by P.
#ifndef APPS_MAPREDUCE_H
#define APPS_MAPREDUCE_H

#include <stdint.h>

#include "apps/mapreduce/source.h"

#define MAPREDUCE_N_MAX 1000000

struct tw_options;

struct mapreduce {
    uint64_t leaves;
    uint64_t work_rounds; // of each leaf (apps/busy.h)
    struct source *source;
    uint64_t sum;     // out
    unsigned workers; // out: how many there were; 1 without tasks
};

// The work without the latency.
uint64_t mapreduce_oracle(uint64_t leaves, uint64_t work_rounds);

// One leaf after the other, each with its latency. 0 or a TW_E... code.
int mapreduce_sequential(struct mapreduce *run);

// A task for each leaf, by fork and join. 0 or a TW_E... code.
int mapreduce_fork(const struct tw_options *options, struct mapreduce *run);

// What takes `workers` workers at least, in nanoseconds, if they hide the latency.
uint64_t mapreduce_bound_ns(uint64_t latency_ns, uint64_t leaves, uint64_t work_ns,
                            unsigned workers);

#endif

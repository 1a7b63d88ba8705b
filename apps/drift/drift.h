// SPDX-License-Identifier: Apache-2.0
// A synthetic iterative program. Its tasks stand on a ring, and their cost is a hill: high where
// its top is, a tenth of the mean far from it, with a factor of its own for each task. From
// iteration to iteration the hill stays, drifts along the ring, or jumps to the other side at once.
//
// A cost is a number of rounds of busy work (busy.h), from whole numbers alone, so that it is the
// same at every place. All tasks go round the same chain of numbers, each as far as it costs:
// whoever knows the chain up to the costliest knows what each must find.
#ifndef APPS_DRIFT_H
#define APPS_DRIFT_H

#include <stdint.h>

#include "apps/iterations.h"

#define DRIFT_TASKS_MAX 10000000

enum drift_load { DRIFT_STAYS, DRIFT_DRIFTS, DRIFT_JUMPS };

struct drift {
    // in
    enum drift_load load;
    uint32_t tasks;
    unsigned iterations;
    unsigned jump;        // the iteration, from 1, whose load is the first after the jump
    uint32_t speed;       // of a drift: of the ring, in 2^32 parts, for each iteration
    uint32_t skew;        // the top of the hill over the mean; 1: there is none
    uint64_t seed;        // of the factors
    uint64_t mean_rounds; // of a task
    // out
    uint64_t *answer; // of each process, in the order in which they were
    // inside
    unsigned iteration; // that runs now
    uint64_t *found;    // by each task that ran here
};

// Rounds of a task in an iteration, which counts from 0.
uint64_t drift_rounds(const struct drift *drift, uint32_t task, unsigned iteration);

// What a task has found when its last number is `value`.
uint64_t drift_found(uint32_t task, unsigned iteration, uint64_t value);

// What a task finds, by its work.
uint64_t drift_work(const struct drift *drift, uint32_t task, unsigned iteration);

// ---- the sum of what all tasks find: an iteration's answer ----

// By the plain program, one answer for each iteration.
void drift_sequential(const struct drift *drift, uint64_t *answer);

// The same without their work, from one walk along the chain. 0 or TW_ENOMEM.
int drift_oracle(const struct drift *drift, uint64_t *answer);

// By collections, whose balances `iterations` has; it gets the rest. Collective, outside tasks. 0
// or a TW_E... code. `answer` has room for each process.
int drift_collections(const struct tw_options *options, struct drift *drift,
                      struct iterations *iterations);

// Iterations from the jump on, that one included, until one is in balance: hardly a task was
// stolen, and nobody had much more to do than the others. `stats` are those of one balance.
unsigned drift_adapted(const struct drift *drift, const struct tw_collection_stats *stats);

#endif

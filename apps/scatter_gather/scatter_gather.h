// SPDX-License-Identifier: Apache-2.0
// Scatter and gather: a central process sends a message to each of n others, each of them computes
// for a while and answers, and when all answers are there the next round begins. The workload of
// Vrba, Espeland, Halvorsen and Griwodz' study of where work stealing lets tasks go on.
//
// Each answer is the next message to the same process, so that a message that is lost, doubled or
// swapped changes the sum of all answers. What is computed depends on the last three bits of the
// message alone: the oracle computes it eight times and needs no more.
#ifndef APPS_SCATTER_GATHER_H
#define APPS_SCATTER_GATHER_H

#include <stdint.h>

#include <twill/runtime.h>

#define SCATTER_GATHER_N_MAX 100000

struct scatter_gather {
    // in
    uint32_t n;           // processes besides the central one
    uint64_t rounds;      // of two messages for each of them
    uint64_t work_rounds; // of busy.h, for each message
    enum tw_wake wake;    // of the network
    // out
    uint64_t sum; // of all answers
    uint64_t ns;  // all rounds took, without building the network and starting its processes
    unsigned workers;
};

// Builds the network, runs it and takes it down. 0 or a TW_E... code. May suspend; from a task.
int scatter_gather_network(struct scatter_gather *job);

// The same in a run of its own.
int scatter_gather_run(const struct tw_options *options, struct scatter_gather *job);

// All of the work in one loop: `sum` and `ns`.
void scatter_gather_sequential(struct scatter_gather *job);

// The sum, without the work.
uint64_t scatter_gather_oracle(const struct scatter_gather *job);

#endif

// SPDX-License-Identifier: Apache-2.0
// Tiles of the Fock matrix that workers are adding to.
//
// The tasks of a worker follow each other in the order of their tiles, so that most add to the same
// ones as the task before. A worker keeps two tiles, and adds one to the matrix when it turns to
// another: an accumulate for some tasks instead of two for each.
#ifndef APPS_HF_SUMS_H
#define APPS_HF_SUMS_H

#include <stddef.h>

#include <twill/matrix.h>

struct hf_sum {
    size_t i, j;
    double *data; // tile rows of as many; NULL: nothing was added
};

enum { HF_SUM_COULOMB, HF_SUM_EXCHANGE, HF_SUM_COUNT };

// What a worker keeps, in a cache line of its own.
struct hf_desk {
    struct hf_sum sum[HF_SUM_COUNT];
} __attribute__((aligned(64)));

// Makes `sum` one of tile (i, j) and returns its data, zero at first; NULL: no memory. What it was
// before comes into `left`, if it was another. Never suspends.
double *hf_sum_turn(struct hf_sum *sum, size_t i, size_t j, size_t tile, struct hf_sum *left);

// Adds it to the matrix, and is nothing then. May suspend: not while it is a worker's.
void hf_sum_give(struct hf_sum *sum, struct tw_matrix matrix, size_t tile);

#endif

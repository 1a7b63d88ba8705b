// SPDX-License-Identifier: Apache-2.0
// Tiles of the Fock matrix that workers are adding to.
//
// The tasks of a worker follow each other in the order of their tiles, so that most add to those
// that tasks shortly before have added to. A worker keeps one tile (I, J), and of the row I a tile
// (I, K) for each K, and adds one to the matrix when it turns to another row: some accumulates for
// hundreds of tasks instead of two for each.
#ifndef APPS_HF_SUMS_H
#define APPS_HF_SUMS_H

#include <stddef.h>

#include <twill/matrix.h>

struct hf_sum {
    size_t i, j;
    double *data; // tile rows of as many; NULL: nothing was added
};

enum { HF_SUM_COULOMB, HF_SUM_EXCHANGE };

// What a worker keeps, in a cache line of its own. sum[HF_SUM_COULOMB] is of tile (I, J),
// sum[HF_SUM_EXCHANGE + k] of tile (I, k).
struct hf_desk {
    size_t count;
    struct hf_sum *sum;
} __attribute__((aligned(64)));

// Desks for so many workers, of a matrix of `tiles` tiles a row; NULL: no memory. They are freed
// when all sums have been given.
struct hf_desk *hf_desks_make(unsigned workers, size_t tiles);
void hf_desks_free(struct hf_desk *desks, unsigned workers);

// Makes `sum` one of tile (i, j) and returns its data, zero at first; NULL: no memory. What it was
// before comes into `left`, if it was another. Never suspends.
double *hf_sum_turn(struct hf_sum *sum, size_t i, size_t j, size_t tile, struct hf_sum *left);

// Adds it to the matrix, and is nothing then. May suspend: not while it is a worker's.
void hf_sum_give(struct hf_sum *sum, struct tw_matrix matrix, size_t tile);

#endif

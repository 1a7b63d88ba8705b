// SPDX-License-Identifier: Apache-2.0
// Merge sort of 64-bit keys. keys.c makes and compares them, merge.c sorts sequentially, sort.c
// with tasks; the first two know nothing of Twill.
#ifndef APPS_SORT_H
#define APPS_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SORT_N_MAX 1000000000

// Below these lengths sorts and merges are sequential: some tens of microseconds of work.
#define SORT_CUTOFF 4096
#define SORT_MERGE_CUTOFF 16384

#ifdef __cplusplus
extern "C" {
#endif

struct tw_options;

// ---- keys.c ----

enum sort_pattern { SORT_RANDOM, SORT_SORTED, SORT_REVERSED, SORT_EQUAL };

void sort_fill(uint64_t *keys, size_t n, enum sort_pattern pattern, uint64_t seed);
// The same for the same keys in any order, and hardly ever for others.
uint64_t sort_checksum(const uint64_t *keys, size_t n);
bool sort_is_sorted(const uint64_t *keys, size_t n);

// ---- merge.c ----

// Sorts `n` keys; `scratch` has room for as many. With `moved` the sorted keys are left in
// `scratch`, otherwise in `keys`. What the other one then holds is not said.
void sort_range(uint64_t *keys, uint64_t *scratch, size_t n, bool moved);
void sort_sequential(uint64_t *keys, uint64_t *scratch, size_t n);
// Where a range of `n` is divided, so that what is sorted first is a whole number of blocks.
size_t sort_middle(size_t n);

// Merges two sorted ranges into `out`, which overlaps neither.
void sort_merge(const uint64_t *a, size_t a_n, const uint64_t *b, size_t b_n, uint64_t *out);
// How many of the sorted keys are less than `key`.
size_t sort_rank(const uint64_t *keys, size_t n, uint64_t key);

// ---- sort.c ----

// A task for each half and for each part of a merge, down to the cut-offs. 0 or a TW_E... code.
int sort_fork(const struct tw_options *options, uint64_t *keys, uint64_t *scratch, size_t n);

#ifdef __cplusplus
}
#endif
#endif

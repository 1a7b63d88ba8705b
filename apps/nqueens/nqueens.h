// SPDX-License-Identifier: Apache-2.0
// In how many ways can n queens stand on a board of n by n without threatening each other?
#ifndef APPS_NQUEENS_H
#define APPS_NQUEENS_H

#include <stdint.h>

#define NQUEENS_N_MAX 27

struct tw_options;

// The known number of solutions, -1 where the table ends.
int64_t nqueens_known(unsigned n);

uint64_t nqueens_sequential(unsigned n);

// Each queen in the first `rows` rows is a task. 0 or a TW_E... code.
int nqueens_fork(const struct tw_options *options, unsigned n, unsigned rows, uint64_t *solutions);

#endif

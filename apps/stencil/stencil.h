// SPDX-License-Identifier: Apache-2.0
// Jacobi's method on a square grid: in each sweep every point inside becomes the mean of its four
// neighbours. Points on the border stay.
#ifndef APPS_STENCIL_H
#define APPS_STENCIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STENCIL_N_MAX 16384
#define STENCIL_SWEEPS_MAX 1000000

struct tw_options;

struct stencil {
    size_t n; // rows and columns, at least 3
    double *now, *next;
};

// rows.c, without Twill: the benchmark's peers use it too.
bool stencil_make(struct stencil *s, size_t n); // both grids filled; false: no memory
void stencil_fill(struct stencil *s);           // as they were made
void stencil_free(struct stencil *s);
void stencil_row(const struct stencil *s, size_t row); // of `next`, from `now`; 1 to n - 2
void stencil_swap(struct stencil *s);
void stencil_sequential(struct stencil *s, size_t sweeps); // those rows one after the other
void stencil_plain(struct stencil *s, size_t sweeps);      // point by point: the oracle
uint64_t stencil_checksum(const struct stencil *s);        // of every bit of `now`

// stencil.c: a loop over the rows for each sweep. 0 or a TW_E... code.
int stencil_loop(const struct tw_options *options, struct stencil *s, size_t sweeps);

#ifdef __cplusplus
}
#endif
#endif

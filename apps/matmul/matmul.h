// SPDX-License-Identifier: Apache-2.0
// The product of two square matrices of doubles, tile by tile.
//
// Entries are small whole numbers, so that every sum is exact in whatever order it is made: a
// product can be compared bit for bit with any other way to compute it.
#ifndef APPS_MATMUL_H
#define APPS_MATMUL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MATMUL_N_MAX 8192
#define MATMUL_TILE 64 // rows and columns

struct tw_options;

// Row by row. Rows and columns are padded with zeros to `stride`, a whole number of micro tiles.
struct matmul {
    size_t n, stride;
    double *a, *b, *c;
};

// tiles.c, without Twill: the benchmark's peers use it too.
bool matmul_make(struct matmul *m, size_t n); // a and b filled; false: no memory
void matmul_free(struct matmul *m);
size_t matmul_tiles(const struct matmul *m); // along one side
// Computes one tile of c; tiles touch nothing in common.
void matmul_tile(const struct matmul *m, size_t row, size_t column);
void matmul_sequential(const struct matmul *m); // the same tiles one after the other
void matmul_plain(const struct matmul *m);      // three loops: the oracle
// A weighted sum of c, and what it has to be, which takes a vector's work instead of a matrix's.
uint64_t matmul_checksum(const struct matmul *m);
uint64_t matmul_expected(const struct matmul *m);

// matmul.c: a loop over the tiles. 0 or a TW_E... code.
int matmul_loop(const struct tw_options *options, const struct matmul *m);

#ifdef __cplusplus
}
#endif
#endif

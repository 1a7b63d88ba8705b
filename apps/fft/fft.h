// SPDX-License-Identifier: Apache-2.0
// The discrete Fourier transform of 2^k complex numbers, in place, by decimation in frequency:
// butterflies between the two halves, then each half by itself, in the end the numbers are put from
// bit-reversed into natural order. transform.c is sequential and knows nothing of Twill.
#ifndef APPS_FFT_H
#define APPS_FFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FFT_LOG2N_MAX 28

// Halves of at most this many numbers are transformed sequentially, longer ones have a task each.
#define FFT_CUTOFF 2048
// From this length on the butterflies of a level are a parallel loop of stretches.
#define FFT_LOOP_LEAST 32768
#define FFT_STRETCH 1024
#define FFT_TILES 64 // a stretch of those

#ifdef __cplusplus
extern "C" {
#endif

struct tw_options;

struct fft_number {
    double re, im;
};

// For one length. The factors of butterflies among n numbers are the n / 2 at factor[n / 2]: those
// of each level follow each other in memory.
struct fft_plan {
    unsigned log2n;
    size_t n;
    struct fft_number *factor;
};

// ---- transform.c ----

bool fft_plan_make(struct fft_plan *plan, unsigned log2n); // false: no memory
void fft_plan_free(struct fft_plan *plan);

// Any numbers, from a seed.
void fft_fill(struct fft_number *x, size_t n, uint64_t seed);

// Butterflies [from, to) among the n numbers at x, n at least 2.
void fft_butterflies(const struct fft_plan *plan, struct fft_number *x, size_t n, size_t from,
                     size_t to);
// All levels below n numbers; the result is in bit-reversed order.
void fft_levels(const struct fft_plan *plan, struct fft_number *x, size_t n);
// Puts the whole into natural order, tile by tile: here tiles [from, to) of all there are.
size_t fft_tiles(const struct fft_plan *plan);
void fft_reorder(const struct fft_plan *plan, struct fft_number *x, size_t from, size_t to);

void fft_sequential(const struct fft_plan *plan, struct fft_number *x);
void fft_inverse(const struct fft_plan *plan, struct fft_number *x);
// The greatest distance between two numbers at the same place.
double fft_distance(const struct fft_number *x, const struct fft_number *y, size_t n);
// Transforms `x` back and compares it with what `seed` gave: within what rounding explains?
bool fft_returns(const struct fft_plan *plan, struct fft_number *x, uint64_t seed);

// ---- fft.c ----

// 0 or a TW_E... code.
int fft_fork(const struct tw_options *options, const struct fft_plan *plan, struct fft_number *x);

#ifdef __cplusplus
}
#endif
#endif

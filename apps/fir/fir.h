// SPDX-License-Identifier: Apache-2.0
// A signal pipeline: samples pass several filters of finite impulse response one after the other,
// and what comes out is transformed block by block; the powers of each frequency are summed.
// chain.c has the parts and the sequential program, which filters the whole signal at a time;
// fir.c the network, through which it flows in chunks. Both must give the same bits.
#ifndef APPS_FIR_H
#define APPS_FIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <twill/runtime.h>

#include "apps/fft/fft.h"

#define FIR_CHUNK 256 // samples of a message
#define FIR_STAGES_MAX 32
#define FIR_TAPS_MAX 1024
#define FIR_LANES_MAX 64
#define FIR_LOG2N_LEAST 8 // a block is of whole chunks
#define FIR_LOG2N_MAX 14

struct fir {
    // in
    uint32_t blocks; // of 2^log2n samples
    uint32_t log2n, stages, taps;
    uint32_t lanes; // processes that transform blocks in turn
    enum tw_wake wake;
    // made by fir_make
    struct fft_plan plan;
    double *tap; // `taps` of each stage
    // out
    double *power;   // of each frequency, summed over all blocks
    uint64_t digest; // of every bit of every transformed block, in order
};

// ---- chain.c ----

bool fir_make(struct fir *job); // false: no memory
void fir_free(struct fir *job);

// Samples [0, count) of the signal from where `state` is; it starts at 0.
void fir_signal(uint64_t *state, double *x, size_t count);
// y[i] = tap[0] x[i] + tap[1] x[i - 1] + ..., for each i below `count`, a multiple of 8: there are
// taps - 1 samples before x.
void fir_apply(const double *tap, size_t taps, const double *x, double *y, size_t count);
// Adds frequencies [from, from + count) of a block.
void fir_add(struct fir *job, const struct fft_number *x, size_t from, size_t count);

// 0 or TW_ENOMEM.
int fir_sequential(struct fir *job);

// ---- fir.c ----

// 0 or a TW_E... code.
int fir_network(const struct tw_options *options, struct fir *job);

#endif

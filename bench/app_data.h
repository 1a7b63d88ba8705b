// SPDX-License-Identifier: Apache-2.0
// What the cases sort, skynet and fft work on, for Twill and for every peer: the same input, made
// anew before each run outside the measured time, and the same look at the output.
#ifndef TWB_APP_DATA_H
#define TWB_APP_DATA_H

#include <stddef.h>
#include <stdint.h>

#include "apps/fft/fft.h"
#include "apps/sort/sort.h"

#ifdef __cplusplus
extern "C" {
#endif

struct twb_keys {
    uint64_t *keys, *scratch;
    size_t n;
};

struct twb_signal {
    const struct fft_plan *plan;
    struct fft_number *x;
    size_t n;
};

// Random keys. The memory is that of the first call, so that a process always asks for one size.
struct twb_keys twb_sort_data(long n);
// The checksum of keys that are in order, 0 otherwise.
uint64_t twb_sort_answer(struct twb_keys data);
uint64_t twb_sort_expected(long n);

// 2^log2n random numbers; likewise. The answer is how many there are when the inverse transform
// gives them back, 0 otherwise.
struct twb_signal twb_fft_data(long log2n);
uint64_t twb_fft_answer(struct twb_signal data);

#ifdef __cplusplus
}
#endif
#endif

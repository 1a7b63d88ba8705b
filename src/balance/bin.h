// SPDX-License-Identifier: Apache-2.0
// Bins of durations. A duration is truncated to its nine highest bits; those that agree in them and
// in their length share a bin. So a bin is known by a small number, numbers are in the order of the
// durations, and none is further from the middle of its bin than a part in 512.
#ifndef TWI_BIN_H
#define TWI_BIN_H

#include <stdint.h>

enum {
    TWI_BIN_BITS = 8, // behind the highest
    TWI_BIN_TOP = 48, // longer durations, from 2^48 ns (three days) on, count as that
    TWI_BIN_STEPS = 1 << TWI_BIN_BITS,
    TWI_BINS = (TWI_BIN_TOP - 1 - TWI_BIN_BITS) * TWI_BIN_STEPS + 2 * TWI_BIN_STEPS,
};

static inline uint32_t twi_bin_of(uint64_t duration_ns)
{
    if (duration_ns < 2 * TWI_BIN_STEPS)
        return (uint32_t)duration_ns;
    if (duration_ns >> TWI_BIN_TOP)
        return TWI_BINS - 1;
    uint32_t shift = 63 - TWI_BIN_BITS - (uint32_t)__builtin_clzll(duration_ns);
    return shift * TWI_BIN_STEPS + (uint32_t)(duration_ns >> shift);
}

// The middle of a bin, which stands for all durations in it: short ones are their own.
static inline uint64_t twi_bin_ns(uint32_t bin)
{
    if (bin < 2 * TWI_BIN_STEPS)
        return bin;
    uint32_t shift = bin / TWI_BIN_STEPS - 1;
    uint64_t least = (uint64_t)(bin % TWI_BIN_STEPS + TWI_BIN_STEPS) << shift;
    return least + (UINT64_C(1) << shift >> 1);
}

#endif

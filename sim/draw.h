// SPDX-License-Identifier: Apache-2.0
// Random numbers of given distributions by arithmetic of whole numbers alone, so that they are the
// same on every machine. `random` is even over all 64 bits.
#ifndef SIM_DRAW_H
#define SIM_DRAW_H

#include <stdint.h>

// Evenly from 0 to n - 1.
static inline uint64_t sim_draw_below(uint64_t n, uint64_t random)
{
    return (uint64_t)((unsigned __int128)random * n >> 64);
}

// -mean ln u, for an even u from 0 to 1.
uint64_t sim_draw_exponential(uint64_t mean, uint64_t random);

#endif

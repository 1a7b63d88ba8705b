// SPDX-License-Identifier: Apache-2.0
// A small seeded generator (an additive counter put through a mixing function): one word of state,
// every seed good.
#ifndef TWI_RNG_H
#define TWI_RNG_H

#include <stdint.h>

struct twi_rng {
    uint64_t counter;
};

static inline uint64_t twi_rng_next(struct twi_rng *rng)
{
    uint64_t x = rng->counter += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

// Evenly from 0 to n - 1, for n that fit 32 bits.
static inline uint32_t twi_rng_below(struct twi_rng *rng, uint32_t n)
{
    return (uint32_t)((twi_rng_next(rng) >> 32) * n >> 32);
}

#endif

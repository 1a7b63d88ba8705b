// SPDX-License-Identifier: Apache-2.0
// In which order a searching worker visits the others. Pure: state in, state out.
//
// One tour visits each of n workers once: a random start, then a random stride that shares no
// divisor with n, so that two searchers rarely follow the same path.
#ifndef TWI_VICTIM_H
#define TWI_VICTIM_H

#include "base/rng.h"

struct twi_tour {
    uint32_t n, at, stride;
};

static inline uint32_t twi_common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static inline struct twi_tour twi_tour_begin(struct twi_rng *rng, uint32_t n)
{
    struct twi_tour tour = {n, 0, 1};
    if (n < 2)
        return tour;
    uint64_t random = twi_rng_next(rng);
    tour.at = (uint32_t)(random >> 32) % n;
    tour.stride = (uint32_t)random % (n - 1) + 1;
    while (twi_common_divisor(tour.stride, n) != 1)
        tour.stride = tour.stride % (n - 1) + 1;
    return tour;
}

static inline uint32_t twi_tour_next(struct twi_tour *tour)
{
    uint32_t now = tour->at;
    tour->at = (tour->at + tour->stride) % tour->n;
    return now;
}

#endif

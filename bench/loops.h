// SPDX-License-Identifier: Apache-2.0
// Loops that Twill and its peers run: what an iteration does, and what has to come out.
//
// Iterations only compute: each stores one byte, so that no memory is waited for. Those of a
// twb_loop differ in cost and are compiled once, for everybody.
#ifndef TWB_LOOPS_H
#define TWB_LOOPS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline uint32_t twb_stir(uint32_t x, long rounds)
{
    for (long round = 0; round < rounds; round++) {
        x ^= x >> 15;
        x *= UINT32_C(0x2c1b3c6d);
    }
    return x;
}

// Even iterations of two kinds: next to nothing, and about what a small task does.
static inline uint8_t twb_cheap(long i)
{
    return (uint8_t)(twb_stir((uint32_t)i, 2) >> 24);
}

static inline uint8_t twb_even(long i)
{
    return (uint8_t)(twb_stir((uint32_t)i, 16) >> 24);
}

enum twb_cost {
    TWB_TRIANGULAR, // each iteration takes a little longer than the one before
    TWB_RANDOM,     // anything from 1 to n rounds
    TWB_HUGE,       // alike, but one that takes as long as a third of the others together
    TWB_COSTS,
};

struct twb_loop {
    enum twb_cost cost;
    long n;
    uint8_t *out;
};

// The size of a served loop names both.
#define TWB_LOOP_SIZE(n, cost) ((n)*TWB_COSTS + (cost))

void twb_loop_start(struct twb_loop *loop, long size); // ends the process without memory
void twb_loop_iteration(const struct twb_loop *loop, long i);
uint64_t twb_loop_check(const struct twb_loop *loop);
uint64_t twb_loop_expected(long size);

// Bytes that are zero, and their sum.
uint8_t *twb_loop_bytes(long n);
uint64_t twb_loop_sum(const uint8_t *bytes, long n);

#ifdef __cplusplus
}
#endif
#endif

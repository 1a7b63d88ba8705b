// SPDX-License-Identifier: Apache-2.0
#include "sim/draw.h"

// -ln(random / 2^64), with 56 bits behind the point. The logarithm of base 2 is found bit by bit: a
// number from 1 to 2 is squared, and its next bit is whether the square is 2 or more.
static uint64_t negative_log(uint64_t random)
{
    const uint64_t ln2 = 2977044472; // with 32 bits behind the point
    uint64_t x = random | 1;
    uint32_t whole = (uint32_t)__builtin_clzll(x), fraction = 0;
    x <<= whole; // 1 to 2, with 63 bits behind the point
    for (int bit = 23; bit >= 0; bit--) {
        x = sim_draw_below(x, x); // 1 to 4, with 62 bits behind the point
        if (x >> 63)
            fraction |= UINT32_C(1) << bit;
        else
            x <<= 1;
    }
    uint64_t log2 = ((uint64_t)(whole + 1) << 24) - fraction;
    return log2 * ln2;
}

uint64_t sim_draw_exponential(uint64_t mean, uint64_t random)
{
    return (uint64_t)((unsigned __int128)mean * negative_log(random) >> 56);
}

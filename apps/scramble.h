// SPDX-License-Identifier: Apache-2.0
// Numbers that look random and are the same everywhere.
#ifndef APPS_SCRAMBLE_H
#define APPS_SCRAMBLE_H

#include <stdint.h>

// The output function of SplitMix64: neighbouring numbers become unrelated ones, 0 stays 0.
static inline uint64_t scramble(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

#endif

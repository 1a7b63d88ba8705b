// SPDX-License-Identifier: Apache-2.0
// The keys to sort, and what shows that a result has the same ones in order.
#include "apps/sort/sort.h"

#include "apps/scramble.h"

void sort_fill(uint64_t *keys, size_t n, enum sort_pattern pattern, uint64_t seed)
{
    uint64_t base = scramble(seed + UINT64_C(0x9e3779b97f4a7c15));
    for (size_t i = 0; i < n; i++) {
        switch (pattern) {
        case SORT_RANDOM:
            keys[i] = scramble(base + i * UINT64_C(0x9e3779b97f4a7c15));
            break;
        case SORT_SORTED:
            keys[i] = i;
            break;
        case SORT_REVERSED:
            keys[i] = n - i;
            break;
        case SORT_EQUAL:
            keys[i] = base;
            break;
        }
    }
}

uint64_t sort_checksum(const uint64_t *keys, size_t n)
{
    uint64_t sum = n;
    for (size_t i = 0; i < n; i++)
        sum += scramble(keys[i] + 1);
    return sum;
}

bool sort_is_sorted(const uint64_t *keys, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (keys[i] < keys[i - 1])
            return false;
    return true;
}

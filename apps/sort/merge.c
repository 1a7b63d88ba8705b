// SPDX-License-Identifier: Apache-2.0
// Sequential merge sort whose steps do not depend on guessed branches: blocks of 32 keys are sorted
// by a network and small merges, and every merge goes from both ends at once, so that two chains of
// steps overlap in the processor.
#include "apps/sort/sort.h"

#include <string.h>

#define BLOCK 32

// One key from the lower end of both ranges. The condition is a number, so that no jump is made.
#define MERGE_FRONT(a, b, out)                                                                     \
    do {                                                                                           \
        uint64_t x_ = *(a), y_ = *(b);                                                             \
        size_t second_ = y_ < x_;                                                                  \
        *(out)++ = second_ ? y_ : x_;                                                              \
        (b) += second_;                                                                            \
        (a) += 1 - second_;                                                                        \
    } while (0)

// One key from the upper end; the pointers are behind the last keys.
#define MERGE_BACK(a, b, out)                                                                      \
    do {                                                                                           \
        uint64_t x_ = (a)[-1], y_ = (b)[-1];                                                       \
        size_t first_ = y_ < x_;                                                                   \
        *--(out) = first_ ? x_ : y_;                                                               \
        (a) -= first_;                                                                             \
        (b) -= 1 - first_;                                                                         \
    } while (0)

// With s keys in the shorter range, s steps from either end stay inside both ranges and write
// different places. Of ranges of equal length nothing is left then.
void sort_merge(const uint64_t *a, size_t a_n, const uint64_t *b, size_t b_n, uint64_t *out)
{
    const uint64_t *a_end = a + a_n, *b_end = b + b_n;
    uint64_t *out_end = out + a_n + b_n;
    while (a < a_end && b < b_end) {
        if (a_end[-1] <= b[0])
            break;
        size_t steps = a_end - a < b_end - b ? (size_t)(a_end - a) : (size_t)(b_end - b);
        for (size_t i = 0; i < steps; i++) {
            MERGE_FRONT(a, b, out);
            MERGE_BACK(a_end, b_end, out_end);
        }
    }
    memcpy(out, a, (size_t)(a_end - a) * sizeof *out);
    memcpy(out + (a_end - a), b, (size_t)(b_end - b) * sizeof *out);
}

size_t sort_rank(const uint64_t *keys, size_t n, uint64_t key)
{
    const uint64_t *from = keys;
    while (n > 0) {
        size_t half = n / 2;
        if (from[half] < key) {
            from += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return (size_t)(from - keys);
}

static inline void order(uint64_t *a, uint64_t *b)
{
    uint64_t x = *a, y = *b;
    *a = x < y ? x : y;
    *b = x < y ? y : x;
}

static inline void sort_four(uint64_t *keys)
{
    uint64_t a = keys[0], b = keys[1], c = keys[2], d = keys[3];
    order(&a, &b);
    order(&c, &d);
    order(&a, &c);
    order(&b, &d);
    order(&b, &c);
    keys[0] = a, keys[1] = b, keys[2] = c, keys[3] = d;
}

// Two sorted ranges of `n` keys that follow each other.
static inline void merge_pair(const uint64_t *pair, size_t n, uint64_t *out)
{
    const uint64_t *a = pair, *b = pair + n, *a_end = b, *b_end = b + n;
    uint64_t *out_end = out + 2 * n;
    for (size_t i = 0; i < n; i++) {
        MERGE_FRONT(a, b, out);
        MERGE_BACK(a_end, b_end, out_end);
    }
}

static void sort_block(uint64_t *keys, uint64_t *out)
{
    uint64_t eights[BLOCK], sixteens[BLOCK];
    for (size_t i = 0; i < BLOCK; i += 4)
        sort_four(keys + i);
    for (size_t i = 0; i < BLOCK; i += 8)
        merge_pair(keys + i, 4, eights + i);
    for (size_t i = 0; i < BLOCK; i += 16)
        merge_pair(eights + i, 8, sixteens + i);
    merge_pair(sixteens, 16, out);
}

// Into `out`, which may be `keys` itself.
static void sort_few(const uint64_t *keys, size_t n, uint64_t *out)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t key = keys[i];
        size_t at = i;
        for (; at > 0 && key < out[at - 1]; at--)
            out[at] = out[at - 1];
        out[at] = key;
    }
}

size_t sort_middle(size_t n)
{
    size_t blocks = (n + BLOCK - 1) / BLOCK;
    return blocks / 2 * BLOCK;
}

void sort_range(uint64_t *keys, uint64_t *scratch, size_t n, bool moved)
{
    uint64_t *out = moved ? scratch : keys;
    if (n == BLOCK) {
        sort_block(keys, out);
    } else if (n < BLOCK) {
        sort_few(keys, n, out);
    } else {
        size_t half = sort_middle(n);
        sort_range(keys, scratch, half, !moved);
        sort_range(keys + half, scratch + half, n - half, !moved);
        const uint64_t *in = moved ? keys : scratch;
        sort_merge(in, half, in + half, n - half, out);
    }
}

void sort_sequential(uint64_t *keys, uint64_t *scratch, size_t n)
{
    sort_range(keys, scratch, n, false);
}

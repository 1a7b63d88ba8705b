// SPDX-License-Identifier: Apache-2.0
// Sequential merge sort whose steps do not depend on guessed branches: blocks of 32 keys are sorted
// by a network and small merges. A step of a merge waits for the one before it, so a merge goes
// from both ends at once, and a longer one is two such merges side by side: four chains of steps
// overlap in the processor.
#include "apps/sort/sort.h"

#include <string.h>

#define BLOCK 32
#define TWO_LEAST 128 // keys that are worth two merges side by side
#define STEPS_LEAST 8 // and steps

// What is left of two sorted ranges, and of the place for them.
struct ends {
    const uint64_t *a, *a_end, *b, *b_end;
    uint64_t *out, *out_end;
};

// The least key and the greatest. A condition is a number here, so that no jump is made.
static inline void merge_step(struct ends *e)
{
    uint64_t x = *e->a, y = *e->b;
    size_t second = y < x;
    *e->out++ = second ? y : x;
    e->b += second;
    e->a += 1 - second;

    x = e->a_end[-1], y = e->b_end[-1];
    size_t first = y < x;
    *--e->out_end = first ? x : y;
    e->a_end -= first;
    e->b_end -= 1 - first;
}

// So many steps from either end stay inside both ranges and write different places. Of ranges of
// equal length nothing is left then.
static inline size_t steps_possible(const struct ends *e)
{
    size_t a_n = (size_t)(e->a_end - e->a), b_n = (size_t)(e->b_end - e->b);
    return a_n < b_n ? a_n : b_n;
}

static void merge_one(struct ends e)
{
    for (size_t steps; (steps = steps_possible(&e)) > 0 && e.b[0] < e.a_end[-1];)
        for (size_t i = 0; i < steps; i++)
            merge_step(&e);
    size_t a_n = (size_t)(e.a_end - e.a), b_n = (size_t)(e.b_end - e.b);
    memcpy(e.out, e.a, a_n * sizeof *e.out);
    memcpy(e.out + a_n, e.b, b_n * sizeof *e.out);
}

static void merge_two(struct ends low, struct ends high)
{
    for (;;) {
        size_t steps = steps_possible(&low), others = steps_possible(&high);
        if (others < steps)
            steps = others;
        if (steps < STEPS_LEAST)
            break;
        for (size_t i = 0; i < steps; i++) {
            merge_step(&low);
            merge_step(&high);
        }
    }
    merge_one(low);
    merge_one(high);
}

// How many of the `count` least keys of both ranges are a's.
static size_t share_of_a(const uint64_t *a, size_t a_n, const uint64_t *b, size_t b_n, size_t count)
{
    size_t least = count > b_n ? count - b_n : 0, most = count < a_n ? count : a_n;
    while (least < most) {
        size_t middle = (least + most) / 2;
        if (a[middle] <= b[count - middle - 1])
            least = middle + 1;
        else
            most = middle;
    }
    return least;
}

void sort_merge(const uint64_t *a, size_t a_n, const uint64_t *b, size_t b_n, uint64_t *out)
{
    size_t n = a_n + b_n, half = n / 2;
    struct ends whole = {a, a + a_n, b, b + b_n, out, out + n};
    if (n < TWO_LEAST || a_n == 0 || b_n == 0 || a[a_n - 1] <= b[0]) {
        merge_one(whole);
        return;
    }
    size_t a_low = share_of_a(a, a_n, b, b_n, half), b_low = half - a_low;
    struct ends low = {a, a + a_low, b, b + b_low, out, out + half};
    struct ends high = {a + a_low, a + a_n, b + b_low, b + b_n, out + half, out + n};
    merge_two(low, high);
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
    struct ends e = {pair, pair + n, pair + n, pair + 2 * n, out, out + 2 * n};
    for (size_t i = 0; i < n; i++)
        merge_step(&e);
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

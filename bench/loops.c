// SPDX-License-Identifier: Apache-2.0
// See loops.h.
#include "loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long rounds_of(const struct twb_loop *loop, long i)
{
    switch (loop->cost) {
    case TWB_TRIANGULAR:
        return i + 1;
    case TWB_RANDOM:
        return 1 + (long)(twb_stir((uint32_t)i + 1, 4) % (uint32_t)loop->n);
    case TWB_HUGE:
    case TWB_COSTS:
        break;
    }
    long even = loop->n / 2;
    return i == loop->n / 3 ? even * loop->n / 3 : even;
}

uint8_t *twb_loop_bytes(long n)
{
    static uint8_t *bytes;
    if (bytes == NULL)
        bytes = malloc((size_t)n); // a process serves one size
    if (bytes == NULL) {
        fprintf(stderr, "serve: no memory for %ld bytes\n", n);
        exit(1);
    }
    memset(bytes, 0, (size_t)n);
    return bytes;
}

uint64_t twb_loop_sum(const uint8_t *bytes, long n)
{
    uint64_t sum = 0;
    for (long i = 0; i < n; i++)
        sum += bytes[i];
    return sum;
}

void twb_loop_start(struct twb_loop *loop, long size)
{
    loop->cost = (enum twb_cost)(size % TWB_COSTS);
    loop->n = size / TWB_COSTS;
    loop->out = twb_loop_bytes(loop->n);
}

static uint8_t value_of(const struct twb_loop *loop, long i)
{
    return (uint8_t)(twb_stir((uint32_t)i, rounds_of(loop, i)) >> 24);
}

void twb_loop_iteration(const struct twb_loop *loop, long i)
{
    loop->out[i] = value_of(loop, i);
}

uint64_t twb_loop_check(const struct twb_loop *loop)
{
    return twb_loop_sum(loop->out, loop->n);
}

uint64_t twb_loop_expected(long size)
{
    struct twb_loop loop = {.cost = (enum twb_cost)(size % TWB_COSTS), .n = size / TWB_COSTS};
    uint64_t sum = 0;
    for (long i = 0; i < loop.n; i++)
        sum += value_of(&loop, i);
    return sum;
}

// SPDX-License-Identifier: Apache-2.0
// The grids and their rows: see stencil.h. All ways to sweep add in the same order, so that their
// results are the same to the last bit.
#include <stdlib.h>
#include <string.h>

#include "apps/stencil/stencil.h"

bool stencil_make(struct stencil *s, size_t n)
{
    s->n = n;
    s->now = malloc(2 * n * n * sizeof *s->now);
    if (!s->now)
        return false;
    s->next = s->now + n * n;
    stencil_fill(s);
    return true;
}

void stencil_fill(struct stencil *s)
{
    if (s->next < s->now)
        stencil_swap(s);
    for (size_t i = 0; i < s->n * s->n; i++) {
        uint64_t bits = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
        bits = (bits ^ bits >> 32) * UINT64_C(0xd6e8feb86659fd93);
        s->now[i] = s->next[i] = (double)(bits >> 40) / (1 << 24);
    }
}

void stencil_free(struct stencil *s)
{
    free(s->now < s->next ? s->now : s->next);
}

void stencil_row(const struct stencil *s, size_t row)
{
    size_t n = s->n;
    const double *here = s->now + row * n, *above = here - n, *below = here + n;
    double *restrict to = s->next + row * n;
    for (size_t i = 1; i < n - 1; i++)
        to[i] = 0.25 * (above[i] + below[i] + here[i - 1] + here[i + 1]);
}

void stencil_swap(struct stencil *s)
{
    double *now = s->now;
    s->now = s->next;
    s->next = now;
}

void stencil_sequential(struct stencil *s, size_t sweeps)
{
    for (size_t sweep = 0; sweep < sweeps; sweep++) {
        for (size_t row = 1; row < s->n - 1; row++)
            stencil_row(s, row);
        stencil_swap(s);
    }
}

static double mean_around(const struct stencil *s, size_t row, size_t column)
{
    const double *at = s->now + row * s->n + column;
    double sum = *(at - s->n) + *(at + s->n);
    sum += at[-1];
    sum += at[1];
    return sum / 4;
}

void stencil_plain(struct stencil *s, size_t sweeps)
{
    for (size_t sweep = 0; sweep < sweeps; sweep++) {
        for (size_t row = 1; row < s->n - 1; row++)
            for (size_t column = 1; column < s->n - 1; column++)
                s->next[row * s->n + column] = mean_around(s, row, column);
        stencil_swap(s);
    }
}

uint64_t stencil_checksum(const struct stencil *s)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < s->n * s->n; i++) {
        uint64_t bits;
        memcpy(&bits, &s->now[i], sizeof bits);
        sum = (sum ^ bits) * UINT64_C(0x100000001b3);
    }
    return sum;
}

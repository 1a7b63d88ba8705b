// SPDX-License-Identifier: Apache-2.0
// The sequential transform, its parts, and how results are compared.
#include "apps/fft/fft.h"

#include <math.h>
#include <stdlib.h>

// Errors grow with the number of levels; the numbers are below 1 in size.
#define ERROR_MAX 1e-10

// Numbers change places by tiles of 4 by 4, so that every cache line touched is used as a whole.
#define TILE_BITS 2

bool fft_plan_make(struct fft_plan *plan, unsigned log2n)
{
    *plan = (struct fft_plan){.log2n = log2n, .n = (size_t)1 << log2n};
    plan->factor = malloc(plan->n * sizeof *plan->factor);
    if (!plan->factor)
        return false;
    plan->factor[0] = (struct fft_number){1, 0};
    for (size_t half = 1; half < plan->n; half *= 2) {
        for (size_t k = 0; k < half; k++) {
            double angle = -M_PI * (double)k / (double)half;
            plan->factor[half + k] = (struct fft_number){cos(angle), sin(angle)};
        }
    }
    return true;
}

void fft_plan_free(struct fft_plan *plan)
{
    free(plan->factor);
    plan->factor = NULL;
}

static double next_fraction(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53 - 0.5;
}

void fft_fill(struct fft_number *x, size_t n, uint64_t seed)
{
    uint64_t state = seed + 1;
    for (size_t i = 0; i < n; i++) {
        x[i].re = next_fraction(&state);
        x[i].im = next_fraction(&state);
    }
}

void fft_butterflies(const struct fft_plan *plan, struct fft_number *x, size_t n, size_t from,
                     size_t to)
{
    const struct fft_number *restrict factor = plan->factor + n / 2;
    struct fft_number *restrict low = x, *restrict high = x + n / 2;
    for (size_t k = from; k < to; k++) {
        struct fft_number a = low[k], b = high[k], w = factor[k];
        double re = a.re - b.re, im = a.im - b.im;
        low[k] = (struct fft_number){a.re + b.re, a.im + b.im};
        high[k] = (struct fft_number){re * w.re - im * w.im, re * w.im + im * w.re};
    }
}

// The last two levels at once: their factors are 1 and -i.
static inline void transform_four(struct fft_number *x)
{
    struct fft_number a = x[0], b = x[1], c = x[2], d = x[3];
    struct fft_number ac = {a.re + c.re, a.im + c.im}, bd = {b.re + d.re, b.im + d.im};
    struct fft_number a_c = {a.re - c.re, a.im - c.im}, b_d = {b.im - d.im, d.re - b.re};
    x[0] = (struct fft_number){ac.re + bd.re, ac.im + bd.im};
    x[1] = (struct fft_number){ac.re - bd.re, ac.im - bd.im};
    x[2] = (struct fft_number){a_c.re + b_d.re, a_c.im + b_d.im};
    x[3] = (struct fft_number){a_c.re - b_d.re, a_c.im - b_d.im};
}

void fft_levels(const struct fft_plan *plan, struct fft_number *x, size_t n)
{
    if (n == 4) {
        transform_four(x);
        return;
    }
    if (n < 2)
        return;
    fft_butterflies(plan, x, n, 0, n / 2);
    fft_levels(plan, x, n / 2);
    fft_levels(plan, x + n / 2, n / 2);
}

static inline uint64_t reverse_bits(uint64_t x)
{
    x = (x & UINT64_C(0x5555555555555555)) << 1 | (x >> 1 & UINT64_C(0x5555555555555555));
    x = (x & UINT64_C(0x3333333333333333)) << 2 | (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4 | (x >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f));
    return __builtin_bswap64(x);
}

size_t fft_tiles(const struct fft_plan *plan)
{
    return plan->log2n < 2 * TILE_BITS ? 1 : plan->n >> 2 * TILE_BITS;
}

static inline size_t reversed(size_t i, unsigned bits)
{
    return bits == 0 ? 0 : reverse_bits(i) >> (64 - bits);
}

static inline void swap(struct fft_number *x, size_t i, size_t j)
{
    struct fft_number other = x[j];
    x[j] = x[i];
    x[i] = other;
}

// The places with `middle` between their first and last TILE_BITS bits change with those that have
// its reverse there.
static void reorder_tile(const struct fft_plan *plan, struct fft_number *x, size_t middle)
{
    static const unsigned char turned[1 << TILE_BITS] = {0, 2, 1, 3};
    unsigned bits = plan->log2n - 2 * TILE_BITS, shift = plan->log2n - TILE_BITS;
    size_t mirror = reversed(middle, bits);
    if (middle > mirror)
        return;
    for (size_t high = 0; high < 1 << TILE_BITS; high++) {
        for (size_t low = 0; low < 1 << TILE_BITS; low++) {
            size_t i = high << shift | middle << TILE_BITS | low;
            size_t j = (size_t)turned[low] << shift | mirror << TILE_BITS | turned[high];
            if (middle < mirror || i < j)
                swap(x, i, j);
        }
    }
}

void fft_reorder(const struct fft_plan *plan, struct fft_number *x, size_t from, size_t to)
{
    if (plan->log2n >= 2 * TILE_BITS) {
        for (size_t tile = from; tile < to; tile++)
            reorder_tile(plan, x, tile);
        return;
    }
    for (size_t i = 0; i < plan->n; i++)
        if (i < reversed(i, plan->log2n))
            swap(x, i, reversed(i, plan->log2n));
}

void fft_sequential(const struct fft_plan *plan, struct fft_number *x)
{
    fft_levels(plan, x, plan->n);
    fft_reorder(plan, x, 0, fft_tiles(plan));
}

// The transform of the conjugates, conjugated.
void fft_inverse(const struct fft_plan *plan, struct fft_number *x)
{
    for (size_t i = 0; i < plan->n; i++)
        x[i].im = -x[i].im;
    fft_sequential(plan, x);
    for (size_t i = 0; i < plan->n; i++) {
        x[i].re /= (double)plan->n;
        x[i].im /= -(double)plan->n;
    }
}

double fft_distance(const struct fft_number *x, const struct fft_number *y, size_t n)
{
    double greatest = 0;
    for (size_t i = 0; i < n; i++) {
        double distance = hypot(x[i].re - y[i].re, x[i].im - y[i].im);
        if (!(distance <= greatest)) // so that what is not a number is found
            greatest = distance;
    }
    return greatest;
}

bool fft_returns(const struct fft_plan *plan, struct fft_number *x, uint64_t seed)
{
    struct fft_number *given = malloc(plan->n * sizeof *given);
    if (!given)
        return false;
    fft_fill(given, plan->n, seed);
    fft_inverse(plan, x);
    bool returned = fft_distance(x, given, plan->n) <= ERROR_MAX;
    free(given);
    return returned;
}

// SPDX-License-Identifier: Apache-2.0
// See stats.h.
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BOOTSTRAPS 2000

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double *sorted_copy(const double *sample, size_t n)
{
    double *copy = malloc(n * sizeof *copy);
    if (copy == NULL)
        abort();
    memcpy(copy, sample, n * sizeof *copy);
    qsort(copy, n, sizeof *copy, by_value);
    return copy;
}

// Between two samples the quantile is interpolated.
static double quantile(const double *sorted, size_t n, double q)
{
    double place = q * (double)(n - 1);
    size_t below = (size_t)place;
    if (below + 1 >= n)
        return sorted[n - 1];
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

struct twb_summary twb_summarize(const double *sample, size_t n)
{
    double *sorted = sorted_copy(sample, n);
    struct twb_summary summary = {
        .n = n,
        .best = sorted[0],
        .low_quartile = quantile(sorted, n, 0.25),
        .median = quantile(sorted, n, 0.5),
        .high_quartile = quantile(sorted, n, 0.75),
    };
    free(sorted);
    return summary;
}

double twb_median(const double *sample, size_t n)
{
    return twb_summarize(sample, n).median;
}

// Of n samples exactly k are below the median. By logarithms: 2^-n is 0 from 1,075 on.
static double probability_below(size_t n, size_t k)
{
    double m = (double)n, j = (double)k;
    return exp(lgamma(m + 1) - lgamma(j + 1) - lgamma(m - j + 1) - m * log(2));
}

// How many samples may be left out at each end: the number of samples below the median is
// binomial(n, 1/2), so ranks k+1 and n-k enclose it except with probability 2 P(at most k below).
static size_t ranks_left_out(size_t n, double *confidence)
{
    double tail = probability_below(n, 0);
    size_t k = 0;
    *confidence = 1 - 2 * tail;
    for (;;) {
        double more = tail + probability_below(n, k + 1);
        if (2 * more > 1 - TWB_CONFIDENCE)
            return k;
        tail = more;
        k++;
        *confidence = 1 - 2 * tail;
    }
}

struct twb_interval twb_median_interval(const double *sample, size_t n)
{
    double *sorted = sorted_copy(sample, n);
    struct twb_interval interval = {.value = quantile(sorted, n, 0.5)};
    size_t out = ranks_left_out(n, &interval.confidence);
    interval.low = sorted[out];
    interval.high = sorted[n - 1 - out];
    free(sorted);
    return interval;
}

struct twb_interval twb_pair_ratio(const double *numerator, const double *denominator, size_t n)
{
    double *ratio = malloc(n * sizeof *ratio);
    if (ratio == NULL)
        abort();
    for (size_t i = 0; i < n; i++)
        ratio[i] = numerator[i] / denominator[i];
    struct twb_interval interval = twb_median_interval(ratio, n);
    free(ratio);
    return interval;
}

// splitmix64: any seed will do, and the numbers are the same everywhere.
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double resampled_best_ratio(const double *numerator, const double *denominator, size_t n,
                                   uint64_t *random)
{
    double best_numerator = INFINITY, best_denominator = INFINITY;
    for (size_t i = 0; i < n; i++) {
        size_t pick = (size_t)(next_random(random) % n);
        best_numerator = fmin(best_numerator, numerator[pick]);
        best_denominator = fmin(best_denominator, denominator[pick]);
    }
    return best_numerator / best_denominator;
}

struct twb_interval twb_best_ratio(const double *numerator, const double *denominator, size_t n,
                                   uint64_t seed)
{
    double ratio[BOOTSTRAPS];
    for (size_t i = 0; i < BOOTSTRAPS; i++)
        ratio[i] = resampled_best_ratio(numerator, denominator, n, &seed);
    qsort(ratio, BOOTSTRAPS, sizeof *ratio, by_value);
    double best_numerator = INFINITY, best_denominator = INFINITY;
    for (size_t i = 0; i < n; i++) {
        best_numerator = fmin(best_numerator, numerator[i]);
        best_denominator = fmin(best_denominator, denominator[i]);
    }
    return (struct twb_interval){
        .value = best_numerator / best_denominator,
        .low = quantile(ratio, BOOTSTRAPS, (1 - TWB_CONFIDENCE) / 2),
        .high = quantile(ratio, BOOTSTRAPS, (1 + TWB_CONFIDENCE) / 2),
        // As sure as the range of n samples.
        .confidence = fmin(TWB_CONFIDENCE, 1 - pow(0.5, (double)n - 1)),
    };
}

struct twb_interval twb_worse(struct twb_interval a, struct twb_interval b, enum twb_sense sense)
{
    double (*worse)(double, double) = sense == TWB_AT_MOST ? fmax : fmin;
    return (struct twb_interval){
        .value = worse(a.value, b.value),
        .low = worse(a.low, b.low),
        .high = worse(a.high, b.high),
        .confidence = fmin(a.confidence, b.confidence),
    };
}

enum twb_verdict twb_judge(struct twb_interval interval, double limit, enum twb_sense sense)
{
    bool at_most = sense == TWB_AT_MOST;
    double worst = at_most ? interval.high : interval.low;
    double kindest = at_most ? interval.low : interval.high;
    if (interval.confidence < TWB_CONFIDENCE_LEAST)
        return TWB_CANNOT_TELL;
    if (at_most ? worst <= limit : worst >= limit)
        return TWB_HOLDS;
    if (at_most ? kindest > limit : kindest < limit)
        return TWB_FAILS;
    return TWB_CANNOT_TELL;
}

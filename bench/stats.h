// SPDX-License-Identifier: Apache-2.0
// Statistics for measurements on shared machines: no distribution is assumed anywhere.
//
// A measurement is a set of samples; its middle is the median and its spread the distance between
// the quartiles. A comparison is made on pairs taken side by side: the ratio of each pair first,
// then the median of the ratios, so that a slow minute of the machine touches both sides alike.
// Intervals come from order statistics (which ranks enclose the median, whatever the
// distribution) or, for ratios of best runs, from a bootstrap with its own seeded generator: the
// same samples always give the same interval.
#ifndef TWB_STATS_H
#define TWB_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct twb_summary {
    size_t n;
    double best; // the smallest sample
    double low_quartile;
    double median;
    double high_quartile;
};

// An estimate and the interval that holds the true value with probability `confidence`.
struct twb_interval {
    double value;
    double low;
    double high;
    double confidence;
};

enum twb_sense { TWB_AT_MOST, TWB_AT_LEAST };
enum twb_verdict { TWB_HOLDS, TWB_FAILS, TWB_CANNOT_TELL };

// The confidence aimed at. Groups that cannot tell are measured longer and judged again, so each
// single look has to be surer than the customary 95 %.
#define TWB_CONFIDENCE 0.99
// With less than this nothing is judged: it takes 6 samples.
#define TWB_CONFIDENCE_LEAST 0.95

// n must be at least 1 in all of these.
struct twb_summary twb_summarize(const double *sample, size_t n);
double twb_median(const double *sample, size_t n);
// The interval of the median. With fewer than 8 samples it is their range and less sure.
struct twb_interval twb_median_interval(const double *sample, size_t n);
// The median of numerator[i] / denominator[i].
struct twb_interval twb_pair_ratio(const double *numerator, const double *denominator, size_t n);
// min(numerator) / min(denominator), bootstrapped over the pairs.
struct twb_interval twb_best_ratio(const double *numerator, const double *denominator, size_t n,
                                   uint64_t seed);

// The worse of two parts of one claim, end by end: what holds for it holds for both.
struct twb_interval twb_worse(struct twb_interval a, struct twb_interval b, enum twb_sense sense);
// Holds when the whole interval keeps the limit, fails when the whole interval breaks it; an
// interval in between, or of too few samples, cannot tell.
enum twb_verdict twb_judge(struct twb_interval interval, double limit, enum twb_sense sense);

#endif

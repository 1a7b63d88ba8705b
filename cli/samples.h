// SPDX-License-Identifier: Apache-2.0
// What was measured several times.
#ifndef CLI_SAMPLES_H
#define CLI_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

enum { SAMPLES_MOST = 512 };

struct samples {
    double value[SAMPLES_MOST];
    size_t count;
};

struct summary {
    double least, low, median, high, most; // low and high are the quartiles
};

// False: there is no room for it.
bool samples_add(struct samples *samples, double value);
// Zeros of none.
struct summary samples_summarize(const struct samples *samples);

#endif

// SPDX-License-Identifier: Apache-2.0
// See samples.h.
#include "cli/samples.h"

#include <stdlib.h>

bool samples_add(struct samples *samples, double value)
{
    if (samples->count == SAMPLES_MOST)
        return false;
    samples->value[samples->count++] = value;
    return true;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

// A part of the way from the least to the most, between two samples where it falls there.
static double at(const struct samples *sorted, double part)
{
    double rank = part * (double)(sorted->count - 1);
    size_t below = (size_t)rank, above = below + (below + 1 < sorted->count);
    double weight = rank - (double)below;
    return sorted->value[below] * (1 - weight) + sorted->value[above] * weight;
}

struct summary samples_summarize(const struct samples *samples)
{
    struct samples sorted = *samples;
    if (!sorted.count)
        return (struct summary){0};
    qsort(sorted.value, sorted.count, sizeof *sorted.value, compare);
    return (struct summary){at(&sorted, 0), at(&sorted, 0.25), at(&sorted, 0.5), at(&sorted, 0.75),
                            at(&sorted, 1)};
}

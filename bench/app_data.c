// SPDX-License-Identifier: Apache-2.0
// See app_data.h.
#include "app_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 1

static void *room(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory == NULL) {
        fprintf(stderr, "serve: no memory\n");
        exit(1);
    }
    memset(memory, 0, bytes); // its pages are there before anything is measured
    return memory;
}

struct twb_keys twb_sort_data(long n)
{
    static struct twb_keys data;
    if (data.keys == NULL) {
        data.n = (size_t)n;
        data.keys = room(data.n * sizeof *data.keys);
        data.scratch = room(data.n * sizeof *data.scratch);
    }
    sort_fill(data.keys, data.n, SORT_RANDOM, SEED);
    return data;
}

uint64_t twb_sort_answer(struct twb_keys data)
{
    return sort_is_sorted(data.keys, data.n) ? sort_checksum(data.keys, data.n) : 0;
}

uint64_t twb_sort_expected(long n)
{
    uint64_t *keys = room((size_t)n * sizeof *keys);
    sort_fill(keys, (size_t)n, SORT_RANDOM, SEED);
    uint64_t checksum = sort_checksum(keys, (size_t)n);
    free(keys);
    return checksum;
}

struct twb_signal twb_fft_data(long log2n)
{
    static struct fft_plan plan;
    static struct fft_number *x;
    if (x == NULL) {
        if (!fft_plan_make(&plan, (unsigned)log2n)) {
            fprintf(stderr, "serve: no memory\n");
            exit(1);
        }
        x = room(plan.n * sizeof *x);
    }
    fft_fill(x, plan.n, SEED);
    return (struct twb_signal){&plan, x, plan.n};
}

uint64_t twb_fft_answer(struct twb_signal data)
{
    return fft_returns(data.plan, data.x, SEED) ? data.n : 0;
}

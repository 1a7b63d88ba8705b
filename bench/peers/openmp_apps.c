// SPDX-License-Identifier: Apache-2.0
// OpenMP: sort, skynet and FFT by tied tasks, one part run by the parent; loops by taskloop.
#include "apps.h"

static void merge(const uint64_t *a, size_t a_n, const uint64_t *b, size_t b_n, uint64_t *out)
{
    if (a_n + b_n <= SORT_MERGE_CUTOFF) {
        sort_merge(a, a_n, b, b_n, out);
        return;
    }
    if (a_n < b_n) {
        merge(b, b_n, a, a_n, out);
        return;
    }
    size_t a_low = a_n / 2, b_low = sort_rank(b, b_n, a[a_low]);
#pragma omp task
    merge(a + a_low, a_n - a_low, b + b_low, b_n - b_low, out + a_low + b_low);
    merge(a, a_low, b, b_low, out);
#pragma omp taskwait
}

static void sort(uint64_t *keys, uint64_t *scratch, size_t n, bool moved)
{
    if (n <= SORT_CUTOFF) {
        sort_range(keys, scratch, n, moved);
        return;
    }
    size_t half = sort_middle(n);
#pragma omp task
    sort(keys + half, scratch + half, n - half, !moved);
    sort(keys, scratch, half, !moved);
#pragma omp taskwait
    const uint64_t *in = moved ? keys : scratch;
    merge(in, half, in + half, n - half, moved ? scratch : keys);
}

struct twb_answer peer_run_sort(const struct twb_job *job)
{
    struct twb_keys data = twb_sort_data(job->size);
    double start = twb_seconds();
#pragma omp parallel num_threads(job->workers)
#pragma omp single
    sort(data.keys, data.scratch, data.n, false);
    double seconds = twb_seconds() - start;
    return (struct twb_answer){seconds, twb_sort_answer(data)};
}

static uint64_t skynet(uint64_t first, uint64_t leaves)
{
    if (leaves == 1)
        return first;
    uint64_t each = leaves / SKYNET_CHILDREN, part[SKYNET_CHILDREN], sum = 0;
    for (unsigned i = 0; i < SKYNET_CHILDREN - 1; i++) {
#pragma omp task shared(part) firstprivate(i)
        part[i] = skynet(first + i * each, each);
    }
    part[SKYNET_CHILDREN - 1] = skynet(first + (SKYNET_CHILDREN - 1) * each, each);
#pragma omp taskwait
    for (unsigned i = 0; i < SKYNET_CHILDREN; i++)
        sum += part[i];
    return sum;
}

struct twb_answer peer_run_skynet(const struct twb_job *job)
{
    uint64_t sum = 0;
    double start = twb_seconds();
#pragma omp parallel num_threads(job->workers)
#pragma omp single
    sum = skynet(0, (uint64_t)job->size);
    return (struct twb_answer){twb_seconds() - start, sum};
}

static void levels(const struct fft_plan *plan, struct fft_number *x, size_t n)
{
    size_t half = n / 2;
    if (n <= FFT_CUTOFF) {
        fft_levels(plan, x, n);
        return;
    }
    if (n < FFT_LOOP_LEAST) {
        fft_butterflies(plan, x, n, 0, half);
    } else {
#pragma omp taskloop
        for (size_t i = 0; i < half; i += FFT_STRETCH)
            fft_butterflies(plan, x, n, i, i + FFT_STRETCH);
    }
#pragma omp task
    levels(plan, x + half, half);
    levels(plan, x, half);
#pragma omp taskwait
}

static void transform(struct twb_signal data)
{
    size_t tiles = fft_tiles(data.plan);
    levels(data.plan, data.x, data.n);
    if (data.n < FFT_LOOP_LEAST) {
        fft_reorder(data.plan, data.x, 0, tiles);
        return;
    }
#pragma omp taskloop
    for (size_t i = 0; i < tiles; i += FFT_TILES)
        fft_reorder(data.plan, data.x, i, i + FFT_TILES);
}

struct twb_answer peer_run_fft(const struct twb_job *job)
{
    struct twb_signal data = twb_fft_data(job->size);
    double start = twb_seconds();
#pragma omp parallel num_threads(job->workers)
#pragma omp single
    transform(data);
    double seconds = twb_seconds() - start;
    return (struct twb_answer){seconds, twb_fft_answer(data)};
}

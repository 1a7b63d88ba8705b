// SPDX-License-Identifier: Apache-2.0
// oneTBB: sort, skynet and FFT by parallel_invoke with one context for all calls, loops by
// parallel_for; and the library's own parallel_sort.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_sort.h>

#include "apps.h"
#include "tbb_arena.h"

static void merge(const uint64_t *a, size_t a_n, const uint64_t *b, size_t b_n, uint64_t *out)
{
    if (a_n + b_n <= SORT_MERGE_CUTOFF)
        return sort_merge(a, a_n, b, b_n, out);
    if (a_n < b_n)
        return merge(b, b_n, a, a_n, out);
    size_t a_low = a_n / 2, b_low = sort_rank(b, b_n, a[a_low]);
    tbb::parallel_invoke(
        [=] { merge(a, a_low, b, b_low, out); },
        [=] { merge(a + a_low, a_n - a_low, b + b_low, b_n - b_low, out + a_low + b_low); },
        *context);
}

static void sort(uint64_t *keys, uint64_t *scratch, size_t n, bool moved)
{
    if (n <= SORT_CUTOFF)
        return sort_range(keys, scratch, n, moved);
    size_t half = sort_middle(n);
    tbb::parallel_invoke([=] { sort(keys, scratch, half, !moved); },
                         [=] { sort(keys + half, scratch + half, n - half, !moved); }, *context);
    const uint64_t *in = moved ? keys : scratch;
    merge(in, half, in + half, n - half, moved ? scratch : keys);
}

twb_answer peer_run_sort(const twb_job *job)
{
    twb_keys data = twb_sort_data(job->size);
    twb_answer answer = timed(job, [=] {
        sort(data.keys, data.scratch, data.n, false);
        return 0;
    });
    answer.check = twb_sort_answer(data);
    return answer;
}

twb_answer peer_run_sort_library(const twb_job *job)
{
    twb_keys data = twb_sort_data(job->size);
    twb_answer answer = timed(job, [=] {
        tbb::parallel_sort(data.keys, data.keys + data.n);
        return 0;
    });
    answer.check = twb_sort_answer(data);
    return answer;
}

static uint64_t skynet(uint64_t first, uint64_t leaves)
{
    if (leaves == 1)
        return first;
    uint64_t each = leaves / SKYNET_CHILDREN, part[SKYNET_CHILDREN], sum = 0;
    auto child = [=, &part](unsigned i) {
        return [=, &part] { part[i] = skynet(first + i * each, each); };
    };
    tbb::parallel_invoke(child(0), child(1), child(2), child(3), child(4), child(5), child(6),
                         child(7), child(8), child(9), *context);
    for (uint64_t value : part)
        sum += value;
    return sum;
}

twb_answer peer_run_skynet(const twb_job *job)
{
    return timed(job, [=] { return skynet(0, static_cast<uint64_t>(job->size)); });
}

static void levels(const fft_plan *plan, fft_number *x, size_t n)
{
    size_t half = n / 2;
    if (n <= FFT_CUTOFF)
        return fft_levels(plan, x, n);
    if (n < FFT_LOOP_LEAST)
        fft_butterflies(plan, x, n, 0, half);
    else
        tbb::parallel_for(
            tbb::blocked_range<size_t>(0, half, FFT_STRETCH),
            [=](const tbb::blocked_range<size_t> &r) {
                fft_butterflies(plan, x, n, r.begin(), r.end());
            },
            *context);
    tbb::parallel_invoke([=] { levels(plan, x, half); }, [=] { levels(plan, x + half, half); },
                         *context);
}

twb_answer peer_run_fft(const twb_job *job)
{
    twb_signal data = twb_fft_data(job->size);
    twb_answer answer = timed(job, [=] {
        levels(data.plan, data.x, data.n);
        tbb::parallel_for(
            tbb::blocked_range<size_t>(0, fft_tiles(data.plan), FFT_TILES),
            [=](const tbb::blocked_range<size_t> &r) {
                fft_reorder(data.plan, data.x, r.begin(), r.end());
            },
            *context);
        return 0;
    });
    answer.check = twb_fft_answer(data);
    return answer;
}

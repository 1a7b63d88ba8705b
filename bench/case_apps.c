// SPDX-License-Identifier: Apache-2.0
// Sort (size: keys), skynet (size: leaves) and FFT (size: the logarithm of the length), the
// applications' own code beside their sequential programs.
#include "app_data.h"
#include "apps/skynet/skynet.h"
#include "cases.h"

static struct twb_answer run_sort(const struct twb_job *job)
{
    struct twb_keys data = twb_sort_data(job->size);
    double start = twb_seconds();
    sort_sequential(data.keys, data.scratch, data.n);
    double seconds = twb_seconds() - start;
    return (struct twb_answer){seconds, twb_sort_answer(data)};
}

static struct twb_answer run_sort_fork(const struct twb_job *job)
{
    struct twb_keys data = twb_sort_data(job->size);
    double start = twb_seconds();
    twb_require(sort_fork(NULL, data.keys, data.scratch, data.n));
    double seconds = twb_seconds() - start;
    return (struct twb_answer){seconds, twb_sort_answer(data)};
}

static struct twb_answer run_skynet(const struct twb_job *job)
{
    double start = twb_seconds();
    uint64_t sum = skynet_sequential((uint64_t)job->size);
    return (struct twb_answer){twb_seconds() - start, sum};
}

static struct twb_answer run_skynet_fork(const struct twb_job *job)
{
    uint64_t sum = 0;
    double start = twb_seconds();
    twb_require(skynet_fork(NULL, (uint64_t)job->size, &sum));
    return (struct twb_answer){twb_seconds() - start, sum};
}

static struct twb_answer run_skynet_async(const struct twb_job *job)
{
    uint64_t sum = 0;
    double start = twb_seconds();
    twb_require(skynet_async(NULL, (uint64_t)job->size, &sum));
    return (struct twb_answer){twb_seconds() - start, sum};
}

static struct twb_answer run_fft(const struct twb_job *job)
{
    struct twb_signal data = twb_fft_data(job->size);
    double start = twb_seconds();
    fft_sequential(data.plan, data.x);
    double seconds = twb_seconds() - start;
    return (struct twb_answer){seconds, twb_fft_answer(data)};
}

static struct twb_answer run_fft_fork(const struct twb_job *job)
{
    struct twb_signal data = twb_fft_data(job->size);
    double start = twb_seconds();
    twb_require(fft_fork(NULL, data.plan, data.x));
    double seconds = twb_seconds() - start;
    return (struct twb_answer){seconds, twb_fft_answer(data)};
}

const struct twb_case twb_app_cases[] = {
    {"sort", run_sort},
    {"sort_fork", run_sort_fork},
    {"skynet", run_skynet},
    {"skynet_fork", run_skynet_fork},
    {"skynet_async", run_skynet_async},
    {"fft", run_fft},
    {"fft_fork", run_fft_fork},
    {NULL, NULL},
};

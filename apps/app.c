// SPDX-License-Identifier: Apache-2.0
// The applications, and what their runs have in common.
#include "apps/app.h"

#include <sys/resource.h>
#include <time.h>

#include <twill/place.h>

const struct twill_app *const twill_apps[] = {
    &fib_app,
    &nqueens_app,
    &uts_app,
    &sort_app,
    &skynet_app,
    &fft_app,
    &knapsack_app,
    &matmul_app,
    &stencil_app,
    &mandelbrot_app,
    &sieve_app,
    &fir_app,
    &jpeg_app,
    &hf_app,
#ifndef TWILL_SERIAL // they wait, which the elision cannot, or have collections
    &tce_app,
    &drift_app,
    &mapreduce_app,
    &server_app,
    &scatter_gather_app,
#endif
    NULL,
};

uint64_t app_now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

enum tw_wake app_wake(const struct app_run *run)
{
    return run->options ? run->options->wake : TW_WAKE_AUTO;
}

void app_start(struct app_run *run)
{
    if (tw_places() > 1)
        (void)tw_places_barrier(); // an error of it is the run's too, which says so
    run->start_ns = app_now_ns();
}

enum app_outcome app_stop(struct app_run *run, int error)
{
    run->seconds = (double)(app_now_ns() - run->start_ns) / 1e9;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    run->peak_kb = usage.ru_maxrss;
    run->error = error;
    if (run->stopped)
        run->stopped(run->watcher);
    return error ? APP_FAILED : APP_DONE;
}

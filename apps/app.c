// SPDX-License-Identifier: Apache-2.0
// The applications, and what their runs have in common.
#include "apps/app.h"

#include <sys/resource.h>
#include <time.h>

const struct twill_app *const twill_apps[] = {&fib_app, &nqueens_app, &uts_app, NULL};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void app_start(struct app_run *run)
{
    run->seconds = -now();
}

enum app_outcome app_stop(struct app_run *run, int error)
{
    run->seconds += now();
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    run->peak_kb = usage.ru_maxrss;
    run->error = error;
    return error ? APP_FAILED : APP_DONE;
}

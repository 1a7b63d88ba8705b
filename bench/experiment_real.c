// SPDX-License-Identifier: Apache-2.0
// Cells of the experiments on this machine: the application scatter-gather, each time in a pool of
// its own, whose counters tell of the steal attempts. Those of starting and ending, which short
// runs would show, are found by a run without rounds.
#include "apps/busy.h"
#include "apps/scatter_gather/scatter_gather.h"
#include "experiments.h"

#define STACK_SIZE (64 * 1024)

// Runs the job; its steal attempts, or -1.
static double run_job(struct scatter_gather *job, unsigned workers)
{
    struct tw_stats stats = {.room = 0};
    struct tw_options options;
    tw_options_init(&options, NULL, 0);
    options.workers = workers;
    options.wake = job->wake;
    options.stack_size = STACK_SIZE;
    options.stats = &stats;
    if (scatter_gather_run(&options, job) != 0 || job->sum != scatter_gather_oracle(job))
        return -1;
    return (double)stats.sum.steals_tried;
}

static bool run_real(void *context, const struct twb_cell *cell, unsigned workers,
                     enum tw_wake wake, struct twb_cell_run *result)
{
    const uint64_t *loops_per_ms = context;
    struct scatter_gather job = {.n = (uint32_t)cell->tasks,
                                 .rounds = (uint64_t)cell->rounds,
                                 .work_rounds = *loops_per_ms * (uint64_t)cell->work_ns / 1000000,
                                 .wake = wake};
    struct scatter_gather start = job;
    start.rounds = 0;
    double tries = run_job(&job, workers), start_tries = run_job(&start, workers);
    if (tries < 0 || start_tries < 0 || job.ns == 0)
        return false;
    result->seconds = (double)job.ns * 1e-9;
    result->tries_per_s = tries > start_tries ? (tries - start_tries) / result->seconds : 0;
    return true;
}

struct twb_runner twb_runner_real(unsigned workers)
{
    static uint64_t loops_per_ms;
    if (loops_per_ms == 0)
        loops_per_ms = busy_rounds(1000000);
    return (struct twb_runner){"this machine", workers, run_real, &loops_per_ms};
}

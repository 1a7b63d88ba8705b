// SPDX-License-Identifier: Apache-2.0
// Cells of the experiments on this machine: the application scatter-gather, each time in a pool of
// its own, whose counters tell of the steal attempts.
#include "apps/busy.h"
#include "apps/scatter_gather/scatter_gather.h"
#include "experiments.h"
#include "serve.h"

#define STACK_SIZE (64 * 1024)

static bool run_real(void *context, const struct twb_cell *cell, unsigned workers,
                     enum tw_wake wake, struct twb_cell_run *result)
{
    const uint64_t *loops_per_ms = context;
    struct tw_stats stats = {.room = 0};
    struct tw_options options;
    tw_options_init(&options, NULL, 0);
    options.workers = workers;
    options.wake = wake;
    options.stack_size = STACK_SIZE;
    options.stats = &stats;
    struct scatter_gather job = {.n = (uint32_t)cell->tasks,
                                 .rounds = (uint64_t)cell->rounds,
                                 .work_rounds = *loops_per_ms * (uint64_t)cell->work_ns / 1000000,
                                 .wake = wake};
    double start = twb_seconds();
    int error = scatter_gather_run(&options, &job);
    double seconds = twb_seconds() - start;
    *result = (struct twb_cell_run){.seconds = (double)job.ns * 1e-9,
                                    .tries_per_s = (double)stats.sum.steals_tried / seconds};
    return error == 0 && job.sum == scatter_gather_oracle(&job);
}

struct twb_runner twb_runner_real(unsigned workers)
{
    static uint64_t loops_per_ms;
    if (loops_per_ms == 0)
        loops_per_ms = busy_rounds(1000000);
    return (struct twb_runner){"this machine", workers, run_real, &loops_per_ms};
}

// SPDX-License-Identifier: Apache-2.0
// Drift by task collections. Each worker begins with a stretch of the ring, so that the hill is in
// the hands of few.
#include <stdlib.h>
#include <string.h>

#include <twill/twill.h>

#include "apps/drift/drift.h"

// Of an iteration that is in balance. Whoever is done first takes half of what another still has,
// which at the end may be many tasks and little work.
#define STOLEN_MOST 0.1 // of all tasks
#define IMBALANCE_MOST 1.1

// Adds, so that a task that runs twice spoils the answer as one does that never runs.
TW_TASK(step, { uint32_t task; })
{
    struct drift *drift = tw_collection_local();
    drift->found[self.task] += drift_work(drift, self.task, drift->iteration);
}

static int seed(void *program, struct tw_collection *collection, enum tw_balance balance)
{
    const struct drift *drift = program;
    uint64_t here = tw_here(), first = here * drift->tasks / tw_places();
    uint64_t count = (here + 1) * drift->tasks / tw_places() - first;
    int error = 0;
    (void)balance;
    for (uint64_t i = 0; i < count && !error; i++)
        error = tw_collection_add_near(collection, (int)(i * tw_workers() / count), step,
                                       .task = (uint32_t)(first + i));
    return error;
}

static void begin(void *program, unsigned iteration, unsigned turn)
{
    struct drift *drift = program;
    (void)turn;
    drift->iteration = iteration;
    memset(drift->found, 0, drift->tasks * sizeof *drift->found);
}

static int end(void *program, unsigned turn)
{
    struct drift *drift = program;
    drift->answer[turn] = 0;
    for (uint32_t task = 0; task < drift->tasks; task++)
        drift->answer[turn] += drift->found[task];
    return tw_places_sum(&drift->answer[turn], 1);
}

int drift_collections(const struct tw_options *options, struct drift *drift,
                      struct iterations *iterations)
{
    drift->found = malloc(drift->tasks * sizeof *drift->found);
    if (!drift->found)
        return TW_ENOMEM;
    iterations->count = drift->iterations;
    iterations->task_size = sizeof(struct tw_args_step);
    iterations->program = drift;
    iterations->seed = seed;
    iterations->begin = begin;
    iterations->end = end;
    int error = iterations_run(options, iterations);
    free(drift->found);
    drift->found = NULL;
    return error;
}

static bool is_balanced(const struct tw_collection_stats *stats)
{
    return stats->stolen.mean * stats->workers <= STOLEN_MOST * (double)stats->tasks &&
           stats->imbalance <= IMBALANCE_MOST;
}

unsigned drift_adapted(const struct drift *drift, const struct tw_collection_stats *stats)
{
    unsigned at = drift->jump - 1;
    while (at < drift->iterations && !is_balanced(&stats[at]))
        at++;
    return at - (drift->jump - 1);
}

// SPDX-License-Identifier: Apache-2.0
// `rebalance`: persist-tree makes its plan for <size> tasks at random of 163,840 cores;
// `qsort_twice` sorts the durations of these tasks, two times. Both in seconds; the check is <size>
// when what came out is right.
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "sim/rebalancer.h"

#define CORES 163840
#define SEED 20

// Made by the first run of a process.
static struct sim_rebalancer *tasks_of(const struct twb_job *job)
{
    static struct sim_rebalancer *tasks;
    if (!tasks && !(tasks = sim_rebalancer_make(CORES, (uint32_t)job->size, SEED)))
        twb_require(TW_ENOMEM);
    return tasks;
}

static struct twb_answer run_rebalance(const struct twb_job *job)
{
    struct sim_rebalancer *tasks = tasks_of(job);
    double begun = twb_seconds();
    uint32_t moved = sim_rebalancer_run(tasks);
    double seconds = twb_seconds() - begun;
    bool right = moved > 0 && sim_rebalancer_check(tasks);
    return (struct twb_answer){seconds, right ? (uint64_t)job->size : 0};
}

static int compare(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

static uint64_t in_order(const uint64_t *sorted, long size)
{
    for (long i = 1; i < size; i++)
        if (sorted[i - 1] > sorted[i])
            return 0;
    return (uint64_t)size;
}

// Each time as they come.
static struct twb_answer run_qsort(const struct twb_job *job)
{
    const uint64_t *durations = sim_rebalancer_durations(tasks_of(job));
    size_t bytes = (size_t)job->size * sizeof *durations;
    uint64_t *sorted = malloc(bytes);
    double seconds = 0;
    if (!sorted)
        twb_require(TW_ENOMEM);
    for (int time = 0; time < 2; time++) {
        memcpy(sorted, durations, bytes);
        double begun = twb_seconds();
        qsort(sorted, (size_t)job->size, sizeof *sorted, compare);
        seconds += twb_seconds() - begun;
    }
    uint64_t right = in_order(sorted, job->size);
    free(sorted);
    return (struct twb_answer){seconds, right};
}

const struct twb_case twb_balance_cases[] = {
    {"rebalance", run_rebalance},
    {"qsort_twice", run_qsort},
    {NULL, NULL},
};

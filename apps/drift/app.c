// SPDX-License-Identifier: Apache-2.0
// `twill run drift`.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twill/twill.h>

#include "apps/busy.h"
#include "apps/drift/drift.h"

struct settings {
    unsigned load;
    uint64_t tasks, cost_ns, skew, iterations, jump, seed, rounds;
    double speed;
    const char *balance;
};

static const char *const loads[] = {"stays", "drifts", "jumps", NULL};

#define AT(field) offsetof(struct settings, field)

static const struct cli_option options[] = {
    {"load", NULL, "what the load does from iteration to iteration (drifts)", CLI_CHOICE, AT(load),
     0, 0, loads},
    {"balance", "NAMES", ITERATIONS_BALANCE_HELP, CLI_TEXT, AT(balance), 0, 0, NULL},
    {"tasks", "N", "in each iteration (2000)", CLI_COUNT, AT(tasks), 1, DRIFT_TASKS_MAX, NULL},
    {"cost", "TIME", "of a task on average (20us)", CLI_TIME, AT(cost_ns), 0, 1e9, NULL},
    {"skew", "N", "the highest cost over the average; 1: all about the same (4)", CLI_COUNT,
     AT(skew), 1, 1000, NULL},
    {"iterations", "N", "how many (10)", CLI_COUNT, AT(iterations), 1, 10000, NULL},
    {"jump", "N", "the iteration in which a load that jumps does (6)", CLI_COUNT, AT(jump), 1,
     10000, NULL},
    {"speed", "PART", "of all tasks by which a load drifts in an iteration (0.02)", CLI_REAL,
     AT(speed), 0, 1, NULL},
    {"data-seed", "N", "of the tasks' costs (1)", CLI_COUNT, AT(seed), 0, 1e15, NULL},
    {"rounds", "N", "of busy work that take a microsecond; 0: measured before the run (0)",
     CLI_COUNT, AT(rounds), 0, 1e6, NULL},
    {.name = NULL},
};

static void defaults(void *settings)
{
    *(struct settings *)settings = (struct settings){.load = DRIFT_DRIFTS,
                                                     .tasks = 2000,
                                                     .cost_ns = 20000,
                                                     .skew = 4,
                                                     .iterations = 10,
                                                     .jump = 6,
                                                     .seed = 1,
                                                     .speed = 0.02,
                                                     .balance = "retentive"};
}

struct job {
    struct drift drift;
    struct iterations_balances balances;
    struct iterations iterations;
    uint64_t rounds_us;
    size_t answers;
};

// Place 0's microsecond is everybody's.
static int calibrate(const struct settings *settings, struct job *job)
{
    job->rounds_us = settings->rounds ? settings->rounds : busy_rounds(1000);
    int error =
        tw_places() > 1 ? tw_places_broadcast(0, &job->rounds_us, sizeof job->rounds_us) : 0;
    job->drift.mean_rounds = (uint64_t)((double)job->rounds_us * (double)settings->cost_ns / 1000);
    return error;
}

static enum app_outcome prepare(const struct settings *settings, struct app_run *run,
                                struct job *job)
{
    *job = (struct job){.drift = {.load = (enum drift_load)settings->load,
                                  .tasks = (uint32_t)settings->tasks,
                                  .iterations = (unsigned)settings->iterations,
                                  .jump = (unsigned)settings->jump,
                                  .speed = (uint32_t)(settings->speed * 4294967295.0),
                                  .skew = (uint32_t)settings->skew,
                                  .seed = settings->seed}};
    if (!iterations_read(&job->balances, settings->balance, run->message, sizeof run->message))
        return APP_REFUSED;
    if (job->drift.load == DRIFT_JUMPS && settings->jump > settings->iterations) {
        snprintf(run->message, sizeof run->message,
                 "--jump %llu: there are %llu iterations; give 1 to %llu, or more --iterations",
                 (unsigned long long)settings->jump, (unsigned long long)settings->iterations,
                 (unsigned long long)settings->iterations);
        return APP_REFUSED;
    }
    job->iterations.balances = &job->balances;
    job->answers = (run->sequential ? 1 : job->balances.count) * settings->iterations;
    job->drift.answer = calloc(job->answers, sizeof *job->drift.answer);
    run->error = job->drift.answer ? calibrate(settings, job) : TW_ENOMEM;
    return run->error ? APP_FAILED : APP_DONE;
}

static int run_all(struct app_run *run, struct job *job)
{
    if (!run->sequential)
        return drift_collections(run->options, &job->drift, &job->iterations);
    drift_sequential(&job->drift, job->drift.answer);
    return 0;
}

// Answers stand iteration by iteration, those of all balances side by side.
static int check(struct app_run *run, const struct job *job)
{
    unsigned count = job->drift.iterations;
    uint64_t *expected = calloc(count, sizeof *expected);
    int error = expected ? drift_oracle(&job->drift, expected) : TW_ENOMEM;
    run->checked = APP_CHECK_ORACLE;
    run->verified = !error;
    for (size_t i = 0; i < job->answers && !error; i++)
        run->verified &= job->drift.answer[i] == expected[i / (job->answers / count)];
    free(expected);
    return error;
}

static void fill_facts(struct app_run *run, const struct settings *settings, const struct job *job)
{
    struct app_fact *parameter = run->parameters, *result = run->results;
    uint64_t checksum = 0;
    for (size_t i = 0; i < job->answers; i++)
        checksum += job->drift.answer[i];
    *parameter++ = (struct app_fact){.name = "load", .text = loads[settings->load]};
    *parameter++ = (struct app_fact){.name = "tasks", .count = settings->tasks};
    *parameter++ = (struct app_fact){.name = "cost_ns", .count = settings->cost_ns};
    *parameter++ = (struct app_fact){.name = "skew", .count = settings->skew};
    *parameter++ = (struct app_fact){.name = "rounds_us", .count = job->rounds_us};
    *result++ = (struct app_fact){.name = "checksum", .count = checksum};
    run->work = (struct app_fact){.name = "tasks", .count = job->answers * settings->tasks};
    run->checked = APP_CHECK_NONE;
    if (run->sequential)
        return;
    result = iterations_facts(&job->iterations, result);
    if (job->drift.load == DRIFT_JUMPS) {
        unsigned best = iterations_best(&job->iterations);
        const struct tw_collection_stats *stats =
            &job->iterations.stats[best * settings->iterations];
        *result++ =
            (struct app_fact){.name = "adapted", .count = drift_adapted(&job->drift, stats)};
    }
}

static enum app_outcome measure(const struct settings *settings, struct app_run *run,
                                struct job *job)
{
    app_start(run);
    if (app_stop(run, run_all(run, job)) != APP_DONE)
        return APP_FAILED;
    fill_facts(run, settings, job);
    if (!run->sequential)
        run->error = iterations_table(&job->iterations, &run->table);
    if (!run->error && run->check != APP_CHECK_NONE)
        run->error = check(run, job);
    return run->error ? APP_FAILED : APP_DONE;
}

static enum app_outcome run(const void *settings, struct app_run *run)
{
    struct job job;
    enum app_outcome outcome = prepare(settings, run, &job);
    if (outcome == APP_DONE)
        outcome = measure(settings, run, &job);
    iterations_free(&job.iterations);
    free(job.drift.answer);
    return outcome;
}

const struct twill_app drift_app = {
    .name = "drift",
    .summary = "an iterative program whose load stays, drifts or jumps, to compare balances",
    .options = options,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
};

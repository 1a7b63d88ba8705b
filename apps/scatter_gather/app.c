// SPDX-License-Identifier: Apache-2.0
// `twill run scatter-gather`.
#include "apps/scatter_gather/scatter_gather.h"

#include "apps/app.h"
#include "apps/busy.h"

struct settings {
    uint64_t n, rounds, work_ns;
    double scale;
};

// The paper's rule: all workers together should look at others' deques at most so often a second.
#define TRIES_PER_S_MAX 1e5

static const struct cli_option options[] = {
    {"n", "N", "processes that the central one sends to (250)", CLI_COUNT,
     offsetof(struct settings, n), 1, SCATTER_GATHER_N_MAX, NULL},
    {"rounds", "COUNT", "how often it sends to all and waits for all answers (500)", CLI_COUNT,
     offsetof(struct settings, rounds), 1, 1e9, NULL},
    {"work", "TIME", "how long a process computes for each message (10us)", CLI_TIME,
     offsetof(struct settings, work_ns), 0, 1e9, NULL},
    {"scale", "FACTOR", "multiplies the rounds, to shorten a run (1)", CLI_REAL,
     offsetof(struct settings, scale), 1e-6, 1e3, NULL},
    {.name = NULL},
};

static void defaults(void *settings)
{
    *(struct settings *)settings =
        (struct settings){.n = 250, .rounds = 500, .work_ns = 10000, .scale = 1};
}

static uint64_t scaled(const struct settings *settings)
{
    double rounds = (double)settings->rounds * settings->scale + 0.5;
    return rounds < 1 ? 1 : (uint64_t)rounds;
}

// What the runtime counted: steal attempts, and whether the paper would be content.
static void report_tries(struct app_run *run, struct app_fact *result, double seconds)
{
    const struct tw_stats *stats = run->options ? run->options->stats : NULL;
    if (!stats || run->sequential || seconds <= 0)
        return;
    double tries = (double)stats->sum.steals_tried / seconds;
    *result++ = (struct app_fact){.name = "tries_per_s", .count = (uint64_t)tries};
    *result = (struct app_fact){.name = "rule_of_thumb",
                                .text = tries <= TRIES_PER_S_MAX ? "kept" : "broken"};
}

static void report(struct app_run *run, const struct settings *settings,
                   const struct scatter_gather *job, uint64_t loops_per_ms)
{
    static const char *const wakes[] = {[TW_WAKE_AUTO] = "auto",
                                        [TW_WAKE_CUR] = "cur",
                                        [TW_WAKE_LAST] = "last",
                                        [TW_WAKE_LHWS] = "lhws"};
    double seconds = run->seconds, work_ns = (double)settings->work_ns;
    uint64_t messages = 2 * job->n * job->rounds;
    work_ns *= (double)messages / 2;
    run->seconds = (double)job->ns / 1e9;
    run->parameters[0] = (struct app_fact){.name = "n", .count = job->n};
    run->parameters[1] = (struct app_fact){.name = "rounds", .count = job->rounds};
    run->parameters[2] = (struct app_fact){.name = "work_ns", .count = settings->work_ns};
    run->parameters[3] = (struct app_fact){.name = "wake", .text = wakes[job->wake]};
    struct app_fact *result = run->results;
    *result++ = (struct app_fact){.name = "sum", .count = job->sum};
    *result++ = (struct app_fact){.name = "messages", .count = messages};
    *result++ = (struct app_fact){.name = "message_ns", .count = job->ns / messages};
    *result++ = (struct app_fact){.name = "loops_per_ms", .count = loops_per_ms};
    *result++ = (struct app_fact){.name = "ideal_us",
                                  .count = (uint64_t)(work_ns / 1e3 / (double)job->workers)};
    *result++ = (struct app_fact){
        .name = "speedup_x100", .count = job->ns ? (uint64_t)(100 * work_ns / (double)job->ns) : 0};
    report_tries(run, result, seconds);
    run->work = run->results[1];
}

static enum app_outcome run(const void *given, struct app_run *run)
{
    const struct settings *settings = given;
    uint64_t loops_per_ms = busy_rounds(1000000);
    struct scatter_gather job = {
        .n = (uint32_t)settings->n,
        .rounds = scaled(settings),
        .work_rounds = (uint64_t)((double)loops_per_ms * (double)settings->work_ns / 1e6),
        .wake = app_wake(run)};
    int error = 0;
    app_start(run);
    if (run->sequential)
        scatter_gather_sequential(&job);
    else
        error = scatter_gather_run(run->options, &job);
    if (app_stop(run, error) != APP_DONE)
        return APP_FAILED;
    report(run, settings, &job, loops_per_ms);
    run->checked = APP_CHECK_NONE;
    if (run->check != APP_CHECK_NONE) {
        run->checked = APP_CHECK_ORACLE;
        run->verified = job.sum == scatter_gather_oracle(&job);
    }
    return APP_DONE;
}

const struct twill_app scatter_gather_app = {
    .name = "scatter-gather",
    .summary = "rounds of messages between a central process and many that compute",
    .options = options,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
};

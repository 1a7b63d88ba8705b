// SPDX-License-Identifier: Apache-2.0
// `twill run mapreduce`.
#include <string.h>

#include <twill/twill.h>

#include "apps/app.h"
#include "apps/busy.h"
#include "apps/mapreduce/mapreduce.h"

struct settings {
    uint64_t n, latency_ns, work_ns;
    unsigned source, hide;
};

static const char *const sources[] = {"timer", "tcp", "file", NULL};
static const char *const switches[] = {"off", "on", NULL};

static const struct cli_option options[] = {
    {"n", "N", "leaves, each of which fetches a value (5000)", CLI_COUNT,
     offsetof(struct settings, n), 1, MAPREDUCE_N_MAX, NULL},
    {"latency", "TIME", "how long a value takes to come (50ms)", CLI_TIME,
     offsetof(struct settings, latency_ns), 0, 60e9, NULL},
    {"work", "TIME", "how long a leaf then computes (1us)", CLI_TIME,
     offsetof(struct settings, work_ns), 0, 1e9, NULL},
    {"source", NULL, "where values come from: a timer, a server on this machine, a file (timer)",
     CLI_CHOICE, offsetof(struct settings, source), 0, 0, sources},
    {"hide", NULL, "whether others work while a leaf waits, or it holds its worker (on)",
     CLI_CHOICE, offsetof(struct settings, hide), 0, 0, switches},
    {.name = NULL},
};

static void defaults(void *settings)
{
    *(struct settings *)settings = (struct settings){
        .n = 5000, .latency_ns = 50000000, .work_ns = 1000, .source = SOURCE_TIMER, .hide = true};
}

static void report(struct app_run *run, const struct settings *settings,
                   const struct mapreduce *done)
{
    uint64_t bound_ns =
        mapreduce_bound_ns(settings->latency_ns, settings->n, settings->work_ns, done->workers);
    double ratio = bound_ns ? run->seconds * 1e9 / (double)bound_ns : 0;
    struct app_fact *parameter = run->parameters, *result = run->results;
    *parameter++ = (struct app_fact){.name = "leaves", .count = settings->n};
    *parameter++ = (struct app_fact){.name = "latency_us", .count = settings->latency_ns / 1000};
    *parameter++ = (struct app_fact){.name = "work_us", .count = settings->work_ns / 1000};
    *parameter++ = (struct app_fact){.name = "source", .text = sources[settings->source]};
    *parameter++ = (struct app_fact){.name = "hide", .text = switches[done->source->hide]};
    *result++ = (struct app_fact){.name = "sum", .count = done->sum};
    *result++ = (struct app_fact){.name = "bound_us", .count = bound_ns / 1000};
    *result++ = (struct app_fact){.name = "ratio_percent", .count = (uint64_t)(100 * ratio)};
    if (settings->source == SOURCE_TCP)
        *result++ =
            (struct app_fact){.name = "connections", .count = done->source->connections.count};
    run->work = run->parameters[0];
}

static enum app_outcome fetch_all(struct app_run *run, const struct settings *settings,
                                  struct mapreduce *job)
{
    app_start(run);
    int error = run->sequential ? mapreduce_sequential(job) : mapreduce_fork(run->options, job);
    if (app_stop(run, error) != APP_DONE) {
        if (TW_ERRNO(error))
            snprintf(run->message, sizeof run->message,
                     "--source %s: a value could not be fetched: %s", sources[settings->source],
                     strerror(TW_ERRNO(error)));
        return APP_FAILED;
    }
    report(run, settings, job);
    run->checked = APP_CHECK_NONE;
    if (run->check != APP_CHECK_NONE) {
        run->checked = APP_CHECK_ORACLE;
        run->verified = job->sum == mapreduce_oracle(job->leaves, job->work_rounds);
    }
    return APP_DONE;
}

static enum app_outcome run(const void *given, struct app_run *run)
{
    const struct settings *settings = given;
    struct source source = {.kind = (enum source_kind)settings->source,
                            .hide = settings->hide && !run->sequential,
                            .latency_ns = settings->latency_ns};
    struct mapreduce job = {
        .leaves = settings->n, .work_rounds = busy_rounds(settings->work_ns), .source = &source};
    int error = source_open(&source, settings->n);
    if (error) {
        snprintf(run->message, sizeof run->message,
                 "--source %s: cannot be made ready: %s; give another source, or a smaller --n",
                 sources[settings->source], strerror(-error));
        return APP_FAILED;
    }
    enum app_outcome outcome = fetch_all(run, settings, &job);
    source_close(&source);
    return outcome;
}

const struct twill_app mapreduce_app = {
    .name = "mapreduce",
    .summary = "values that are far away: each leaf fetches one and computes, all are summed",
    .options = options,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
};

// SPDX-License-Identifier: Apache-2.0
// `twill run sieve`.
#include <stdlib.h>
#include <string.h>

#include <twill/twill.h>

#include "apps/app.h"
#include "apps/sieve/sieve.h"

struct settings {
    uint64_t primes, filters;
};

static const struct cli_option options[] = {
    {"primes", "COUNT", "how many primes are found (100000)", CLI_COUNT,
     offsetof(struct settings, primes), 1, SIEVE_PRIMES_MAX, NULL},
    {"filters", "COUNT", "primes by which a stage of the pipeline filters (8)", CLI_COUNT,
     offsetof(struct settings, filters), 1, SIEVE_STAGE_MAX, NULL},
    {.name = NULL},
};

static void defaults(void *settings)
{
    *(struct settings *)settings = (struct settings){.primes = 100000, .filters = 8};
}

static int check(struct app_run *run, const struct sieve *job)
{
    uint32_t *expected = malloc(job->count * sizeof *expected);
    bool made = expected && sieve_plain(expected, job->count);
    run->checked = APP_CHECK_ORACLE;
    run->verified = made && memcmp(expected, job->prime, job->count * sizeof *expected) == 0;
    free(expected);
    return made ? 0 : TW_ENOMEM;
}

static enum app_outcome find(struct app_run *run, struct sieve *job)
{
    app_start(run);
    int error = 0;
    if (!run->sequential)
        error = sieve_network(run->options, job);
    else if (!sieve_plain(job->prime, job->count))
        error = TW_ENOMEM;
    if (app_stop(run, error) != APP_DONE)
        return APP_FAILED;

    run->parameters[0] = (struct app_fact){.name = "primes", .count = job->count};
    if (!run->sequential) {
        run->parameters[1] = (struct app_fact){.name = "filters", .count = job->filters};
        run->parameters[2] = (struct app_fact){.name = "stages", .count = job->stages};
    }
    run->results[0] = (struct app_fact){.name = "last_prime", .count = job->prime[job->count - 1]};
    run->work = run->parameters[0];
    run->checked = APP_CHECK_NONE;
    run->error = run->check == APP_CHECK_NONE ? 0 : check(run, job);
    return run->error ? APP_FAILED : APP_DONE;
}

static enum app_outcome run(const void *given, struct app_run *run)
{
    const struct settings *settings = given;
    struct sieve job = {.count = (uint32_t)settings->primes,
                        .filters = (uint32_t)settings->filters,
                        .wake = app_wake(run),
                        .prime = calloc(settings->primes, sizeof *job.prime)};
    enum app_outcome outcome = APP_FAILED;
    run->error = TW_ENOMEM;
    if (job.prime)
        outcome = find(run, &job);
    free(job.prime);
    return outcome;
}

const struct twill_app sieve_app = {
    .name = "sieve",
    .summary = "the first primes, by a pipeline of processes that filter numbers",
    .options = options,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
};

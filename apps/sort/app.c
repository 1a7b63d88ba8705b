// SPDX-License-Identifier: Apache-2.0
// `twill run sort`.
#include "apps/app.h"
#include "apps/sort/sort.h"

#include <stdlib.h>
#include <string.h>
#include <twill/twill.h>

struct settings {
    uint64_t n, seed;
    unsigned pattern;
};

static const char *const patterns[] = {"random", "sorted", "reversed", "equal", NULL};

// The runtime has a --seed of its own.
static const struct cli_option options[] = {
    {"n", "N", "keys to sort (10000000)", CLI_COUNT, offsetof(struct settings, n), 0, SORT_N_MAX,
     NULL},
    {"data-seed", "S", "seed of the keys (1)", CLI_COUNT, offsetof(struct settings, seed), 0, 1e15,
     NULL},
    {"pattern", NULL, "the order of the keys before they are sorted (random)", CLI_CHOICE,
     offsetof(struct settings, pattern), 0, 0, patterns},
    {.name = NULL},
};

static void defaults(void *settings)
{
    *(struct settings *)settings =
        (struct settings){.n = 10000000, .seed = 1, .pattern = SORT_RANDOM};
}

// Fills the arrays before the run, and has every page of them there.
static int prepare(const struct settings *settings, uint64_t **keys, uint64_t **scratch)
{
    size_t n = settings->n, bytes = n * sizeof **keys + 1;
    *keys = malloc(bytes);
    *scratch = malloc(bytes);
    if (!*keys || !*scratch)
        return TW_ENOMEM;
    sort_fill(*keys, n, (enum sort_pattern)settings->pattern, settings->seed);
    memset(*scratch, 0, bytes);
    return 0;
}

// In order and with the same checksum as before; and what the sequential program finds, unless that
// is what ran.
static int check(struct app_run *run, const struct settings *settings, const uint64_t *keys)
{
    uint64_t *expected = NULL, *scratch = NULL;
    size_t n = settings->n;
    if (run->check == APP_CHECK_NONE) {
        run->checked = APP_CHECK_NONE;
        return 0;
    }
    int error = prepare(settings, &expected, &scratch);
    if (error == 0) {
        run->checked = APP_CHECK_ORACLE;
        run->verified =
            sort_is_sorted(keys, n) && sort_checksum(keys, n) == sort_checksum(expected, n);
        if (!run->sequential) {
            sort_sequential(expected, scratch, n);
            run->verified = run->verified && memcmp(keys, expected, n * sizeof *keys) == 0;
        }
    }
    free(expected);
    free(scratch);
    return error;
}

static enum app_outcome sort_once(const struct settings *settings, struct app_run *run,
                                  uint64_t *keys, uint64_t *scratch)
{
    int error = 0;
    app_start(run);
    if (run->sequential)
        sort_sequential(keys, scratch, settings->n);
    else
        error = sort_fork(run->options, keys, scratch, settings->n);
    if (app_stop(run, error) != APP_DONE)
        return APP_FAILED;

    run->parameters[0] = (struct app_fact){.name = "n", .count = settings->n};
    run->parameters[1] = (struct app_fact){.name = "data_seed", .count = settings->seed};
    run->parameters[2] = (struct app_fact){.name = "pattern", .text = patterns[settings->pattern]};
    run->results[0] =
        (struct app_fact){.name = "checksum", .count = sort_checksum(keys, settings->n)};
    run->work = (struct app_fact){.name = "keys", .count = settings->n};
    run->error = check(run, settings, keys);
    return run->error ? APP_FAILED : APP_DONE;
}

static enum app_outcome run(const void *given, struct app_run *run)
{
    const struct settings *settings = given;
    uint64_t *keys = NULL, *scratch = NULL;
    enum app_outcome outcome = APP_FAILED;
    run->error = prepare(settings, &keys, &scratch);
    if (run->error == 0)
        outcome = sort_once(settings, run, keys, scratch);
    free(keys);
    free(scratch);
    return outcome;
}

const struct twill_app sort_app = {
    .name = "sort",
    .summary = "merge sort of 64-bit keys, a task for each half and for each part of a merge",
    .options = options,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
};

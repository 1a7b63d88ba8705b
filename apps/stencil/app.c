// SPDX-License-Identifier: Apache-2.0
// `twill run stencil`.
#include <string.h>

#include <twill/twill.h>

#include "apps/app.h"
#include "apps/stencil/stencil.h"

struct settings {
    uint64_t n;
    uint64_t sweeps;
};

static const struct cli_option options[] = {
    {"n", "N", "rows and columns of the grid (1000)", CLI_COUNT, offsetof(struct settings, n), 3,
     STENCIL_N_MAX, NULL},
    {"sweeps", "COUNT", "how often every point is computed anew (100)", CLI_COUNT,
     offsetof(struct settings, sweeps), 1, STENCIL_SWEEPS_MAX, NULL},
    {.name = NULL},
};

static void defaults(void *settings)
{
    *(struct settings *)settings = (struct settings){.n = 1000, .sweeps = 100};
}

static int check(struct app_run *run, const struct stencil *found, size_t sweeps)
{
    struct stencil plain;
    if (!stencil_make(&plain, found->n))
        return TW_ENOMEM;
    stencil_plain(&plain, sweeps);
    run->checked = APP_CHECK_ORACLE;
    run->verified = memcmp(plain.now, found->now, found->n * found->n * sizeof *found->now) == 0;
    stencil_free(&plain);
    return 0;
}

static enum app_outcome relax(struct app_run *run, struct stencil *s, size_t sweeps)
{
    int error = 0;
    app_start(run);
    if (run->sequential)
        stencil_sequential(s, sweeps);
    else
        error = stencil_loop(run->options, s, sweeps);
    if (app_stop(run, error) != APP_DONE)
        return APP_FAILED;

    run->parameters[0] = (struct app_fact){.name = "n", .count = s->n};
    run->parameters[1] = (struct app_fact){.name = "sweeps", .count = sweeps};
    run->results[0] = (struct app_fact){.name = "checksum", .count = stencil_checksum(s)};
    run->work = (struct app_fact){.name = "points", .count = sweeps * (s->n - 2) * (s->n - 2)};
    run->checked = APP_CHECK_NONE;
    run->error = run->check == APP_CHECK_NONE ? 0 : check(run, s, sweeps);
    return run->error ? APP_FAILED : APP_DONE;
}

static enum app_outcome run(const void *given, struct app_run *run)
{
    const struct settings *settings = given;
    struct stencil s;
    if (!stencil_make(&s, settings->n)) {
        run->error = TW_ENOMEM;
        return APP_FAILED;
    }
    enum app_outcome outcome = relax(run, &s, settings->sweeps);
    stencil_free(&s);
    return outcome;
}

const struct twill_app stencil_app = {
    .name = "stencil",
    .summary = "sweeps of Jacobi's method over a square grid, a loop over the rows in each",
    .options = options,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
};

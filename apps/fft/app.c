// SPDX-License-Identifier: Apache-2.0
// `twill run fft`.
#include "apps/app.h"
#include "apps/fft/fft.h"

#include <stdlib.h>
#include <twill/twill.h>

struct settings {
    uint64_t log2n, seed;
};

// Tasks only divide what the sequential program does, so that rounding is the same or nearly so.
#define DISTANCE_MAX 1e-9

// The runtime has a --seed of its own.
static const struct cli_option options[] = {
    {"log2n", "K", "2^K complex numbers are transformed (20)", CLI_COUNT,
     offsetof(struct settings, log2n), 0, FFT_LOG2N_MAX, NULL},
    {"data-seed", "S", "seed of the numbers (1)", CLI_COUNT, offsetof(struct settings, seed), 0,
     1e15, NULL},
    {.name = NULL},
};

static void defaults(void *settings)
{
    *(struct settings *)settings = (struct settings){.log2n = 20, .seed = 1};
}

// The transform of the same input by the sequential program, unless that is what ran; and the way
// back, which leaves the input in `x`.
static int check(struct app_run *run, const struct fft_plan *plan, struct fft_number *x,
                 uint64_t seed)
{
    run->checked = run->check == APP_CHECK_NONE ? APP_CHECK_NONE : APP_CHECK_ORACLE;
    if (run->checked == APP_CHECK_NONE)
        return 0;
    run->verified = true;
    if (!run->sequential) {
        struct fft_number *expected = malloc(plan->n * sizeof *expected);
        if (!expected)
            return TW_ENOMEM;
        fft_fill(expected, plan->n, seed);
        fft_sequential(plan, expected);
        run->verified = fft_distance(x, expected, plan->n) <= DISTANCE_MAX;
        free(expected);
    }
    run->verified = fft_returns(plan, x, seed) && run->verified;
    return 0;
}

static enum app_outcome transform(const struct settings *settings, struct app_run *run,
                                  const struct fft_plan *plan, struct fft_number *x)
{
    int error = 0;
    fft_fill(x, plan->n, settings->seed);
    app_start(run);
    if (run->sequential)
        fft_sequential(plan, x);
    else
        error = fft_fork(run->options, plan, x);
    if (app_stop(run, error) != APP_DONE)
        return APP_FAILED;

    run->parameters[0] = (struct app_fact){.name = "log2n", .count = plan->log2n};
    run->parameters[1] = (struct app_fact){.name = "data_seed", .count = settings->seed};
    run->results[0] = (struct app_fact){.name = "numbers", .count = plan->n};
    run->work = (struct app_fact){.name = "butterflies", .count = plan->n / 2 * plan->log2n};
    run->error = check(run, plan, x, settings->seed);
    return run->error ? APP_FAILED : APP_DONE;
}

static enum app_outcome run(const void *given, struct app_run *run)
{
    const struct settings *settings = given;
    struct fft_plan plan;
    enum app_outcome outcome = APP_FAILED;
    run->error = TW_ENOMEM;
    if (!fft_plan_make(&plan, (unsigned)settings->log2n))
        return APP_FAILED;
    struct fft_number *x = malloc(plan.n * sizeof *x);
    if (x)
        outcome = transform(settings, run, &plan, x);
    free(x);
    fft_plan_free(&plan);
    return outcome;
}

const struct twill_app fft_app = {
    .name = "fft",
    .summary = "fast Fourier transform, a task for each half and loops of butterflies above",
    .options = options,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
};

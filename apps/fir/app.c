// SPDX-License-Identifier: Apache-2.0
// `twill run fir`.
#include <string.h>

#include <twill/twill.h>

#include "apps/app.h"
#include "apps/fir/fir.h"

struct settings {
    uint64_t blocks, log2n, stages, taps, lanes;
};

static const struct cli_option options[] = {
    {"blocks", "COUNT", "blocks of samples that are transformed (512)", CLI_COUNT,
     offsetof(struct settings, blocks), 1, 1e6, NULL},
    {"log2n", "K", "2^K samples are a block (10)", CLI_COUNT, offsetof(struct settings, log2n),
     FIR_LOG2N_LEAST, FIR_LOG2N_MAX, NULL},
    {"stages", "COUNT", "filters, one after the other (4)", CLI_COUNT,
     offsetof(struct settings, stages), 0, FIR_STAGES_MAX, NULL},
    {"taps", "COUNT", "coefficients of each filter (64)", CLI_COUNT,
     offsetof(struct settings, taps), 1, FIR_TAPS_MAX, NULL},
    {"lanes", "COUNT", "processes that transform blocks in turn (2)", CLI_COUNT,
     offsetof(struct settings, lanes), 1, FIR_LANES_MAX, NULL},
    {.name = NULL},
};

static void defaults(void *settings)
{
    *(struct settings *)settings =
        (struct settings){.blocks = 512, .log2n = 10, .stages = 4, .taps = 64, .lanes = 2};
}

static int check(struct app_run *run, const struct fir *job)
{
    struct fir plain = *job;
    int error = fir_make(&plain) ? fir_sequential(&plain) : TW_ENOMEM;
    run->checked = APP_CHECK_ORACLE;
    run->verified = !error && plain.digest == job->digest &&
                    memcmp(plain.power, job->power, plain.plan.n * sizeof *plain.power) == 0;
    fir_free(&plain);
    return error;
}

static enum app_outcome transform(struct app_run *run, struct fir *job)
{
    app_start(run);
    int error = run->sequential ? fir_sequential(job) : fir_network(run->options, job);
    if (app_stop(run, error) != APP_DONE)
        return APP_FAILED;

    run->parameters[0] = (struct app_fact){.name = "blocks", .count = job->blocks};
    run->parameters[1] = (struct app_fact){.name = "log2n", .count = job->log2n};
    run->parameters[2] = (struct app_fact){.name = "stages", .count = job->stages};
    run->parameters[3] = (struct app_fact){.name = "taps", .count = job->taps};
    if (!run->sequential)
        run->parameters[4] = (struct app_fact){.name = "lanes", .count = job->lanes};
    run->results[0] = (struct app_fact){.name = "digest", .count = job->digest};
    run->work = (struct app_fact){.name = "samples", .count = job->blocks * job->plan.n};
    run->checked = APP_CHECK_NONE;
    run->error = run->check == APP_CHECK_NONE ? 0 : check(run, job);
    return run->error ? APP_FAILED : APP_DONE;
}

static enum app_outcome run(const void *given, struct app_run *run)
{
    const struct settings *settings = given;
    struct fir job = {.blocks = (uint32_t)settings->blocks,
                      .log2n = (uint32_t)settings->log2n,
                      .stages = (uint32_t)settings->stages,
                      .taps = (uint32_t)settings->taps,
                      .lanes = (uint32_t)settings->lanes,
                      .wake = app_wake(run)};
    enum app_outcome outcome = APP_FAILED;
    run->error = TW_ENOMEM;
    if (fir_make(&job))
        outcome = transform(run, &job);
    fir_free(&job);
    return outcome;
}

const struct twill_app fir_app = {
    .name = "fir",
    .summary = "a signal through a pipeline of filters and Fourier transforms, a process each",
    .options = options,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
};

// SPDX-License-Identifier: Apache-2.0
// `twill run tce`.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twill/twill.h>

#include "apps/tce/tce.h"

struct settings {
    uint64_t tile, shrink, iterations;
    const char *balance;
    unsigned multiply;
    bool has_nulls, is_kept;
};

enum { MULTIPLY_AUTO, MULTIPLY_BLAS, MULTIPLY_LOOP };
static const char *const ways[] = {"auto", "blas", "loop", NULL};

#define LOOP_TILE_MAX 4 // a call of BLAS takes longer than our loop up to here

#define AT(field) offsetof(struct settings, field)

static const struct cli_option options[] = {
    {"tile", "N", "length of tiles, 20 in the paper; blocks scale alike (4)", CLI_COUNT, AT(tile),
     1, TCE_TILE_MAX, NULL},
    {"shrink", "N", "blocks of i, j, k and l so many times shorter: fewer tiles (1)", CLI_COUNT,
     AT(shrink), 1, 100, NULL},
    {"iterations", "N", "how often the contraction is made (5)", CLI_COUNT, AT(iterations), 1,
     10000, NULL},
    {"balance", "NAMES", ITERATIONS_BALANCE_HELP, CLI_TEXT, AT(balance), 0, 0, NULL},
    {"nulls", NULL, "tiles that are zero are tasks too, until that is seen; always with steal-all",
     CLI_FLAG, AT(has_nulls), 0, 0, NULL},
    {"keep", NULL, "keep C, in global memory, and not its checksums alone", CLI_FLAG, AT(is_kept),
     0, 0, NULL},
    {"multiply", NULL,
     "products of tiles: by BLAS, or by a loop, which is faster for tiles up to 4 (auto)",
     CLI_CHOICE, AT(multiply), 0, 0, ways},
    {.name = NULL},
};

static void defaults(void *settings)
{
    *(struct settings *)settings =
        (struct settings){.tile = 4, .shrink = 1, .iterations = 5, .balance = "retentive"};
}

struct job {
    struct tce tce;
    struct iterations_balances balances;
    struct iterations iterations;
    struct linear linear;
};

static bool open_linear(const struct settings *settings, struct app_run *run, struct job *job)
{
    bool is_small = settings->tile <= LOOP_TILE_MAX;
    if (settings->multiply == MULTIPLY_LOOP || (settings->multiply == MULTIPLY_AUTO && is_small))
        return true;
    if (linear_open(&job->linear, NULL, run->message, sizeof run->message))
        job->tce.linear = &job->linear;
    else if (settings->multiply == MULTIPLY_BLAS)
        return false;
    run->message[0] = '\0';
    return true;
}

static enum app_outcome prepare(const struct settings *settings, struct app_run *run,
                                struct job *job)
{
    memset(job, 0, sizeof *job);
    if (!iterations_read(&job->balances, settings->balance, run->message, sizeof run->message))
        return APP_REFUSED;
    if (!open_linear(settings, run, job))
        return APP_FAILED;
    job->iterations.balances = &job->balances;
    job->iterations.count = (unsigned)settings->iterations;
    job->tce.has_nulls = settings->has_nulls;
    job->tce.is_kept = settings->is_kept;
    job->tce.is_plain = run->sequential;
    tce_shape_make(&job->tce.shape, (uint32_t)settings->tile, (uint32_t)settings->shrink);
    run->error = tce_make(&job->tce);
    return run->error ? APP_FAILED : APP_DONE;
}

static void release(struct job *job)
{
    iterations_free(&job->iterations);
    tce_free(&job->tce);
    if (job->tce.linear)
        linear_close(&job->linear);
}

static void fill_facts(struct app_run *run, const struct settings *settings, const struct job *job)
{
    const struct tce_shape *shape = &job->tce.shape;
    struct app_fact *parameter = run->parameters, *result = run->results;
    uint64_t checksum = 0;
    for (uint32_t tile = 0; tile < shape->pairs * shape->pairs; tile++)
        checksum += job->tce.found[tile];
    *parameter++ = (struct app_fact){.name = "tile", .count = settings->tile};
    *parameter++ = (struct app_fact){.name = "outer_tiles", .count = shape->outer_tiles};
    *parameter++ = (struct app_fact){.name = "inner_tiles", .count = shape->inner_tiles};
    *parameter++ = (struct app_fact){.name = "multiply",
                                     .text = job->tce.linear ? job->linear.library : "loop"};
    *result++ = (struct app_fact){.name = "contractions", .count = shape->tasks};
    *result++ = (struct app_fact){.name = "checksum", .count = checksum};
    run->work =
        (struct app_fact){.name = "flops", .count = 2 * shape->products * job->tce.processes};
    run->checked = APP_CHECK_NONE;
    if (!run->sequential)
        iterations_facts(&job->iterations, result);
}

static enum app_outcome measure(const struct settings *settings, struct app_run *run,
                                struct job *job)
{
    app_start(run);
    int error = run->sequential ? tce_sequential(&job->tce, (unsigned)settings->iterations)
                                : tce_collections(run->options, &job->tce, &job->iterations);
    if (app_stop(run, error) != APP_DONE)
        return APP_FAILED;
    fill_facts(run, settings, job);
    if (!run->sequential)
        run->error = iterations_table(&job->iterations, &run->table);
    if (!run->error && run->check != APP_CHECK_NONE) {
        run->checked = APP_CHECK_ORACLE;
        run->error = tce_check(&job->tce, &run->verified);
    }
    return run->error ? APP_FAILED : APP_DONE;
}

static enum app_outcome run(const void *settings, struct app_run *run)
{
    struct job job;
    enum app_outcome outcome = prepare(settings, run, &job);
    if (outcome == APP_DONE)
        outcome = measure(settings, run, &job);
    release(&job);
    return outcome;
}

const struct twill_app tce_app = {
    .name = "tce",
    .summary = "a contraction of tensors that are sparse by blocks, a task for each tile",
    .options = options,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
};

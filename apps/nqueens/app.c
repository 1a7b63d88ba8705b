// SPDX-License-Identifier: Apache-2.0
// `twill run nqueens`.
#include <twill/place.h>

#include "apps/app.h"
#include "apps/nqueens/nqueens.h"

// Larger boards are compared with the table: the oracle would need most of a minute and more.
#define ORACLE_N_MAX 16

struct settings {
    uint64_t n;
    uint64_t cutoff;
};

static const struct cli_option options[] = {
    {"n", "N", "queens, and rows and columns of the board (14)", CLI_COUNT,
     offsetof(struct settings, n), 1, NQUEENS_N_MAX, NULL},
    {"cutoff", "ROWS", "rows whose queens are tasks; below, the search is sequential (6)",
     CLI_COUNT, offsetof(struct settings, cutoff), 0, NQUEENS_N_MAX, NULL},
    {.name = NULL},
};

static void defaults(void *settings)
{
    *(struct settings *)settings = (struct settings){.n = 14, .cutoff = 6};
}

static void check(struct app_run *run, unsigned n, uint64_t solutions)
{
    bool known = nqueens_known(n) >= 0;
    run->checked = run->check;
    if (run->check == APP_CHECK_AUTO)
        run->checked = n <= ORACLE_N_MAX && !run->sequential ? APP_CHECK_ORACLE : APP_CHECK_TABLE;
    if (run->checked == APP_CHECK_TABLE && !known)
        run->checked = APP_CHECK_NONE;
    if (run->checked == APP_CHECK_NONE)
        return;
    run->verified = run->checked == APP_CHECK_TABLE || solutions == nqueens_sequential(n);
    if (known && solutions != (uint64_t)nqueens_known(n))
        run->verified = false;
}

static enum app_outcome run(const void *given, struct app_run *run)
{
    const struct settings *settings = given;
    unsigned n = (unsigned)settings->n, cutoff = (unsigned)settings->cutoff;
    uint64_t solutions = 0;
    int error = 0;
    app_start(run);
    if (run->sequential)
        solutions = nqueens_sequential(n);
    else
        error = (tw_places() > 1 ? nqueens_any : nqueens_fork)(run->options, n, cutoff, &solutions);
    if (app_stop(run, error) != APP_DONE)
        return APP_FAILED;

    run->parameters[0] = (struct app_fact){.name = "n", .count = n};
    if (!run->sequential)
        run->parameters[1] = (struct app_fact){.name = "cutoff", .count = cutoff};
    run->results[0] = (struct app_fact){.name = "solutions", .count = solutions};
    run->work = run->results[0];
    check(run, n, solutions);
    return APP_DONE;
}

const struct twill_app nqueens_app = {
    .name = "nqueens",
    .summary = "the ways to place n queens on a board of n by n, a task for each queen placed",
    .options = options,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
    .so_far = nqueens_so_far,
    .counted = "solutions",
};

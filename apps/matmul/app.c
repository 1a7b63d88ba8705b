// SPDX-License-Identifier: Apache-2.0
// `twill run matmul`.
#include <stdlib.h>
#include <string.h>

#include <twill/twill.h>

#include "apps/app.h"
#include "apps/matmul/matmul.h"

struct settings {
    uint64_t n;
};

static const struct cli_option options[] = {
    {"n", "N", "rows and columns of the matrices (1024)", CLI_COUNT, offsetof(struct settings, n),
     1, MATMUL_N_MAX, NULL},
    {.name = NULL},
};

static void defaults(void *settings)
{
    *(struct settings *)settings = (struct settings){.n = 1024};
}

// The product is there already; three plain loops make it again.
static int check(struct app_run *run, struct matmul *m)
{
    size_t size = m->stride * m->stride * sizeof *m->c;
    double *found = malloc(size);
    if (!found)
        return TW_ENOMEM;
    memcpy(found, m->c, size);
    matmul_plain(m);
    run->checked = APP_CHECK_ORACLE;
    run->verified = memcmp(found, m->c, size) == 0 && matmul_checksum(m) == matmul_expected(m);
    free(found);
    return 0;
}

static enum app_outcome multiply(struct app_run *run, struct matmul *m)
{
    int error = 0;
    app_start(run);
    if (run->sequential)
        matmul_sequential(m);
    else
        error = matmul_loop(run->options, m);
    if (app_stop(run, error) != APP_DONE)
        return APP_FAILED;

    run->parameters[0] = (struct app_fact){.name = "n", .count = m->n};
    run->results[0] = (struct app_fact){.name = "checksum", .count = matmul_checksum(m)};
    run->work = (struct app_fact){.name = "operations", .count = 2 * m->n * m->n * m->n};
    run->checked = APP_CHECK_NONE;
    run->error = run->check == APP_CHECK_NONE ? 0 : check(run, m);
    return run->error ? APP_FAILED : APP_DONE;
}

static enum app_outcome run(const void *given, struct app_run *run)
{
    const struct settings *settings = given;
    struct matmul m;
    if (!matmul_make(&m, settings->n)) {
        run->error = TW_ENOMEM;
        return APP_FAILED;
    }
    enum app_outcome outcome = multiply(run, &m);
    matmul_free(&m);
    return outcome;
}

const struct twill_app matmul_app = {
    .name = "matmul",
    .summary = "the product of two square matrices, a loop over tiles of 64 by 64",
    .options = options,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
};

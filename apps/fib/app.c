// SPDX-License-Identifier: Apache-2.0
// `twill run fib`.
#include "apps/app.h"
#include "apps/fib/fib.h"

enum style { STYLE_FORK, STYLE_ASYNC };

struct settings {
    uint64_t n;
    unsigned style;
};

static const char *const styles[] = {"fork", "async", NULL};

static const struct cli_option options[] = {
    {"n", "N", "which Fibonacci number (35)", CLI_COUNT, offsetof(struct settings, n), 0, FIB_N_MAX,
     NULL},
    {"style", NULL, "fork and join, or async and finish (fork)", CLI_CHOICE,
     offsetof(struct settings, style), 0, 0, styles},
    {.name = NULL},
};

static void defaults(void *settings)
{
    *(struct settings *)settings = (struct settings){.n = 35, .style = STYLE_FORK};
}

static enum app_outcome run(const void *given, struct app_run *run)
{
    const struct settings *settings = given;
    unsigned n = (unsigned)settings->n;
    uint64_t value = 0;
    int error = 0;
    app_start(run);
    if (run->sequential)
        value = fib_recursive(n);
    else if (settings->style == STYLE_FORK)
        error = fib_fork(run->options, n, &value);
    else
        error = fib_async(run->options, n, &value);
    if (app_stop(run, error) != APP_DONE)
        return APP_FAILED;

    run->parameters[0] = (struct app_fact){.name = "n", .count = n};
    if (!run->sequential)
        run->parameters[1] = (struct app_fact){.name = "style", .text = styles[settings->style]};
    run->results[0] = (struct app_fact){.name = "value", .count = value};
    run->work = (struct app_fact){.name = "calls", .count = fib_calls(n)};
    run->checked = run->check == APP_CHECK_NONE ? APP_CHECK_NONE : APP_CHECK_ORACLE;
    run->verified = run->checked == APP_CHECK_ORACLE && value == fib_value(n);
    return APP_DONE;
}

const struct twill_app fib_app = {
    .name = "fib",
    .summary = "Fibonacci numbers by recursion, a task for each call: the cost of a task",
    .options = options,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
};

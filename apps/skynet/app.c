// SPDX-License-Identifier: Apache-2.0
// `twill run skynet`.
#include "apps/app.h"
#include "apps/skynet/skynet.h"

#include <inttypes.h>
#include <stdio.h>

enum style { STYLE_FORK, STYLE_ASYNC };

struct settings {
    uint64_t leaves;
    unsigned style;
};

static const char *const styles[] = {"fork", "async", NULL};

static const struct cli_option options[] = {
    {"leaves", "N", "leaves of the tree, a power of ten (1000000)", CLI_COUNT,
     offsetof(struct settings, leaves), 1, SKYNET_LEAVES_MAX, NULL},
    {"style", NULL, "fork and join, or async and finish (fork)", CLI_CHOICE,
     offsetof(struct settings, style), 0, 0, styles},
    {.name = NULL},
};

static void defaults(void *settings)
{
    *(struct settings *)settings = (struct settings){.leaves = 1000000, .style = STYLE_FORK};
}

// The formula knows every sum; the recursion is asked as well where that was not what ran.
static void check(struct app_run *run, uint64_t leaves, uint64_t sum)
{
    run->checked = run->check;
    if (run->check == APP_CHECK_AUTO)
        run->checked = run->sequential ? APP_CHECK_TABLE : APP_CHECK_ORACLE;
    if (run->checked == APP_CHECK_NONE)
        return;
    run->verified = sum == skynet_sum(leaves);
    if (run->checked == APP_CHECK_ORACLE)
        run->verified = run->verified && sum == skynet_sequential(leaves);
}

static enum app_outcome run(const void *given, struct app_run *run)
{
    const struct settings *settings = given;
    uint64_t leaves = settings->leaves, sum = 0;
    int error = 0;
    if (!skynet_is_whole(leaves)) {
        snprintf(run->message, sizeof run->message,
                 "--leaves does not accept '%" PRIu64 "': give a power of ten from 1 to %d", leaves,
                 SKYNET_LEAVES_MAX);
        return APP_REFUSED;
    }
    app_start(run);
    if (run->sequential)
        sum = skynet_sequential(leaves);
    else if (settings->style == STYLE_FORK)
        error = skynet_fork(run->options, leaves, &sum);
    else
        error = skynet_async(run->options, leaves, &sum);
    if (app_stop(run, error) != APP_DONE)
        return APP_FAILED;

    run->parameters[0] = (struct app_fact){.name = "leaves", .count = leaves};
    if (!run->sequential)
        run->parameters[1] = (struct app_fact){.name = "style", .text = styles[settings->style]};
    run->results[0] = (struct app_fact){.name = "sum", .count = sum};
    run->work = (struct app_fact){.name = "nodes", .count = skynet_nodes(leaves)};
    check(run, leaves, sum);
    return APP_DONE;
}

const struct twill_app skynet_app = {
    .name = "skynet",
    .summary = "the sum of the leaves of a tree of ten children a node, a task for each node",
    .options = options,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
};

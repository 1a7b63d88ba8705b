// SPDX-License-Identifier: Apache-2.0
// `twill run knapsack`.
#include "apps/app.h"
#include "apps/knapsack/knapsack.h"

#include <twill/twill.h>

struct settings {
    uint64_t items, seed, cutoff;
    double ratio;
};

#define AT(field) offsetof(struct settings, field)

// The runtime has a --seed of its own.
static const struct cli_option options[] = {
    {"items", "N", "items to choose from (40)", CLI_COUNT, AT(items), 1, KNAPSACK_ITEMS_MAX, NULL},
    {"capacity", "RATIO", "the capacity, as a part of the weight of all items (0.2)", CLI_REAL,
     AT(ratio), 0, 1, NULL},
    {"data-seed", "S", "seed of the items (1)", CLI_COUNT, AT(seed), 0, 1e15, NULL},
    {"cutoff", "ITEMS", "the last items, which are searched sequentially (12)", CLI_COUNT,
     AT(cutoff), 0, KNAPSACK_ITEMS_MAX, NULL},
    {.name = NULL},
};

static void defaults(void *settings)
{
    *(struct settings *)settings =
        (struct settings){.items = 40, .seed = 1, .cutoff = 12, .ratio = 0.2};
}

static enum app_outcome run(const void *given, struct app_run *run)
{
    const struct settings *settings = given;
    struct knapsack knapsack;
    struct knapsack_found found = {0};
    uint64_t known;
    int error = 0;
    knapsack_fill(&knapsack, (unsigned)settings->items, settings->ratio, settings->seed);
    app_start(run);
    if (run->sequential)
        knapsack_sequential(&knapsack, &found);
    else
        error = knapsack_fork(run->options, &knapsack, (unsigned)settings->cutoff, &found);
    if (app_stop(run, error) != APP_DONE)
        return APP_FAILED;

    run->parameters[0] = (struct app_fact){.name = "items", .count = settings->items};
    run->parameters[1] = (struct app_fact){.name = "data_seed", .count = settings->seed};
    run->parameters[2] = (struct app_fact){.name = "capacity", .count = knapsack.capacity};
    if (!run->sequential)
        run->parameters[3] = (struct app_fact){.name = "cutoff", .count = settings->cutoff};
    run->results[0] = (struct app_fact){.name = "value", .count = found.value};
    run->results[1] = (struct app_fact){.name = "nodes", .count = found.nodes};
    run->work = run->results[1];
    run->checked = run->check == APP_CHECK_NONE ? APP_CHECK_NONE : APP_CHECK_ORACLE;
    if (run->checked == APP_CHECK_NONE)
        return APP_DONE;
    if (!knapsack_table(&knapsack, &known)) {
        run->error = TW_ENOMEM;
        return APP_FAILED;
    }
    run->verified = found.value == known;
    return APP_DONE;
}

const struct twill_app knapsack_app = {
    .name = "knapsack",
    .summary = "the most valuable choice of items by branch and bound, a task for each node",
    .options = options,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
};

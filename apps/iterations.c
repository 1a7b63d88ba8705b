// SPDX-License-Identifier: Apache-2.0
// See iterations.h.
#include "apps/iterations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twill/twill.h>

// ---- which balances ----

// The balance of that number; false: there are not so many.
static bool balance_at(unsigned number, enum tw_balance *balance)
{
    return tw_balance_find(tw_balance_name((enum tw_balance)number), balance) == 0;
}

bool iterations_find(enum tw_balance *balance, const char *name, char *message, size_t size)
{
    enum tw_balance known;
    if (tw_balance_find(name, balance) == 0)
        return true;
    int used = snprintf(message, size, "--balance does not know '%.40s': give", name);
    for (unsigned i = 0; balance_at(i, &known) && used >= 0 && (size_t)used < size; i++)
        used += snprintf(message + used, size - (size_t)used, "%s %s", i ? "," : "",
                         tw_balance_name(known));
    return false;
}

static bool read_all(struct iterations_balances *balances)
{
    while (balances->count < APP_GROUPS_MAX &&
           balance_at(balances->count, &balances->balance[balances->count]))
        balances->count++;
    return true;
}

bool iterations_read(struct iterations_balances *balances, const char *names, char *message,
                     size_t size)
{
    balances->count = 0;
    if (strcmp(names, "all") == 0)
        return read_all(balances);
    for (;; names++) {
        char name[64];
        size_t length = strcspn(names, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        if (balances->count == APP_GROUPS_MAX) {
            snprintf(message, size, "--balance takes %d names at most", APP_GROUPS_MAX);
            return false;
        }
        if (!iterations_find(&balances->balance[balances->count++], name, message, size))
            return false;
        names += length;
        if (*names == '\0')
            return true;
    }
}

// ---- the iterations ----

static int create_all(struct iterations *it, struct tw_collection **collections)
{
    int error = 0;
    for (unsigned i = 0; i < it->balances->count && !error; i++) {
        enum tw_balance balance = it->balances->balance[i];
        const struct tw_collection_options options = {
            .task_size = it->task_size, .balance = balance, .local = it->program};
        error = tw_collection_create(&collections[i], &options);
        if (!error)
            error = it->seed(it->program, collections[i], balance);
    }
    return error;
}

static int run_one(struct iterations *it, struct tw_collection *collection, unsigned iteration,
                   unsigned which)
{
    unsigned turn = iteration * it->balances->count + which, row = which * it->count + iteration;
    it->begin(it->program, iteration, turn);
    int error = tw_collection_process(collection);
    it->stats[row] = *tw_collection_stats(collection);
    uint64_t processed_ns = app_now_ns();
    if (!error)
        error = tw_collection_restore(collection);
    it->between_seconds[row] =
        it->stats[row].rebalance.seconds + (double)(app_now_ns() - processed_ns) / 1e9;
    return error || !it->end ? error : it->end(it->program, turn);
}

static int run_all(struct iterations *it)
{
    struct tw_collection *collections[APP_GROUPS_MAX] = {NULL};
    int error = create_all(it, collections);
    for (unsigned iteration = 0; iteration < it->count && !error; iteration++)
        for (unsigned i = 0; i < it->balances->count && !error; i++) {
            unsigned which = (iteration + i) % it->balances->count; // nobody is always the first
            error = run_one(it, collections[which], iteration, which);
        }
    for (unsigned which = 0; which < it->balances->count; which++)
        tw_collection_free(collections[which]);
    return error;
}

TW_TASK(all_iterations, { struct iterations *iterations; })
{
    int error = run_all(self.iterations);
    if (error)
        tw_fail(error);
}

int iterations_run(const struct tw_options *options, struct iterations *it)
{
    size_t rows = (size_t)it->balances->count * it->count;
    it->stats = calloc(rows, sizeof *it->stats);
    it->between_seconds = calloc(rows, sizeof *it->between_seconds);
    if (!it->stats || !it->between_seconds)
        return TW_ENOMEM;
    return tw_run_spmd_with(options, all_iterations, .iterations = it);
}

void iterations_free(struct iterations *it)
{
    free(it->stats);
    free(it->between_seconds);
}

// ---- how they went ----

double iterations_steady(const struct iterations *it, unsigned balance)
{
    unsigned first = it->count < ITERATIONS_STEADY ? it->count - 1 : ITERATIONS_STEADY - 1;
    double sum = 0;
    for (unsigned i = first; i < it->count; i++) {
        unsigned row = balance * it->count + i;
        sum += it->stats[row].seconds + it->between_seconds[row];
    }
    return sum / (it->count - first);
}

// The best of all but one.
static unsigned best_but(const struct iterations *it, unsigned but)
{
    unsigned best = but == 0 ? 1 : 0;
    for (unsigned i = best + 1; i < it->balances->count; i++)
        if (i != but && iterations_steady(it, i) < iterations_steady(it, best))
            best = i;
    return best;
}

unsigned iterations_best(const struct iterations *it)
{
    return best_but(it, it->balances->count);
}

// The index of `auto`; behind all others: it is not among them.
static unsigned find_auto(const struct iterations_balances *balances)
{
    unsigned i = 0;
    while (i < balances->count && balances->balance[i] != TW_BALANCE_AUTO)
        i++;
    return i;
}

struct app_fact *iterations_facts(const struct iterations *it, struct app_fact *result)
{
    unsigned best = iterations_best(it);
    *result++ =
        (struct app_fact){.name = "best", .text = tw_balance_name(it->balances->balance[best])};
    *result++ =
        (struct app_fact){.name = "steady", .real = iterations_steady(it, best), .digits = 6};
    unsigned count = it->balances->count, by_auto = find_auto(it->balances);
    if (count > 1 && by_auto < count)
        *result++ = (struct app_fact){.name = "auto_ratio",
                                      .real = iterations_steady(it, by_auto) /
                                              iterations_steady(it, best_but(it, by_auto)),
                                      .digits = 4};
    return result;
}

double *iterations_cells(double *cell, const struct tw_collection_stats *stats)
{
    const double cells[ITERATIONS_CELLS] = {
        stats->efficiency,        stats->imbalance,
        stats->attempted.mean,    stats->stole.mean,
        stats->stolen.mean,       (double)stats->rebalance.moved,
        stats->seconds,           stats->work.mean,
        stats->work.deviation,    stats->attempted.deviation,
        stats->stole.deviation,   stats->stolen.deviation,
        stats->rebalance.seconds, (double)stats->tasks,
        (double)stats->nulls,
    };
    memcpy(cell, cells, sizeof cells);
    return cell + ITERATIONS_CELLS;
}

int iterations_table(const struct iterations *it, struct app_table *table)
{
    static const struct app_column columns[] = {{.name = "seconds", .digits = 4},
                                                {.name = "between", .digits = 4},
                                                ITERATIONS_COLUMNS,
                                                {.name = NULL}};
    size_t rows = (size_t)it->balances->count * it->count;
    double *cell = malloc(rows * (ITERATIONS_CELLS + 2) * sizeof *cell);
    if (!cell)
        return TW_ENOMEM;
    *table = (struct app_table){
        .name = "iteration", .columns = columns, .rows = rows, .cells = cell, .group = "balance"};
    for (unsigned i = 0; i < it->balances->count; i++)
        table->groups[i] = tw_balance_name(it->balances->balance[i]);
    for (size_t row = 0; row < rows; row++) {
        *cell++ = it->stats[row].seconds;
        *cell++ = it->between_seconds[row];
        cell = iterations_cells(cell, &it->stats[row]);
    }
    return 0;
}

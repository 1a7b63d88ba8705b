// SPDX-License-Identifier: Apache-2.0
// Iterations over a task collection, for applications that compare balances: each balance has a
// collection of its own with the same seeds, and all of them run an iteration before any runs the
// next, so that they meet the same tasks at the same time. And the table of how each went.
#ifndef APPS_ITERATIONS_H
#define APPS_ITERATIONS_H

#include <twill/collection.h>

#include "apps/app.h"

#define ITERATIONS_STEADY 3 // from this one on a balance has learned what it can

// Of the option --balance.
#define ITERATIONS_BALANCE_HELP                                                                    \
    "how tasks come to workers: none, steal, steal-all, retentive, persist-central, "              \
    "persist-tree or auto; several with commas in between, or all, take turns (retentive)"

struct iterations_balances {
    unsigned count;
    enum tw_balance balance[APP_GROUPS_MAX];
};

// The balance of that name. False: there is none, and `message` says which there are.
bool iterations_find(enum tw_balance *balance, const char *name, char *message, size_t size);

// Those of several names with commas between them, or of "all". Likewise.
bool iterations_read(struct iterations_balances *balances, const char *names, char *message,
                     size_t size);

struct iterations {
    // in
    const struct iterations_balances *balances;
    unsigned count; // of iterations
    size_t task_size;
    void *program; // what the calls below get, and tw_collection_local gives
    // Adds the seeds of this place. 0 or a TW_E... code, which ends it.
    int (*seed)(void *program, struct tw_collection *collection, enum tw_balance balance);
    // Around each process, at each place, outside its time; `turn` counts them from 0.
    void (*begin)(void *program, unsigned iteration, unsigned turn);
    int (*end)(void *program, unsigned turn); // NULL: there is nothing to do
    // out
    // Of each balance `count`, one balance after the other.
    struct tw_collection_stats *stats;
    double *between_seconds; // until its seeds stood where the balance wants them
};

// All iterations. Collective, outside tasks. 0 or a TW_E... code.
int iterations_run(const struct tw_options *options, struct iterations *iterations);
void iterations_free(struct iterations *iterations);

// Seconds of an iteration from ITERATIONS_STEADY on, with what is between two, on average; of the
// last if there are fewer.
double iterations_steady(const struct iterations *iterations, unsigned balance);
// The balance, by its index, for which that is the least.
unsigned iterations_best(const struct iterations *iterations);

// Results: the best balance, its steady seconds, and those of `auto` over those of the best other
// one, where there are both. Returns what is behind them.
struct app_fact *iterations_facts(const struct iterations *iterations, struct app_fact *result);

// The columns of a table that tell how a process went: a macro, so that applications can put their
// own before them. Means and standard deviations are over workers.
// clang-format off
#define ITERATIONS_COLUMNS                                                                         \
    {.name = "efficiency", .digits = 3},                                                           \
    {.name = "imbalance", .digits = 3},                                                            \
    {.name = "attempted", .digits = 1},                                                            \
    {.name = "successful", .digits = 1},                                                           \
    {.name = "tasks_stolen", .digits = 1},                                                         \
    {.name = "tasks_moved"},                                                                       \
    {.name = "process_seconds", .detail = true},                                                   \
    {.name = "work_seconds", .detail = true},                                                      \
    {.name = "work_deviation", .detail = true},                                                    \
    {.name = "attempted_deviation", .detail = true},                                               \
    {.name = "successful_deviation", .detail = true},                                              \
    {.name = "tasks_stolen_deviation", .detail = true},                                            \
    {.name = "rebalance_seconds", .detail = true},                                                 \
    {.name = "tasks", .detail = true},                                                             \
    {.name = "nulls", .detail = true}
// clang-format on
#define ITERATIONS_CELLS 15

// Fills these columns of a row; returns what is behind them.
double *iterations_cells(double *cell, const struct tw_collection_stats *stats);

// A table of them, with seconds and those between two iterations. 0 or TW_ENOMEM.
int iterations_table(const struct iterations *iterations, struct app_table *table);

#endif

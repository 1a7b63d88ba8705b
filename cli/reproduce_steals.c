// SPDX-License-Identifier: Apache-2.0
// Figures 8 and 9 of the paper on persistence-based balancing, on this machine: attempted and
// successful steals of a worker in the first, second and fifth iteration of retentive stealing.
#include <stdio.h>

#include "cli/here.h"
#include "cli/json.h"
#include "cli/reproduce.h"

static const unsigned shown[] = {1, 2, 5};
enum { SHOWN = sizeof shown / sizeof shown[0] };

struct spread {
    double mean, deviation;
};

static struct spread spread_of(const struct run_table *run, unsigned iteration, const char *column)
{
    char deviation[RUN_TABLE_NAME];
    snprintf(deviation, sizeof deviation, "%s_deviation", column);
    return (struct spread){run_table_cell(run, iteration - 1, column),
                           run_table_cell(run, iteration - 1, deviation)};
}

static void put_row(struct reproduction *reproduction, int problem, int size,
                    const struct spread *spread)
{
    struct json *json = reproduction->json;
    if (!json) {
        printf("  %-8s %-20s", here_problem(problem), here_size(size));
        for (int i = 0; i < SHOWN; i++)
            printf(" %10.1f /%8.1f", spread[i].mean, spread[i].deviation);
        printf("\n");
        return;
    }
    for (int i = 0; i < SHOWN; i++) {
        json_object(json, NULL);
        json_text(json, "problem", here_problem(problem));
        json_text(json, "size", here_size(size));
        json_count(json, "iteration", shown[i]);
        json_real(json, "mean", spread[i].mean);
        json_real(json, "deviation", spread[i].deviation);
        json_close(json);
    }
}

// One worker alone has nobody to steal from.
static bool compute(struct here *here, struct spread spreads[HERE_PROBLEMS][HERE_SIZES][SHOWN],
                    const char *column)
{
    for (int problem = 0; problem < HERE_PROBLEMS; problem++)
        for (int size = 1; size < HERE_SIZES; size++) {
            if (!here_has(here, size))
                continue;
            const struct run_table *run = here_run(here, problem, size, HERE_RETENTIVE);
            for (int i = 0; run && i < SHOWN; i++)
                spreads[problem][size][i] = spread_of(run, shown[i], column);
            if (!run)
                return false;
        }
    return true;
}

static bool show(struct reproduction *reproduction, const char *name, const char *title,
                 const char *column)
{
    struct here *here = here_of(reproduction);
    struct spread spreads[HERE_PROBLEMS][HERE_SIZES][SHOWN];
    double first = 0, last = 0;
    if (!here || !compute(here, spreads, column))
        return false;
    reproduce_rows(reproduction, name, title);
    for (int problem = 0; problem < HERE_PROBLEMS; problem++)
        for (int size = 1; size < HERE_SIZES; size++)
            if (here_has(here, size)) {
                put_row(reproduction, problem, size, spreads[problem][size]);
                first += spreads[problem][size][0].mean;
                last += spreads[problem][size][SHOWN - 1].mean;
            }
    reproduce_claims(reproduction);
    reproduce_judge(reproduction, "fewer in iteration 5 than in iteration 1, in sum", last < first,
                    "%.1f in iteration 1, %.1f in iteration 5: between two workers it is mostly "
                    "the machine's noise that is stolen",
                    first, last);
    reproduce_close(reproduction);
    return true;
}

static bool run8(struct reproduction *reproduction)
{
    return show(reproduction, "figure8",
                "Figure 8: attempted steals of a worker / standard deviation, in iterations 1, 2 "
                "and 5 of retentive",
                "attempted");
}

static bool run9(struct reproduction *reproduction)
{
    return show(reproduction, "figure9",
                "Figure 9: successful steals of a worker / standard deviation, in iterations 1, 2 "
                "and 5 of retentive",
                "successful");
}

const struct reproduce_section reproduce_figure8 = {
    .name = "figure8",
    .summary = "attempted steals of retention, on this machine",
    .run = run8,
};

const struct reproduce_section reproduce_figure9 = {
    .name = "figure9",
    .summary = "successful steals of retention, on this machine",
    .run = run9,
};

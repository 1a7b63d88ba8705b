// SPDX-License-Identifier: Apache-2.0
// Figures 6 and 7 of the paper on persistence-based balancing, on this machine: the efficiency of
// each iteration by the tree balancer and by retentive stealing, against the best time of any
// scheme at any size of the problem.
#include <math.h>
#include <stdio.h>

#include "cli/here.h"
#include "cli/json.h"
#include "cli/reproduce.h"

#define STEADY 3   // from this iteration on a scheme has learned what it can
#define NOISE 0.03 // efficiencies that differ by less are taken for equal: runs do
#define GOOD 0.9   // what the paper reaches at its best points

static void print_row(const double *value, unsigned iterations, double tasks)
{
    for (unsigned i = 0; i < iterations; i++)
        printf(" %5.3f", value[i]);
    printf(" %9.0f\n", tasks);
}

static void write_row(struct json *json, const double *value, unsigned iterations, double tasks)
{
    json_real(json, "tasks", tasks);
    json_array(json, "efficiency");
    for (unsigned i = 0; i < iterations; i++)
        json_real(json, NULL, value[i]);
    json_close(json);
    json_close(json);
}

// What is claimed: the worst over problems and sizes of several cores.
struct findings {
    double first, steady; // efficiency of iteration 1; the mean from STEADY on
    double fall;          // by which the steady one is below the first
};

static void take(struct findings *found, const double *value, unsigned iterations)
{
    double sum = 0;
    for (unsigned i = STEADY - 1; i < iterations; i++)
        sum += value[i];
    double steady = sum / (iterations - STEADY + 1);
    found->fall = fmax(found->fall, value[0] - steady);
    found->first = fmin(found->first, value[0]);
    found->steady = fmin(found->steady, steady);
}

static bool put_row(struct reproduction *reproduction, struct here *here, int problem, int size,
                    enum here_scheme scheme, struct findings *found)
{
    double value[RUN_TABLE_ROWS], best = here_best(here, problem);
    unsigned iterations = here_iterations(here);
    const struct run_table *run = here_run(here, problem, size, scheme);
    if (!run || best == 0)
        return false;
    for (unsigned i = 0; i < iterations; i++)
        value[i] = best / (run_table_cell(run, i, HERE_SECONDS) * here_cores(size));
    double tasks = run_table_cell(run, iterations - 1, "tasks") / here_cores(size);
    if (here_cores(size) > 1)
        take(found, value, iterations);
    if (reproduction->json) {
        json_object(reproduction->json, NULL);
        json_text(reproduction->json, "problem", here_problem(problem));
        json_text(reproduction->json, "size", here_size(size));
        write_row(reproduction->json, value, iterations, tasks);
    } else {
        printf("  %-8s %-20s", here_problem(problem), here_size(size));
        print_row(value, iterations, tasks);
    }
    return true;
}

static bool show(struct reproduction *reproduction, const char *name, const char *title,
                 enum here_scheme scheme)
{
    struct here *here = here_of(reproduction);
    struct findings found = {1, 1, 0};
    bool done = here != NULL;
    // All runs come before the first line is printed.
    for (int problem = 0; done && problem < HERE_PROBLEMS; problem++)
        done = here_best(here, problem) > 0;
    if (!done)
        return false;
    reproduce_rows(reproduction, name, title);
    for (int problem = 0; done && problem < HERE_PROBLEMS; problem++)
        for (int size = 0; done && size < HERE_SIZES; size++)
            if (here_has(here, size))
                done = put_row(reproduction, here, problem, size, scheme, &found);
    reproduce_claims(reproduction);
    reproduce_judge(reproduction, "no worse from iteration 3 on than in the first, by stealing",
                    found.fall <= NOISE, "worse by up to %.1f points", 100 * found.fall);
    reproduce_judge(reproduction, "over 90 % from iteration 3 on", found.steady >= GOOD,
                    "%.1f %% at the worst (%.1f %% in iteration 1)", 100 * found.steady,
                    100 * found.first);
    reproduce_close(reproduction);
    return done;
}

static bool run6(struct reproduction *reproduction)
{
    return show(reproduction, "figure6",
                "Figure 6: efficiency of persist-tree, iteration by iteration, on this machine; "
                "and tasks of a core",
                HERE_PERSIST);
}

static bool run7(struct reproduction *reproduction)
{
    return show(reproduction, "figure7",
                "Figure 7: efficiency of retentive, iteration by iteration, on this machine; and "
                "tasks of a core",
                HERE_RETENTIVE);
}

const struct reproduce_section reproduce_figure6 = {
    .name = "figure6",
    .summary = "efficiency of persistence in each iteration, on this machine",
    .run = run6,
};

const struct reproduce_section reproduce_figure7 = {
    .name = "figure7",
    .summary = "efficiency of retention in each iteration, on this machine",
    .run = run7,
};

// SPDX-License-Identifier: Apache-2.0
// Figure 5 of the paper on persistence-based balancing, on this machine: how long the last
// iteration takes by each scheme, beside ideal scaling from one worker.
#include <math.h>
#include <stdio.h>

#include "cli/here.h"
#include "cli/json.h"
#include "cli/reproduce.h"

#define ALIKE 1.05 // times that differ by less are the same: runs differ so much

struct times {
    double seconds[HERE_PROBLEMS][HERE_SIZES][HERE_SCHEMES]; // NAN: not to be had here
};

static bool compute(struct here *here, struct times *times)
{
    for (int problem = 0; problem < HERE_PROBLEMS; problem++)
        for (int size = 0; size < HERE_SIZES; size++)
            for (int scheme = 0; scheme < HERE_SCHEMES; scheme++) {
                double *seconds = &times->seconds[problem][size][scheme];
                *seconds = NAN;
                if (!here_has(here, size))
                    continue;
                const struct run_table *run =
                    here_run(here, problem, size, (enum here_scheme)scheme);
                if (!run)
                    return false;
                *seconds = run_table_cell(run, here_iterations(here) - 1, HERE_SECONDS);
            }
    return true;
}

static double ideal(const struct times *times, int problem, int size)
{
    double best = INFINITY;
    for (int scheme = 0; scheme < HERE_SCHEMES; scheme++)
        best = fmin(best, times->seconds[problem][0][scheme]);
    return best / here_cores(size);
}

static void put_row(struct reproduction *reproduction, const struct times *times, int problem,
                    int size)
{
    const double *seconds = times->seconds[problem][size];
    struct json *json = reproduction->json;
    if (!json) {
        printf("  %-8s %-20s %10.4f %8.4f %10.4f %12.4f %8.4f\n", here_problem(problem),
               here_size(size), seconds[HERE_STEAL_ALL], seconds[HERE_STEAL],
               seconds[HERE_RETENTIVE], seconds[HERE_PERSIST], ideal(times, problem, size));
        return;
    }
    json_object(json, NULL);
    json_text(json, "problem", here_problem(problem));
    json_text(json, "size", here_size(size));
    for (int scheme = 0; scheme < HERE_SCHEMES; scheme++)
        json_real(json, here_schemes[scheme], seconds[scheme]);
    json_real(json, "ideal", ideal(times, problem, size));
    json_close(json);
}

// One scheme's time over another's: the geometric mean over problems and sizes of several cores.
static double ratio(const struct times *times, int over, int under)
{
    double sum = 0;
    int count = 0;
    for (int problem = 0; problem < HERE_PROBLEMS; problem++)
        for (int size = 1; size < HERE_SIZES; size++) {
            const double *seconds = times->seconds[problem][size];
            if (isnan(seconds[over]))
                continue;
            sum += log(seconds[over] / seconds[under]);
            count++;
        }
    return count ? exp(sum / count) : 1;
}

static void claim_all(struct reproduction *reproduction, const struct times *times)
{
    double all = ratio(times, HERE_STEAL_ALL, HERE_STEAL);
    double steal = ratio(times, HERE_RETENTIVE, HERE_STEAL);
    double persist = ratio(times, HERE_RETENTIVE, HERE_PERSIST);
    reproduce_judge(reproduction, "all tasks take longer than those that are not null", all > 1,
                    "%.3f of their time: a null task costs next to nothing here", all);
    reproduce_judge(reproduction, "retention takes less time than memoryless stealing", steal < 1,
                    "%.3f of its time: between two workers there are few steals to save", steal);
    reproduce_judge(reproduction, "retention and persistence take the same time, within 5 %",
                    persist < ALIKE && 1 / persist < ALIKE, "retention takes %.3f of persistence's",
                    persist);
}

static bool run(struct reproduction *reproduction)
{
    struct here *here = here_of(reproduction);
    struct times times;
    if (!here || !compute(here, &times))
        return false;
    reproduce_rows(reproduction, "figure5",
                   "Figure 5: seconds of the last iteration, on this machine\n"
                   "  problem  size                  steal-all    steal  retentive persist-tree"
                   "    ideal");
    for (int problem = 0; problem < HERE_PROBLEMS; problem++)
        for (int size = 0; size < HERE_SIZES; size++)
            if (here_has(here, size))
                put_row(reproduction, &times, problem, size);
    reproduce_claims(reproduction);
    claim_all(reproduction, &times);
    reproduce_close(reproduction);
    return true;
}

const struct reproduce_section reproduce_figure5 = {
    .name = "figure5",
    .summary =
        "times of the last iteration, on this machine (figures 5 to 9 share their runs: 5 min)",
    .run = run,
};

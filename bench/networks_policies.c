// SPDX-License-Identifier: Apache-2.0
// Suite networks: where a process goes on that waited, and how often workers look for work then.
#include <stdio.h>
#include <stdlib.h>

#include "experiment_judges.h"
#include "networks.h"

#define RUN_NS 30e6
enum { RATE_REPEATS = TWB_REPEATS_MAX, RATE_REPEATS_QUICK = 2 };

// The first is compared with the next two.
static const struct twb_wake_lane wakes[] = {
    {"auto", "twill-auto"}, {"cur", "twill-cur"}, {"last", "twill-last"}, {"lhws", "twill-lhws"}};

enum { WAKES = sizeof wakes / sizeof *wakes };

static void run_policies(struct twb_bench *bench, long tasks, long work_ns)
{
    struct twb_group group;
    char name[48];
    struct twb_scatter_cell cell = twb_scatter_cell(bench, tasks, work_ns, RUN_NS);
    struct twb_lane lane = {.case_name = "policies", .size_name = name, .workers = 2};
    snprintf(name, sizeof name, "%ld/%ldus", tasks, work_ns / 1000);
    twb_group_start(&group, bench, "policies", TWB_ROUNDS_CLOSE);
    for (size_t i = 0; i < WAKES; i++) {
        lane.wake = wakes[i].wake;
        lane.runtime = wakes[i].runtime;
        twb_add_scatter(&group, lane, &cell);
    }
    twb_group_claim(&group, "auto_regret", TWB_RATIO, 0, 1);
    twb_group_claim(&group, "auto_regret", TWB_RATIO, 0, 2);
    twb_group_run(&group);
}

void twb_section_policies(struct twb_bench *bench)
{
    static const long works_ns[] = {0, 1000, 10000};
    if (!twb_needs_two(bench, "policies"))
        return;
    twb_set_loops();
    for (size_t i = 0; i < sizeof works_ns / sizeof *works_ns; i++)
        for (const struct twb_network_size *size = twb_network_sizes; size->tasks; size++)
            run_policies(bench, size->tasks, works_ns[i]);
}

// Runs of 50 ms, on all workers: attempts need a pool for each run, which no lane has.
void twb_section_steal_rate(struct twb_bench *bench)
{
    static const struct twb_cell full[] = {
        {50, 100000, 10}, {250, 100000, 2}, {50, 10000, 100}, {250, 10000, 20}, {250, 1000, 200}};
    enum { CELLS = sizeof full / sizeof *full };
    if (!twb_needs_two(bench, "steal_rate"))
        return;
    struct twb_runner runner = twb_runner_real(bench->all);
    struct twb_measured *measured = calloc(CELLS, sizeof *measured);
    if (measured == NULL)
        abort();
    if (!twb_measure_cells(&runner, full, CELLS, bench->quick ? RATE_REPEATS_QUICK : RATE_REPEATS,
                           measured))
        bench->report.wrong = true;
    else {
        twb_report_cells(&bench->report, measured, CELLS);
        twb_judge_tries(&bench->report, "steal_rate", measured, CELLS);
        twb_judge_rule_tries(&bench->report, "rule_of_thumb", measured, CELLS);
    }
    free(measured);
}

// SPDX-License-Identifier: Apache-2.0
// Suite networks: what a second worker brings when messages mean work, and what it brings the
// peers.
#include <stdio.h>

#include "networks.h"

#define RUN_NS 60e6

struct speedup {
    const char *time_name, *name; // of the rows
    long work_ns;
};

static void add_both(struct twb_group *group, struct twb_lane lane,
                     const struct twb_scatter_cell *cell, const char *peer)
{
    for (lane.workers = 1; lane.workers <= 2; lane.workers++)
        twb_add_scatter_peer(group, lane, cell, peer);
}

static struct twb_row row_of(const char *case_name, const char *size, const char *runtime,
                             unsigned workers)
{
    struct twb_row row = {.case_name = case_name, .runtime = runtime, .workers = workers};
    snprintf(row.size, sizeof row.size, "%s", size);
    return row;
}

// Adds the row of a runtime's speed-ups; gives their median, or 0.
static double report_speedup(struct twb_report *report, const struct speedup *speedup,
                             const char *size, const char *runtime)
{
    struct twb_row one = row_of(speedup->time_name, size, runtime, 1);
    struct twb_row two = row_of(speedup->time_name, size, runtime, 2);
    struct twb_row like = row_of(speedup->name, size, runtime, 2);
    twb_report_speedup(report, speedup->name, &two, &one);
    const struct twb_row *row = twb_report_find_row(report, &like);
    return row ? twb_median(row->sample, row->n) : 0;
}

static void report_speedups(struct twb_report *report, const struct speedup *speedup,
                            const char *size)
{
    const char *best = NULL;
    double most = 0, twill = report_speedup(report, speedup, size, "twill");
    for (const char *const *peer = twb_network_peers; *peer; peer++) {
        double value = report_speedup(report, speedup, size, *peer);
        if (value > most) {
            most = value;
            best = *peer;
        }
    }
    if (best)
        twb_report_remark(report, speedup->name, "%s tasks: Twill %.2f, the best peer (%s) %.2f",
                          size, twill, best, most);
}

static void run_speedup(struct twb_bench *bench, const struct twb_network_size *size,
                        const struct speedup *speedup, const char *goal)
{
    struct twb_group group;
    struct twb_scatter_cell cell = twb_scatter_cell(bench, size->tasks, speedup->work_ns, RUN_NS);
    struct twb_lane lane = {
        .case_name = speedup->time_name, .size_name = size->name, .runtime = "twill", .workers = 1};
    twb_group_start(&group, bench, speedup->name, TWB_ROUNDS_CLOSE);
    size_t one = twb_add_scatter(&group, lane, &cell);
    lane.workers = 2;
    size_t two = twb_add_scatter(&group, lane, &cell);
    twb_group_claim(&group, goal, TWB_RATIO, one, two);
    for (const char *const *peer = twb_network_peers; *peer; peer++)
        if (twb_scatter_wanted(bench, *peer, size->tasks))
            add_both(&group, lane, &cell, *peer);
    twb_group_run(&group);
    report_speedups(&bench->report, speedup, size->name);
}

void twb_section_speedup_1us(struct twb_bench *bench)
{
    static const struct speedup at_1us = {"message_1us", "speedup_1us", 1000};
    if (!twb_needs_two(bench, "speedup_1us"))
        return;
    twb_set_loops();
    for (const struct twb_network_size *size = twb_network_sizes; size->tasks; size++)
        run_speedup(bench, size, &at_1us, size->speedup_1us);
}

void twb_section_speedup_10us(struct twb_bench *bench)
{
    static const struct speedup at_10us = {"message_10us", "speedup_10us", 10000};
    static const struct speedup at_100us = {"message_100us", "speedup_100us", 100000};
    if (!twb_needs_two(bench, "speedup_10us"))
        return;
    twb_set_loops();
    for (const struct twb_network_size *size = twb_network_sizes; size->tasks; size++) {
        run_speedup(bench, size, &at_10us, at_10us.name);
        if (!bench->quick)
            run_speedup(bench, size, &at_100us, at_100us.name);
    }
}

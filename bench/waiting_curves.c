// SPDX-License-Identifier: Apache-2.0
// Suite waiting: waits that suspend (hiding) beside waits that block their worker (blocking), on
// one worker and on two. Time for each leaf, since blocked trees have fewer of them; then the
// speed-up over blocking on one worker.
#include <stdio.h>
#include <string.h>

#include "leaves.h"
#include "waiting.h"

struct curve {
    const char *runtime;
    unsigned workers;
};

static const struct curve curves[] = {
    {"blocking", 1}, {"hiding", 1}, {"blocking", 2}, {"hiding", 2}}; // the first is the base

enum { CURVES = sizeof curves / sizeof *curves };

static void add_curve(struct twb_group *group, struct twb_lane lane, const struct curve *curve)
{
    bool blocking = strcmp(curve->runtime, "blocking") == 0;
    struct twb_tree tree = blocking ? twb_tree_blocking(lane.size) : twb_tree_timer(lane.size);
    lane.runtime = curve->runtime;
    lane.workers = curve->workers;
    lane.serve = blocking ? "mapreduce_blocking" : "mapreduce_timer";
    lane.scale = blocking ? 1e6 : 1e6 / (double)tree.leaves;
    lane.expected = twb_leaves_sum(&tree);
    twb_group_lane(group, &lane);
}

static struct twb_row row_of(const char *size, const struct curve *curve)
{
    struct twb_row row = {
        .case_name = "curve", .runtime = curve->runtime, .workers = curve->workers};
    snprintf(row.size, sizeof row.size, "%s", size);
    return row;
}

// Rounds pair the runs of a curve with those of the base.
static void report_speedup(struct twb_report *report, const char *size, const struct curve *curve)
{
    struct twb_row row = row_of(size, curve), base = row_of(size, &curves[0]);
    twb_report_speedup(report, "curve_speedup", &row, &base);
}

void twb_section_curves(struct twb_bench *bench)
{
    static const struct {
        long us;
        const char *name;
    } waits[] = {{50000, "50 ms"}, {5000, "5 ms"}, {1000, "1 ms"}};
    size_t count = bench->all < 2 ? CURVES / 2 : CURVES;
    twb_set_loops();
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        struct twb_group group;
        struct twb_lane lane = {.case_name = "curve",
                                .size_name = waits[i].name,
                                .size = waits[i].us,
                                .unit = "us/leaf"};
        twb_group_start(&group, bench, "curves", TWB_ROUNDS_QUICK);
        for (size_t c = 0; c < count; c++)
            add_curve(&group, lane, &curves[c]);
        twb_group_run(&group);
        for (size_t c = 0; c < count; c++)
            report_speedup(&bench->report, waits[i].name, &curves[c]);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Suite waiting: waits that suspend (hiding) beside waits that block their worker (blocking), on
// one worker and on two. Time for each leaf, since blocked trees have fewer of them; then the
// speed-up over blocking on one worker.
#include <stdio.h>
#include <stdlib.h>
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

static const struct twb_row *find_row(const struct twb_report *report, const char *size,
                                      const struct curve *curve)
{
    struct twb_row like = {
        .case_name = "curve", .runtime = curve->runtime, .workers = curve->workers};
    snprintf(like.size, sizeof like.size, "%s", size);
    return twb_report_find_row(report, &like);
}

// Rounds pair the runs of a curve with those of the base.
static void report_speedup(struct twb_report *report, const char *size, const struct curve *curve)
{
    const struct twb_row *base = find_row(report, size, &curves[0]);
    const struct twb_row *row = find_row(report, size, curve);
    if (base == NULL || row == NULL)
        return;
    struct twb_row speedup = *row;
    size_t n = row->n < base->n ? row->n : base->n;
    double *ratio = malloc(n * sizeof *ratio);
    if (ratio == NULL)
        abort();
    for (size_t i = 0; i < n; i++)
        ratio[i] = base->sample[i] / row->sample[i];
    speedup.case_name = "curve_speedup";
    speedup.unit = "times";
    twb_report_samples(report, &speedup, ratio, n);
    free(ratio);
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

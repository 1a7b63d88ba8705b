// SPDX-License-Identifier: Apache-2.0
// Suite networks: the wake policies where nothing is to be gained by them. Cases of the suites
// forkjoin and waiting, under each policy; any of them over any other is a part of the goal.
#include "apps/fib/fib.h"
#include "apps/uts/uts.h"
#include "forkjoin.h"
#include "leaves.h"
#include "networks.h"

static const struct twb_wake_lane wakes[] = {
    {"auto", "twill-auto"}, {"cur", "twill-cur"}, {"last", "twill-last"}};

enum { WAKES = sizeof wakes / sizeof *wakes };

static void run_under_each(struct twb_bench *bench, struct twb_lane lane, const char *goal)
{
    struct twb_group group;
    twb_group_start(&group, bench, lane.case_name, TWB_ROUNDS_CLOSE);
    for (size_t i = 0; i < WAKES; i++) {
        lane.wake = wakes[i].wake;
        lane.runtime = wakes[i].runtime;
        twb_group_lane(&group, &lane);
    }
    for (size_t i = 0; i < WAKES; i++)
        for (size_t j = 0; j < WAKES; j++)
            if (i != j)
                twb_group_claim(&group, goal, TWB_RATIO, i, j);
    twb_group_run(&group);
}

static void run_forkjoin(struct twb_bench *bench, unsigned workers)
{
    long n = bench->quick ? 27 : 34;
    uint64_t nodes = uts_find_named("T1")->known.nodes;
    struct twb_lane fib = {.case_name = "harm_fib",
                           .serve = "fib_fork",
                           .workers = workers,
                           .size = n,
                           .scale = 1e9 / twb_fib_forks(n),
                           .unit = "ns/task",
                           .expected = fib_value((unsigned)n)};
    struct twb_lane uts = {.case_name = "harm_uts",
                           .size_name = "T1",
                           .serve = "uts_fork",
                           .workers = workers,
                           .size = 1,
                           .scale = 1e9 / (double)nodes,
                           .unit = "ns/node",
                           .expected = nodes};
    run_under_each(bench, fib, "no_harm_forkjoin");
    run_under_each(bench, uts, "no_harm_forkjoin");
}

static void run_waiting(struct twb_bench *bench, unsigned workers)
{
    struct twb_tree tree = twb_tree_timer(5000);
    long count = bench->quick ? 50000 : 500000;
    struct twb_lane timer = {.case_name = "harm_timer",
                             .size_name = "5 ms",
                             .serve = "mapreduce_timer",
                             .workers = workers,
                             .size = tree.wait_us,
                             .scale = 1e3,
                             .unit = "ms",
                             .expected = twb_leaves_sum(&tree)};
    struct twb_lane handover = {.case_name = "harm_handover",
                                .size_name = "",
                                .serve = "pass_value",
                                .workers = workers,
                                .size = count,
                                .scale = 1e9 / (double)count,
                                .unit = "ns",
                                .expected = (uint64_t)count};
    run_under_each(bench, timer, "no_harm_waiting");
    run_under_each(bench, handover, "no_harm_waiting");
}

void twb_section_no_harm(struct twb_bench *bench)
{
    unsigned counts[TWB_COUNTS_MAX];
    size_t n = twb_worker_counts(bench, counts);
    twb_set_loops();
    run_forkjoin(bench, counts[n - 1]);
    run_waiting(bench, counts[n - 1]);
}

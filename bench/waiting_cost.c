// SPDX-License-Identifier: Apache-2.0
// Suite waiting: what a wait costs on one worker, beside bare switches and beside the peers.
#include "waiting.h"

// What is measured: so many of something, in one run.
struct counted {
    const char *case_name, *serve, *unit;
    long count;
    bool bytes;     // the value is bytes for each, measured in a process of its own
    bool unchecked; // the answer is 0, not the count
};

struct rival {
    const char *peer; // NULL ends a table
    long fewer;       // a so much smaller count will do
    const char *goal; // or NULL
};

static size_t add(struct twb_group *group, struct counted what, const char *runtime,
                  const char *program)
{
    struct twb_lane lane = {.case_name = what.case_name,
                            .size_name = "",
                            .runtime = runtime,
                            .program = program,
                            .serve = what.serve,
                            .workers = 1,
                            .size = what.count,
                            .scale = what.bytes ? 1 : 1e9 / (double)what.count,
                            .unit = what.unit,
                            .expected = what.unchecked ? 0 : (uint64_t)what.count,
                            .fresh = what.bytes};
    return twb_group_lane(group, &lane);
}

static void add_rivals(struct twb_group *group, struct counted what, size_t twill,
                       const struct rival *rivals)
{
    long count = what.count;
    for (const struct rival *r = rivals; r->peer; r++) {
        if (!twb_wanted(group->bench, r->peer))
            continue;
        what.count = count / r->fewer;
        size_t peer = add(group, what, r->peer, r->peer);
        if (r->goal)
            twb_claim_beside(group, r->goal, twill, peer);
    }
}

static long count_of(const struct twb_bench *bench, long count)
{
    return bench->quick ? count / 10 : count;
}

static struct counted bare(const struct twb_bench *bench, const char *serve)
{
    return (struct counted){.case_name = serve,
                            .serve = serve,
                            .unit = "ns",
                            .count = count_of(bench, 10000000),
                            .unchecked = true};
}

void twb_section_switch(struct twb_bench *bench)
{
    static const struct rival boost[] = {{"boost", 1, "switch"}, {NULL, 0, NULL}};
    struct twb_group group;
    struct counted what = bare(bench, "switch");
    twb_group_start(&group, bench, "switch", TWB_ROUNDS_CLOSE);
    size_t twill = add(&group, what, "twill", NULL);
    add_rivals(&group, what, twill, boost);
    twb_group_run(&group);
}

// A way to wait, and the bare switch it is compared with.
struct wait {
    const char *case_name, *serve, *unit;
    long count;
    const char *bare, *vs_bare, *vs_go;
};

static void run_beside(struct twb_bench *bench, const struct wait *wait)
{
    const struct rival rivals[] = {
        {"go", 1, wait->vs_go}, {"tokio", 1, NULL}, {"boost", 1, NULL}, {"threads", 10, NULL}, {0}};
    struct counted what = {.case_name = wait->case_name,
                           .serve = wait->serve,
                           .unit = wait->unit,
                           .count = count_of(bench, wait->count)};
    struct twb_group group;
    twb_group_start(&group, bench, what.case_name, TWB_ROUNDS_FAR);
    size_t twill = add(&group, what, "twill", NULL);
    size_t base = add(&group, bare(bench, wait->bare), "twill", NULL);
    twb_group_claim(&group, wait->vs_bare, TWB_RATIO, twill, base);
    add_rivals(&group, what, twill, rivals);
    twb_group_run(&group);
}

void twb_section_yield(struct twb_bench *bench)
{
    static const struct wait yield = {"yield",  "yield",           "ns",         1000000,
                                      "switch", "yield_vs_switch", "yield_vs_go"};
    run_beside(bench, &yield);
}

void twb_section_handover(struct twb_bench *bench)
{
    static const struct wait handover = {
        "handover", "pass_value", "ns", 1000000, "switch", "handover_vs_switch", "handover_vs_go"};
    run_beside(bench, &handover);
}

void twb_section_parking(struct twb_bench *bench)
{
    static const struct wait parking = {
        "spawn_parking",         "spawn_parking",      "ns/task", 100000, "bare_fiber",
        "spawn_parking_vs_bare", "spawn_parking_vs_go"};
    run_beside(bench, &parking);
}

void twb_section_parked(struct twb_bench *bench)
{
    static const struct rival rivals[] = {
        {"go", 1, NULL}, {"tokio", 1, NULL}, {"boost", 1, NULL}, {"threads", 100, NULL}, {0}};
    struct twb_group group;
    struct counted what = {.case_name = "parked_bytes",
                           .serve = "parked_bytes",
                           .unit = "bytes",
                           .count = count_of(bench, 1000000),
                           .bytes = true};
    twb_group_start(&group, bench, "parked", 1);
    group.rounds_least = group.rounds_most = 1;
    size_t twill = add(&group, what, "twill", NULL);
    add_rivals(&group, what, twill, rivals);
    what.case_name = what.serve = "await_bytes";
    add(&group, what, "twill", NULL);
    twb_group_run(&group);
    twb_report_count(&bench->report, "parked_bytes", "parked_bytes", "");
    twb_report_count(&bench->report, "await_bytes", "await_bytes", "");
}

// Each seed is twelve graphs, of which the worst counts.
void twb_section_live(struct twb_bench *bench)
{
    enum { SEEDS = 8, SEEDS_QUICK = 2, GRAPHS = 12 };
    struct twb_group group;
    struct twb_lane lane = {.case_name = "live_fibers",
                            .runtime = "twill",
                            .serve = "live_fibers",
                            .workers = bench->all < 2 ? 1 : 2,
                            .scale = 1,
                            .unit = "of the bound",
                            .expected = GRAPHS};
    twb_group_start(&group, bench, "live", TWB_ROUNDS_FAR);
    for (lane.size = 1; lane.size <= (bench->quick ? SEEDS_QUICK : SEEDS); lane.size++) {
        size_t twill = twb_group_lane(&group, &lane);
        twb_group_claim(&group, "live_fibers", TWB_VALUE, twill, twill);
    }
    twb_group_run(&group);
}

// SPDX-License-Identifier: Apache-2.0
// Suite waiting: trees whose leaves wait, beside what no runtime can do without (wait + work /
// workers, measured between the other runs) and beside the peers.
#include <stdio.h>
#include <stdlib.h>

#include "lanes.h"
#include "late.h"
#include "leaves.h"
#include "waiting.h"

// A tree, and the goals it is a part of; goals may be NULL.
struct tree_case {
    const char *serve, *bound;
    const char *vs_bound;
    const char *const *peers; // end with NULL
    const char *vs_all, *vs_go, *vs_tokio;
};

static const char *const all_peers[] = {"go", "tokio", "boost", "threads", NULL};
static const char *const socket_peers[] = {"go", "tokio", "threads", NULL};

static void claim_peer(struct twb_group *group, const struct tree_case *tree, const char *peer,
                       size_t twill, size_t lane)
{
    const struct {
        const char *peer, *goal;
    } claims[] = {{peer, tree->vs_all}, {"go", tree->vs_go}, {"tokio", tree->vs_tokio}};
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++)
        if (claims[i].goal && twb_listed(claims[i].peer, peer))
            twb_claim_beside(group, claims[i].goal, twill, lane);
}

static void run_tree(struct twb_bench *bench, const struct tree_case *tree, struct twb_lane lane)
{
    struct twb_group group;
    twb_group_start(&group, bench, lane.case_name, TWB_ROUNDS_CLOSE);
    size_t twill = twb_add_lane(&group, lane, "twill", NULL, tree->serve);
    size_t bound = twb_add_lane(&group, lane, "bound", NULL, tree->bound);
    if (tree->vs_bound)
        twb_group_claim(&group, tree->vs_bound, TWB_RATIO, twill, bound);
    for (const char *const *peer = tree->peers; *peer; peer++)
        if (twb_wanted(bench, *peer))
            claim_peer(&group, tree, *peer, twill,
                       twb_add_lane(&group, lane, *peer, *peer, tree->serve));
    twb_group_run(&group);
}

static struct twb_lane lane_of(const char *name, const char *size_name, struct twb_tree tree)
{
    return (struct twb_lane){.case_name = name,
                             .size_name = size_name,
                             .workers = 2,
                             .size = tree.wait_us,
                             .scale = 1e3,
                             .unit = "ms",
                             .expected = twb_leaves_sum(&tree)};
}

void twb_section_timer(struct twb_bench *bench)
{
    static const struct {
        long us;
        const char *size_name, *vs_bound, *vs_peers;
    } sleeps[] = {
        {50000, "50 ms", "mapreduce_timer_50", "mapreduce_timer_50_vs_peers"},
        {5000, "5 ms", "mapreduce_timer_5", "mapreduce_timer_5_vs_peers"},
        {1000, "1 ms", "mapreduce_timer_1", "mapreduce_timer_1_vs_peers"},
    };
    if (!twb_needs_two(bench, "timer"))
        return;
    twb_set_loops();
    for (size_t i = 0; i < sizeof sleeps / sizeof *sleeps; i++) {
        struct tree_case tree = {.serve = "mapreduce_timer",
                                 .bound = "bound_timer",
                                 .vs_bound = sleeps[i].vs_bound,
                                 .peers = all_peers,
                                 .vs_all = sleeps[i].vs_peers};
        run_tree(bench, &tree,
                 lane_of("mapreduce_timer", sleeps[i].size_name, twb_tree_timer(sleeps[i].us)));
    }
}

void twb_section_work(struct twb_bench *bench)
{
    static const struct tree_case tree = {.serve = "mapreduce_work",
                                          .bound = "bound_work",
                                          .vs_bound = "mapreduce_work",
                                          .peers = all_peers};
    if (!twb_needs_two(bench, "work"))
        return;
    twb_set_loops();
    run_tree(bench, &tree, lane_of("mapreduce_work", "50 ms", twb_tree_work(50000)));
}

// As many leaves as the server can have connections, each lane having its own all the time.
static void set_connections(struct twb_bench *bench)
{
    enum { PEERS = sizeof socket_peers / sizeof *socket_peers - 1, OTHERS = 64 };
    char text[32];
    long leaves = (twb_descriptors() - OTHERS) / (1 + PEERS);
    if (leaves > TWB_LEAVES)
        leaves = TWB_LEAVES;
    else
        twb_report_remark(&bench->report, "tcp", "%ld leaves: no more descriptors", leaves);
    snprintf(text, sizeof text, "%ld", leaves);
    setenv("TWB_LEAVES", text, 1);
}

static void run_tcp(struct twb_bench *bench, long us, const char *size_name)
{
    static const struct tree_case tree = {.serve = "mapreduce_tcp",
                                          .bound = "bound_tcp",
                                          .peers = socket_peers,
                                          .vs_go = "mapreduce_tcp_vs_go",
                                          .vs_tokio = "mapreduce_tcp_vs_tokio"};
    struct twb_late late;
    char port[16];
    if (!twb_late_start(&late, us)) {
        twb_report_remark(&bench->report, "tcp", "left out, no server on the loopback");
        return;
    }
    snprintf(port, sizeof port, "%u", late.port);
    setenv("TWB_PORT", port, 1);
    struct twb_lane lane = lane_of("mapreduce_tcp", size_name, twb_tree_tcp());
    lane.size = us;
    run_tree(bench, &tree, lane);
    twb_late_stop(&late);
}

void twb_section_tcp(struct twb_bench *bench)
{
    if (!twb_needs_two(bench, "tcp"))
        return;
    twb_set_loops();
    set_connections(bench);
    run_tcp(bench, 50000, "50 ms");
    run_tcp(bench, 1000, "1 ms");
}

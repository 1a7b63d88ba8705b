// SPDX-License-Identifier: Apache-2.0
// Suite networks: what a message costs where there is no work.
#include <string.h>

#include "networks.h"

#define RUN_NS 20e6 // of Twill; the peers take longer

static const char *goal_beside(const struct twb_network_size *size, const char *peer)
{
    if (strcmp(peer, "go") == 0)
        return size->vs_go;
    if (strcmp(peer, "tokio") == 0)
        return size->vs_tokio;
    return strcmp(peer, "boost") == 0 ? size->vs_boost : NULL;
}

static void run_cost(struct twb_bench *bench, const struct twb_network_size *size)
{
    struct twb_group group;
    struct twb_scatter_cell cell = twb_scatter_cell(bench, size->tasks, 0, RUN_NS);
    struct twb_lane lane = {
        .case_name = "message_cost", .size_name = size->name, .runtime = "twill", .workers = 1};
    twb_group_start(&group, bench, "message_cost", TWB_ROUNDS_CLOSE);
    size_t twill = twb_add_scatter(&group, lane, &cell);
    for (const char *const *peer = twb_network_peers; *peer; peer++) {
        if (!twb_scatter_wanted(bench, *peer, size->tasks))
            continue;
        size_t added = twb_add_scatter_peer(&group, lane, &cell, *peer);
        if (goal_beside(size, *peer))
            twb_claim_beside(&group, goal_beside(size, *peer), twill, added);
    }
    twb_group_run(&group);
}

void twb_section_message_cost(struct twb_bench *bench)
{
    for (const struct twb_network_size *size = twb_network_sizes; size->tasks; size++)
        run_cost(bench, size);
}

void twb_section_two_workers(struct twb_bench *bench)
{
    if (!twb_needs_two(bench, "two_workers"))
        return;
    for (const struct twb_network_size *size = twb_network_sizes; size->tasks; size++) {
        struct twb_group group;
        struct twb_scatter_cell cell = twb_scatter_cell(bench, size->tasks, 0, RUN_NS);
        struct twb_lane lane = {
            .case_name = "two_workers", .size_name = size->name, .runtime = "twill", .workers = 1};
        twb_group_start(&group, bench, "two_workers", TWB_ROUNDS_CLOSE);
        size_t one = twb_add_scatter(&group, lane, &cell);
        lane.workers = 2;
        size_t two = twb_add_scatter(&group, lane, &cell);
        twb_group_claim(&group, size->two_workers, TWB_RATIO, two, one);
        twb_group_run(&group);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Suite forkjoin: how soon another worker starts a task (case_latency.c), beside what the machine
// itself needs (case_bare.c).
#include "forkjoin.h"

// Tasks offered in one run. Some peers take milliseconds for each when they share a core at first.
#define HOT_OFFERS 2000
#define HOT_OFFERS_PEER 100
#define COLD_OFFERS 20
#define HIDDEN_OFFERS 200

static size_t add(struct twb_group *group, struct twb_lane lane, const char *runtime,
                  const char *serve, long offers)
{
    lane.runtime = runtime;
    lane.serve = serve;
    lane.size = offers;
    return twb_group_lane(group, &lane);
}

void twb_section_steal(struct twb_bench *bench)
{
    struct twb_group group;
    struct twb_lane lane = {
        .case_name = "steal", .size_name = "hot", .workers = 2, .scale = 1e9, .unit = "ns"};
    if (!twb_needs_two(bench, "steal"))
        return;
    twb_group_start(&group, bench, "steal", TWB_ROUNDS_CLOSE);
    size_t twill = add(&group, lane, "twill", "steal_hot", HOT_OFFERS);
    size_t handover = add(&group, lane, "hand-over", "handover", HOT_OFFERS);
    twb_group_claim(&group, "steal_hot", TWB_RATIO, twill, handover);
    lane.serve = "steal_hot";
    lane.size = HOT_OFFERS_PEER;
    twb_add_peers(&group, lane);
    twb_group_run(&group);
}

void twb_section_wake(struct twb_bench *bench)
{
    struct twb_group group;
    struct twb_lane lane = {
        .case_name = "wake", .size_name = "cold", .workers = 2, .scale = 1e6, .unit = "us"};
    if (!twb_needs_two(bench, "wake"))
        return;
    twb_group_start(&group, bench, "wake", TWB_ROUNDS_CLOSE);
    size_t twill = add(&group, lane, "twill", "wake_cold", COLD_OFFERS);
    size_t bare = add(&group, lane, "futex", "futex_wake", COLD_OFFERS);
    twb_group_claim(&group, "wake_cold", TWB_RATIO, twill, bare);
    lane.serve = "wake_cold";
    lane.size = COLD_OFFERS;
    twb_add_peers(&group, lane);
    twb_group_run(&group);
}

void twb_section_hidden(struct twb_bench *bench)
{
    struct twb_group group;
    struct twb_lane lane = {.case_name = "hidden", .workers = 2, .scale = 1e6, .unit = "us"};
    if (!twb_needs_two(bench, "hidden"))
        return;
    twb_group_start(&group, bench, "hidden", TWB_ROUNDS_CLOSE);
    lane.size_name = "search";
    size_t searching = add(&group, lane, "twill", "hidden_search", HIDDEN_OFFERS);
    lane.size_name = "freed";
    size_t freed = add(&group, lane, "twill", "hidden_freed", HIDDEN_OFFERS);
    lane.size_name = "asleep";
    size_t asleep = add(&group, lane, "twill", "hidden_asleep", COLD_OFFERS);
    size_t bare = add(&group, lane, "futex", "futex_wake", COLD_OFFERS);
    twb_group_claim(&group, "never_hidden", TWB_VALUE, searching, searching);
    twb_group_claim(&group, "never_hidden", TWB_VALUE, freed, freed);
    twb_group_claim(&group, "never_hidden_asleep", TWB_RATIO, asleep, bare);
    twb_group_run(&group);
}

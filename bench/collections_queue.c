// SPDX-License-Identifier: Apache-2.0
// Suite collections: what the split queue costs its owner, and a thief.
#include "collections.h"

#define TASKS 2000000
#define STEALS 200
#define STOLEN 5000
#define QUICK_FEWER 10

static size_t add_owner(struct twb_group *group, const char *way, const char *runtime,
                        const char *serve)
{
    long tasks = group->bench->quick ? TASKS / QUICK_FEWER : TASKS;
    return twb_group_lane(
        group, &(struct twb_lane){.case_name = "queue_owner",
                                  .size_name = way,
                                  .runtime = runtime,
                                  .serve = serve,
                                  .workers = 1,
                                  .size = tasks,
                                  .scale = 1e9 / (double)tasks,
                                  .unit = "ns/task",
                                  .expected = (uint64_t)tasks * (uint64_t)(tasks - 1) / 2});
}

void twb_section_queue_owner(struct twb_bench *bench)
{
    struct twb_group group;
    twb_group_start(&group, bench, "queue_owner", TWB_ROUNDS_FAR);
    size_t deep = add_owner(&group, "deep", "twill", "split_owner:deep");
    size_t deep_array = add_owner(&group, "deep", "array", "array_owner:deep");
    size_t shallow = add_owner(&group, "shallow", "twill", "split_owner:shallow");
    size_t shallow_array = add_owner(&group, "shallow", "array", "array_owner:shallow");
    twb_group_claim(&group, "queue_owner", TWB_RATIO, deep, deep_array);
    twb_group_claim(&group, "queue_owner", TWB_RATIO, shallow, shallow_array);
    twb_group_run(&group);
}

static size_t add_steal(struct twb_group *group, const char *runtime, const char *serve)
{
    long steals = group->bench->quick ? STEALS / QUICK_FEWER : STEALS;
    return twb_group_lane(group, &(struct twb_lane){.case_name = "queue_steal",
                                                    .size_name = "5000x64",
                                                    .runtime = runtime,
                                                    .serve = serve,
                                                    .workers = 2,
                                                    .size = steals,
                                                    .scale = 1e6,
                                                    .unit = "us/steal",
                                                    .expected = (uint64_t)steals * STOLEN});
}

// Of the same bytes: memcpy's time over that of a steal.
void twb_section_queue_steal(struct twb_bench *bench)
{
    struct twb_group group;
    if (!twb_needs_two(bench, "queue_steal"))
        return;
    twb_group_start(&group, bench, "queue_steal", TWB_ROUNDS_FAR);
    size_t steal = add_steal(&group, "twill", "split_steal");
    size_t copy = add_steal(&group, "memcpy", "memcpy_steal");
    twb_group_claim(&group, "queue_steal", TWB_RATIO, copy, steal);
    twb_group_run(&group);
}

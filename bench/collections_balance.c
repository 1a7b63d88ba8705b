// SPDX-License-Identifier: Apache-2.0
// Suite collections: how long a rebalance takes.
#include "collections.h"

#define TASKS 1000000

static size_t add(struct twb_group *group, const char *runtime, const char *serve)
{
    return twb_group_lane(group, &(struct twb_lane){.case_name = "tree_time",
                                                    .runtime = runtime,
                                                    .serve = serve,
                                                    .workers = 1,
                                                    .size = TASKS,
                                                    .scale = 1e3,
                                                    .unit = "ms",
                                                    .expected = TASKS});
}

void twb_section_tree_time(struct twb_bench *bench)
{
    struct twb_group group;
    twb_group_start(&group, bench, "tree_time", TWB_ROUNDS_FAR);
    size_t tree = add(&group, "persist-tree", "rebalance");
    size_t sorts = add(&group, "qsort", "qsort_twice");
    twb_group_claim(&group, "tree_time", TWB_RATIO, tree, sorts);
    twb_group_run(&group);
}

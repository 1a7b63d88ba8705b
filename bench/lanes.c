// SPDX-License-Identifier: Apache-2.0
// See lanes.h.
#include "lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "leaves.h"

const char *const twb_peers[] = {"openmp-gcc", "openmp-clang", "tbb", "rayon", NULL};

size_t twb_worker_counts(const struct twb_bench *bench, unsigned counts[TWB_COUNTS_MAX])
{
    size_t n = 0;
    counts[n++] = 1;
    if (bench->all >= 2)
        counts[n++] = 2;
    if (bench->all > 2)
        counts[n++] = bench->all;
    return n;
}

bool twb_needs_two(struct twb_bench *bench, const char *section)
{
    if (bench->all < 2)
        twb_report_remark(&bench->report, section, "left out, it needs two processors");
    return bench->all >= 2;
}

size_t twb_add_lane(struct twb_group *group, struct twb_lane lane, const char *runtime,
                    const char *program, const char *serve)
{
    lane.runtime = runtime;
    lane.program = program;
    lane.serve = serve;
    return twb_group_lane(group, &lane);
}

void twb_add_peers(struct twb_group *group, struct twb_lane lane)
{
    twb_claim_peers(group, lane, 0, NULL);
}

static bool is_of(const char *peer, const char *family)
{
    size_t length = strlen(family);
    return strncmp(peer, family, length) == 0 && (peer[length] == '\0' || peer[length] == '-');
}

void twb_claim_peers(struct twb_group *group, struct twb_lane lane, size_t base,
                     const struct twb_peer_goal *goals)
{
    for (const char *const *peer = twb_peers; *peer; peer++) {
        if (!twb_wanted(group->bench, *peer))
            continue;
        lane.runtime = lane.program = *peer;
        size_t added = twb_group_lane(group, &lane);
        for (const struct twb_peer_goal *goal = goals; goal && goal->peer; goal++)
            if (is_of(*peer, goal->peer))
                twb_group_claim(group, goal->goal, TWB_RATIO, added, base);
    }
}

void twb_set_loops(void)
{
    char text[32];
    if (getenv("TWB_LOOPS") != NULL)
        return;
    snprintf(text, sizeof text, "%ld", twb_loops_per_us());
    setenv("TWB_LOOPS", text, 1);
}

void twb_claim_beside(struct twb_group *group, const char *goal, size_t twill, size_t peer)
{
    bool at_most = twb_report_find_goal(&group->bench->report, goal)->sense == TWB_AT_MOST;
    twb_group_claim(group, goal, TWB_RATIO, at_most ? twill : peer, at_most ? peer : twill);
}

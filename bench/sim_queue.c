// SPDX-License-Identifier: Apache-2.0
// Suite sim: the queue of events alone, from few that are pending to many.
#include "sim.h"

#define EVENTS 1000000
#define QUICK_FEWER 10

struct pending {
    const char *name, *serve; // NULL ends a table
};

void twb_section_queue(struct twb_bench *bench)
{
    static const struct pending sizes[] = {{"1,000", "hold:1000"},
                                           {"10,000", "hold:10000"},
                                           {"100,000", "hold:100000"},
                                           {"1,000,000", "hold:1000000"},
                                           {NULL, NULL}};
    long events = bench->quick ? EVENTS / QUICK_FEWER : EVENTS;
    struct twb_group group;
    twb_group_start(&group, bench, "queue", TWB_ROUNDS_FAR);
    for (const struct pending *size = sizes; size->name; size++) {
        struct twb_lane lane = {.case_name = "queue",
                                .size_name = size->name,
                                .runtime = "twill",
                                .serve = size->serve,
                                .workers = 1,
                                .size = events,
                                .scale = 1e9 / (double)events,
                                .unit = "ns/event",
                                .expected = (uint64_t)events};
        twb_group_lane(&group, &lane);
    }
    twb_group_run(&group);
}

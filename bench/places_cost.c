// SPDX-License-Identifier: Apache-2.0
// Suite places: what a steal costs in time (trip.h), and an idle place of a processor.
#include <stdio.h>

#include "places.h"

// The ratio that is judged, and what it is made of.
static const struct {
    const char *number;
    double scale;
    const char *unit;
} numbers[] = {{"ratio", 1, "times"},
               {"trip", 1e6, "us"},
               {"round_trip", 1e6, "us"},
               {"hand_over", 1e6, "us"}};

static void add_trips(struct twb_places *places, const char *mpi, bool tcp)
{
    bool quick = places->group.bench->quick;
    struct twb_placed placed = {.mpi = mpi, .places = 2, .tcp = tcp};
    placed.words =
        tcp     ? quick ? "bench --at-places trip 200 apart" : "bench --at-places trip 400 apart"
        : quick ? "bench --at-places trip 200"
                : "bench --at-places trip 400";
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char size[40];
        placed.number = numbers[i].number;
        snprintf(size, sizeof size, "%s %s", tcp ? "tcp" : "memory", numbers[i].number);
        size_t lane = twb_places_lane(places, &placed, 1, size, numbers[i].scale, numbers[i].unit);
        if (i == 0)
            twb_group_claim(&places->group, "steal_trip", TWB_VALUE, lane, lane);
    }
}

void twb_section_steal_trip(struct twb_bench *bench)
{
    static struct twb_places places;
    const char *mpi;
    if (!twb_needs_two(bench, "steal_trip"))
        return;
    twb_places_start(&places, bench, "steal_trip", TWB_ROUNDS_CLOSE);
    for (size_t at = 0; (mpi = twb_places_mpi(bench, at)) != NULL; at++) {
        add_trips(&places, mpi, false);
        add_trips(&places, mpi, true);
    }
    twb_group_run(&places.group);
}

void twb_section_idle_places(struct twb_bench *bench)
{
    static const unsigned counts[] = {2, 8};
    static struct twb_places places;
    const char *mpi;
    twb_places_start(&places, bench, "idle_places", TWB_ROUNDS_FAR);
    for (size_t at = 0; (mpi = twb_places_mpi(bench, at)) != NULL; at++)
        for (size_t i = 0; i < 2; i++) {
            char size[40];
            const struct twb_placed placed = {.mpi = mpi,
                                              .places = counts[i],
                                              .number = "percent",
                                              .words = bench->quick
                                                           ? "bench --at-places idle 500 1500"
                                                           : "bench --at-places idle 2000 8000"};
            snprintf(size, sizeof size, "%u places", counts[i]);
            size_t lane = twb_places_lane(&places, &placed, bench->all, size, 1, "percent");
            twb_group_claim(&places.group, "idle_places", TWB_VALUE, lane, lane);
        }
    twb_group_run(&places.group);
}

// SPDX-License-Identifier: Apache-2.0
// Suite places: one place with two workers, and the same two processors shared by more places.
#include "places.h"

static const struct twb_program *const programs[] = {&twb_program_t1l, &twb_program_t3l,
                                                     &twb_program_queens};
#define PROGRAMS (sizeof programs / sizeof *programs)

// Each number of places, over each MPI, beside one place.
static void compare(struct twb_bench *bench, const char *section, const char *goal,
                    const unsigned *counts, size_t n)
{
    if (!twb_needs_two(bench, section))
        return;
    for (size_t i = 0; i < PROGRAMS; i++) {
        static struct twb_places places;
        twb_places_start(&places, bench, section, TWB_ROUNDS_CLOSE);
        size_t base = twb_places_program(&places, programs[i], "none", 1, 2, NULL, NULL);
        const char *mpi;
        for (size_t at = 0; (mpi = twb_places_mpi(bench, at)) != NULL; at++)
            for (size_t j = 0; j < n; j++) {
                size_t lane =
                    twb_places_program(&places, programs[i], mpi, counts[j], 1, NULL, NULL);
                twb_claim_beside(&places.group, goal, lane, base);
            }
        twb_group_run(&places.group);
    }
}

void twb_section_two_places(struct twb_bench *bench)
{
    static const unsigned two[] = {2};
    compare(bench, "two_places", "two_places", two, 1);
}

void twb_section_many_places(struct twb_bench *bench)
{
    static const unsigned many[] = {4, 8, 16};
    compare(bench, "many_places", "many_places", many, 3);
}

void twb_section_thirty_two(struct twb_bench *bench)
{
    static struct twb_places places;
    static const struct twb_program t1 = {"T1", "uts --style any --tree T1", "T1",
                                          "uts --style any --tree T1"};
    const char *mpi;
    twb_places_start(&places, bench, "places_32", TWB_ROUNDS_FAR);
    for (size_t at = 0; (mpi = twb_places_mpi(bench, at)) != NULL; at++) {
        size_t lane = twb_places_program(&places, &t1, mpi, 32, 1, NULL, NULL);
        twb_group_claim(&places.group, "places_32", TWB_VALUE, lane, lane);
    }
    twb_group_run(&places.group);
}

void twb_section_one_place(struct twb_bench *bench)
{
    static struct twb_places places;
    unsigned workers = bench->all < 2 ? 1 : 2;
    const char *mpi;
    twb_places_start(&places, bench, "one_place", TWB_ROUNDS_CLOSE);
    size_t base = twb_places_program(&places, &twb_program_t1l, "none", 1, workers, NULL, NULL);
    for (size_t at = 0; (mpi = twb_places_mpi(bench, at)) != NULL; at++) {
        size_t lane = twb_places_program(&places, &twb_program_t1l, mpi, 1, workers, NULL, NULL);
        twb_group_claim(&places.group, "one_place", TWB_RATIO, lane, base);
    }
    twb_group_run(&places.group);
}

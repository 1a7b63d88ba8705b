// SPDX-License-Identifier: Apache-2.0
// Suite places: two policies, and what the communication worker does with processors.
#include <stdio.h>

#include "places.h"

// What success-only leaves behind instead of failed steals, where `twill run` tells it.
static void tell_unanswered(struct twb_bench *bench, const char *mpi)
{
    double requests, ns;
    struct twb_placed placed = {
        .mpi = mpi,
        .places = 4,
        .number = "unanswered",
        .optional = true,
        .words = "run uts --tree T1 --workers 1 --check table --json --policy success-only"};
    if (!twb_placed_run(&placed, &requests))
        return;
    placed.number = "unanswered_ns";
    if (twb_placed_run(&placed, &ns))
        twb_report_remark(&bench->report, mpi,
                          "success-only, T1 at 4 places: %.0f requests left unanswered; those of "
                          "another run waited for %.3f ms in sum",
                          requests, 1e-6 * ns);
}

static void compare_policies(struct twb_bench *bench, const struct twb_program *program)
{
    static struct twb_places places;
    const char *mpi;
    twb_places_start(&places, bench, "success_only", TWB_ROUNDS_CLOSE);
    for (size_t at = 0; (mpi = twb_places_mpi(bench, at)) != NULL; at++) {
        size_t base =
            twb_places_program(&places, program, mpi, 4, 1, "--policy baseline", "baseline");
        size_t lane = twb_places_program(&places, program, mpi, 4, 1, "--policy success-only",
                                         "success-only");
        twb_group_claim(&places.group, "success_only", TWB_RATIO, lane, base);
    }
    twb_group_run(&places.group);
}

void twb_section_success_only(struct twb_bench *bench)
{
    const char *mpi;
    compare_policies(bench, &twb_program_t1l);
    compare_policies(bench, &twb_program_t3l);
    for (size_t at = 0; (mpi = twb_places_mpi(bench, at)) != NULL; at++)
        tell_unanswered(bench, mpi);
}

void twb_section_comm(struct twb_bench *bench)
{
    static const char *const others[] = {"dedicated", "shared"};
    static struct twb_places places;
    const char *mpi;
    if (!twb_needs_two(bench, "comm"))
        return;
    twb_places_start(&places, bench, "comm", TWB_ROUNDS_CLOSE);
    for (size_t at = 0; (mpi = twb_places_mpi(bench, at)) != NULL; at++) {
        size_t lane =
            twb_places_program(&places, &twb_program_t1l, mpi, 2, 1, "--comm auto", "auto");
        for (size_t i = 0; i < 2; i++) {
            char option[32];
            snprintf(option, sizeof option, "--comm %s", others[i]);
            size_t other =
                twb_places_program(&places, &twb_program_t1l, mpi, 2, 1, option, others[i]);
            twb_group_claim(&places.group, "comm_auto", TWB_RATIO, lane, other);
        }
    }
    twb_group_run(&places.group);
}

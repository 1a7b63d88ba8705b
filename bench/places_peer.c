// SPDX-License-Identifier: Apache-2.0
// Suite places: UTS beside a plain MPI program (peers/uts_mpi.c), both with portable SHA-1. The
// program is there as one writes it, and tuned for these trees; Twill with a task for each node,
// and with tasks of up to eight.
#include <stdio.h>
#include <unistd.h>

#include "places.h"

static const struct {
    const char *option, *name;
    const char *goals[2]; // on T1, on T3
} ways[] = {
    {"", "plain", {"vs_plain_mpi", "vs_plain_mpi_T3"}},
    {"--half", "tuned", {"vs_tuned_mpi", "vs_tuned_mpi"}},
};
static const char *const chunk_goals[] = {"vs_plain_mpi_chunks", "vs_plain_mpi_T3_chunks"};
static const struct twb_program trees[] = {
    {"T1", "uts --tree T1", "T1", "uts --tree T1"},
    {"T3", "uts --tree T3", "T3", "uts --tree T3"},
};

// Is the peer wanted and built? If so `path` is its own.
static bool find_peer(struct twb_bench *bench, const char *mpi, char *path, size_t size)
{
    char peer[32];
    snprintf(peer, sizeof peer, "uts-%s", mpi);
    snprintf(path, size, "%s/%s", bench->peers, peer);
    if (!twb_wanted(bench, peer))
        return false;
    if (access(path, X_OK) == 0)
        return true;
    twb_report_remark(&bench->report, mpi, "%s left out, not built (make peers)", peer);
    return false;
}

static void add_tree(struct twb_places *places, size_t tree, const char *mpi)
{
    char path[4200], words[32], size[40];
    size_t twill = twb_places_program(places, &trees[tree], mpi, 2, 1, "--sha portable", "twill");
    size_t chunks =
        twb_places_program(places, &trees[tree], mpi, 2, 1, "--sha portable --chunk 8", "chunks");
    if (!find_peer(places->group.bench, mpi, path, sizeof path))
        return;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        snprintf(words, sizeof words, "--tree %s %s", trees[tree].name, ways[i].option);
        snprintf(size, sizeof size, "%s 2x1 %s", trees[tree].name, ways[i].name);
        const struct twb_placed placed = {
            .mpi = mpi, .places = 2, .number = "seconds", .words = words, .program = path};
        size_t lane = twb_places_lane(places, &placed, 1, size, 1, "s");
        twb_claim_beside(&places->group, ways[i].goals[tree], twill, lane);
        if (i == 0)
            twb_claim_beside(&places->group, chunk_goals[tree], chunks, lane);
    }
}

void twb_section_plain_mpi(struct twb_bench *bench)
{
    static struct twb_places places;
    const char *mpi;
    if (!twb_needs_two(bench, "vs_plain_mpi"))
        return;
    twb_places_start(&places, bench, "vs_plain_mpi", TWB_ROUNDS_CLOSE);
    for (size_t at = 0; (mpi = twb_places_mpi(bench, at)) != NULL; at++)
        for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
            add_tree(&places, i, mpi);
    twb_group_run(&places.group);
}

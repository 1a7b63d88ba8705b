// SPDX-License-Identifier: Apache-2.0
// Suite collections: `auto` beside the other balances, with loads that stay, drift and jump. One
// run has all of them, which take turns iteration by iteration (apps/iterations.h). Not among them
// are `none`, which takes nearly twice as long, and `steal-all`, which is `steal` where no task is
// null.
#include <stdio.h>

#include "collections.h"
#include "places.h"

// Long enough to tell 2 % after the first two iterations, with the jump at the usual one.
#define ITERATIONS 20
#define QUICK_ITERATIONS 8

static const char balances[] = "steal,retentive,persist-central,persist-tree,auto";
static const char *const loads[] = {"stays", "drifts", "jumps", NULL};

struct scene {
    const char *mpi; // "none": one place
    unsigned places, workers;
};

static size_t add_lane(struct twb_places *lanes, const struct scene *scene, const char *name,
                       const char *words, const char *number, const char *unit)
{
    char all_words[256], size[40];
    bool is_alone = scene->places == 1;
    snprintf(all_words, sizeof all_words, "run drift %s --iterations %d --workers %u --json", words,
             lanes->group.bench->quick ? QUICK_ITERATIONS : ITERATIONS, scene->workers);
    snprintf(size, sizeof size, "%s, %u %s", name, is_alone ? scene->workers : scene->places,
             is_alone ? "workers" : "places");
    const struct twb_placed placed = {
        .mpi = scene->mpi, .places = scene->places, .number = number, .words = all_words};
    return twb_places_lane(lanes, &placed, scene->workers, size, 1, unit);
}

static void add_scene(struct twb_places *lanes, const struct scene *scene)
{
    for (size_t i = 0; loads[i]; i++) {
        char words[128];
        snprintf(words, sizeof words, "--load %s --balance %s", loads[i], balances);
        size_t lane = add_lane(lanes, scene, loads[i], words, "auto_ratio", "times");
        twb_group_claim(&lanes->group, "auto", TWB_VALUE, lane, lane);
    }
    size_t lane =
        add_lane(lanes, scene, "adapted", "--load jumps --balance auto", "adapted", "iterations");
    twb_group_claim(&lanes->group, "auto_adapts", TWB_VALUE, lane, lane);
}

void twb_section_auto(struct twb_bench *bench)
{
    static struct twb_places lanes;
    const char *mpi;
    if (!twb_needs_two(bench, "auto"))
        return;
    twb_places_start(&lanes, bench, "auto", TWB_ROUNDS_CLOSE);
    add_scene(&lanes, &(struct scene){.mpi = "none", .places = 1, .workers = 2});
    for (size_t at = 0; (mpi = twb_places_mpi(bench, at)) != NULL; at++)
        add_scene(&lanes, &(struct scene){.mpi = mpi, .places = 2, .workers = 1});
    twb_group_run(&lanes.group);
}

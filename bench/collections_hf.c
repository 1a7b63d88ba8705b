// SPDX-License-Identifier: Apache-2.0
// Suite collections: Hartree-Fock. What an integral costs, and what Twill adds to a Fock build.
#include "collections.h"

// Chains of beryllium atoms and their integrals above 1e-6.
struct chain {
    long atoms;
    const char *name;
    uint64_t integrals;
};
static const struct chain be4 = {4, "Be4", 4845492}, be8 = {8, "Be8", 25916212};

static struct twb_lane lane_of(const struct chain *chain, const char *case_name)
{
    return (struct twb_lane){.case_name = case_name,
                             .size_name = chain->name,
                             .workers = 1,
                             .size = chain->atoms,
                             .scale = 1e9 / (double)chain->integrals,
                             .unit = "ns/integral",
                             .expected = chain->integrals};
}

// `pairs` is what this machine gets; where that has no AVX2 it is the portable one.
void twb_section_integral(struct twb_bench *bench)
{
    struct twb_group group;
    struct twb_lane lane = lane_of(bench->quick ? &be4 : &be8, "integral");
    twb_group_start(&group, bench, "integral", TWB_ROUNDS_FAR);
    size_t pairs = twb_add_lane(&group, lane, "pairs", NULL, "hf_plain");
    size_t portable = twb_add_lane(&group, lane, "portable", NULL, "hf_portable");
    size_t straight = twb_add_lane(&group, lane, "straight", NULL, "hf_straight");
    twb_group_claim(&group, "integral", TWB_RATIO, pairs, straight);
    twb_group_claim(&group, "integral_portable", TWB_RATIO, portable, straight);
    twb_group_run(&group);
}

// The machine differs by a tenth from one build to the next, and what is claimed is a fiftieth. So
// builds are short, that both of a pair see the same machine, and many.
enum { ROUNDS_OVERHEAD = 200, ROUNDS_TWO = 100 };

static void overhead(struct twb_bench *bench)
{
    struct twb_group group;
    struct twb_lane lane = lane_of(bench->quick ? &be4 : &be8, "hf");
    twb_group_start(&group, bench, "hf, overhead", ROUNDS_OVERHEAD);
    size_t plain = twb_add_lane(&group, lane, "plain", NULL, "hf_plain");
    size_t tasks = twb_add_lane(&group, lane, "twill", NULL, "hf_tasks");
    twb_group_claim(&group, "hf_overhead", TWB_RATIO, tasks, plain);
    twb_group_run(&group);
}

static void speed_up(struct twb_bench *bench)
{
    struct twb_group group;
    struct twb_lane lane = lane_of(bench->quick ? &be4 : &be8, "hf");
    twb_group_start(&group, bench, "hf, two workers", ROUNDS_TWO);
    size_t one = twb_add_lane(&group, lane, "twill", NULL, "hf_tasks");
    lane.workers = 2;
    size_t two = twb_add_lane(&group, lane, "twill", NULL, "hf_tasks");
    twb_group_claim(&group, "hf_two", TWB_RATIO, one, two);
    twb_group_run(&group);
}

void twb_section_hf(struct twb_bench *bench)
{
    overhead(bench);
    if (twb_needs_two(bench, "hf_two"))
        speed_up(bench);
}

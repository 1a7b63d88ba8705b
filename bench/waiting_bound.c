// SPDX-License-Identifier: Apache-2.0
// Suite waiting: random trees of forks whose leaves compute for a while and, every other one, sleep
// first. Printed beside each other: what theory expects to matter (work W / workers P, the span S,
// the width U: leaves that can sleep at once) and what the scheduler counted.
#include <math.h>
#include <stdio.h>

#include "cases.h"
#include "leaves.h"
#include "src/base/rng.h"
#include "waiting.h"

enum {
    DEPTH_MAX = 12,
    DEPTH_LEAST = 5, // leaves are deeper
    LEAF_CHANCE = 6, // of a node to be one: one in so many
    WORK_US_MAX = 40,
    SLEEP_US_MAX = 2000,
    SEEDS = 5,
    SEEDS_QUICK = 1,
};

// A part of the tree; all that is in it follows from the seed.
struct part {
    uint64_t seed;
    unsigned depth;
};

struct leaf {
    long work_us, sleep_us;
};

// False: it has two parts.
static bool is_leaf(const struct part *part, struct leaf *leaf)
{
    struct twi_rng rng = {part->seed};
    *leaf = (struct leaf){1 + twi_rng_below(&rng, WORK_US_MAX), 0};
    if (twi_rng_below(&rng, 2))
        leaf->sleep_us = 1 + twi_rng_below(&rng, SLEEP_US_MAX);
    return part->depth == DEPTH_MAX ||
           (part->depth >= DEPTH_LEAST && twi_rng_below(&rng, LEAF_CHANCE) == 0);
}

static struct part part_of(const struct part *part, unsigned which)
{
    struct twi_rng rng = {part->seed * 2 + which};
    return (struct part){twi_rng_next(&rng), part->depth + 1};
}

// What theory needs to know of a tree.
struct figures {
    double work_us, span_us;
    unsigned width;
};

static struct figures figures_of(const struct part *part)
{
    struct leaf leaf;
    if (is_leaf(part, &leaf))
        return (struct figures){(double)leaf.work_us, (double)(leaf.work_us + leaf.sleep_us),
                                leaf.sleep_us > 0};
    struct part left = part_of(part, 0), right = part_of(part, 1);
    struct figures a = figures_of(&left), b = figures_of(&right);
    return (struct figures){a.work_us + b.work_us, fmax(a.span_us, b.span_us), a.width + b.width};
}

TW_FUNCTION(uint64_t, run_part, {
    struct part part;
    long loops;
})
{
    struct leaf leaf;
    if (is_leaf(&self.part, &leaf)) {
        if (leaf.sleep_us > 0)
            twb_require(tw_sleep((uint64_t)leaf.sleep_us * 1000));
        return twb_leaf(0, (uint64_t)(leaf.work_us * self.loops));
    }
    tw_forked(run_part) left =
        tw_fork(run_part, .part = part_of(&self.part, 0), .loops = self.loops);
    uint64_t right = tw_call(run_part, .part = part_of(&self.part, 1), .loops = self.loops);
    return tw_join(run_part, left) + right;
}

TW_TASK(run_parts, {
    struct part part;
    uint64_t *sum;
})
{
    *self.sum = tw_call(run_part, .part = self.part, .loops = twb_setting("TWB_LOOPS", 1));
}

static void report(struct twb_bench *bench, uint64_t seed, const char *name, const char *unit,
                   double value)
{
    struct twb_row row = {
        .case_name = name, .runtime = "twill", .workers = bench->all < 2 ? 1 : 2, .unit = unit};
    snprintf(row.size, sizeof row.size, "seed %u", (unsigned)seed);
    twb_report_samples(&bench->report, &row, &value, 1);
}

static void run_seed(struct twb_bench *bench, uint64_t seed)
{
    struct part all = {.seed = seed};
    struct figures tree = figures_of(&all);
    struct tw_stats stats = {.room = 0};
    struct tw_options options;
    uint64_t sum;
    tw_options_init(&options, NULL, 0);
    options.workers = bench->all < 2 ? 1 : 2;
    options.stats = &stats;
    double start = twb_seconds();
    twb_require(tw_run_with(&options, run_parts, .part = all, .sum = &sum));
    double seconds = twb_seconds() - start, workers = options.workers;
    double expected = workers * tree.span_us * (1 + log2(tree.width < 1 ? 1 : tree.width));
    report(bench, seed, "bound_time", "us", seconds * 1e6);
    report(bench, seed, "bound_W/P", "us", tree.work_us / workers);
    report(bench, seed, "bound_S", "us", tree.span_us);
    report(bench, seed, "bound_U", "leaves", tree.width);
    report(bench, seed, "bound_steals_tried", "", (double)stats.sum.steals_tried);
    report(bench, seed, "bound_steals", "", (double)stats.sum.steals);
    report(bench, seed, "bound_parks", "", (double)stats.sum.parks);
    report(bench, seed, "bound_stacks", "", (double)stats.sum.stacks);
    report(bench, seed, "bound_tried_of", "P S (1 + lg U)",
           (double)stats.sum.steals_tried / expected);
}

void twb_section_bound(struct twb_bench *bench)
{
    twb_set_loops();
    for (uint64_t seed = 1; seed <= (bench->quick ? SEEDS_QUICK : SEEDS); seed++)
        run_seed(bench, seed);
}

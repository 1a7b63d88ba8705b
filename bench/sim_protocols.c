// SPDX-License-Identifier: Apache-2.0
// Suite sim: whole simulations. What the protocols' paper found, at its size; every policy on
// different work and machines; and what such a simulation costs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <twill/runtime.h>

#include "sim.h"
#include "sim/machine.h"
#include "sim/sweep.h"
#include "sim/works.h"

enum { SEEDS = 10, QUICK_SEEDS = 2, LIST_MOST = 512 };

static const struct twi_machine *policy_named(const char *name)
{
    for (size_t i = 0; twi_policies[i]; i++)
        if (strcmp(twi_policies[i]->name, name) == 0)
            return twi_policies[i];
    return NULL;
}

// One kind of work on a number of Edison's places.
struct scene {
    const char *name;
    const char *tree; // or, if NULL,
    uint32_t queens;  // or, if 0, a spread
    enum sim_distribution distribution;
    enum sim_placement placement;
    uint32_t places, workers;
};

// A spread has other costs with each seed.
static struct sim_work *work_of(const struct scene *scene, const struct twi_sim_machine *machine,
                                uint64_t seed)
{
    char message[256];
    struct sim_uts uts = {.tree = scene->tree, .node_ns = machine->node_ns};
    struct sim_nqueens queens = {
        .n = scene->queens, .cutoff = SIM_NQUEENS_CUTOFF, .node_ns = machine->node_ns};
    struct sim_spread spread = {.tasks = 40000,
                                .distribution = scene->distribution,
                                .mean_ns = 50000,
                                .seed = seed,
                                .placement = scene->placement};
    return scene->tree     ? sim_work_uts(&uts, message, sizeof message)
           : scene->queens ? sim_work_nqueens(&queens, message, sizeof message)
                           : sim_work_spread(&spread, message, sizeof message);
}

struct series {
    struct sim_options options[LIST_MOST];
    struct sim_sweep sweep;
    double makespan_s[LIST_MOST];
    struct sim_work *work[SEEDS]; // of each seed
    double seconds;               // of real time
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// Every policy of the list with every seed, on a scene. False: something went wrong, and was said.
static bool run_series(struct twb_bench *bench, struct series *series, const struct scene *scene,
                       const struct twi_machine *const *policies, size_t count, size_t seeds)
{
    struct twi_sim_machine machine;
    char message[256];
    memset(series, 0, sizeof *series);
    if (sim_machine_read("edison", &machine, message, sizeof message) != 0)
        return false;
    machine.places = scene->places;
    machine.workers = scene->workers;
    for (size_t seed = 0; seed < seeds; seed++)
        if (!(series->work[seed] = work_of(scene, &machine, seed + 1)))
            return false;
    for (size_t i = 0; i < count * seeds; i++)
        series->options[i] = (struct sim_options){.machine = machine,
                                                  .work = series->work[i % seeds],
                                                  .policy = policies[i / seeds],
                                                  .detector = twi_detectors[0],
                                                  .seed = i % seeds + 1};
    series->sweep = (struct sim_sweep){.options = series->options, .count = count * seeds};
    double begun = now();
    int error = sim_sweep_run(&series->sweep, NULL);
    series->seconds = now() - begun;
    for (size_t i = 0; i < count * seeds && !error; i++) {
        const struct sim_result *result = &series->sweep.results[i];
        bench->report.wrong |= result->end != SIM_DONE || result->verdict == 0;
        series->makespan_s[i] = (double)result->makespan_ns * 1e-9;
    }
    return !error;
}

static void end_series(struct series *series)
{
    sim_sweep_free(&series->sweep);
    for (size_t i = 0; i < SEEDS && series->work[i]; i++)
        series->work[i]->destroy(series->work[i]);
}

static void add_row(struct twb_bench *bench, const char *case_name, const struct scene *scene,
                    const char *policy, const char *unit, const double *sample, size_t n)
{
    struct twb_row row = {
        .case_name = case_name, .runtime = policy, .workers = scene->workers, .unit = unit};
    snprintf(row.size, sizeof row.size, "%s/%u", scene->name, scene->places);
    twb_report_samples(&bench->report, &row, sample, n);
}

// ---- the paper ----

// A statistic of each seed, in percent of another or as it is.
static void judge_each(struct twb_bench *bench, const char *goal, const struct scene *scene,
                       const char *policy, const double *sample, size_t n)
{
    struct twb_interval worst = twb_median_interval(sample, n);
    for (size_t i = 0; i < n; i++) {
        worst.low = sample[i] < worst.low ? sample[i] : worst.low;
        worst.high = sample[i] > worst.high ? sample[i] : worst.high;
    }
    add_row(bench, goal, scene, policy, "", sample, n);
    twb_report_goal(&bench->report, goal, worst);
}

static void judge_statistics(struct twb_bench *bench, const struct scene *scene,
                             const struct sim_result *results, size_t seeds)
{
    double failed[SEEDS], cyclic[SEEDS], few[SEEDS];
    for (size_t i = 0; i < seeds; i++) {
        const struct twi_steal_stats *steals = &results[i].sum.steals;
        uint64_t searches = 0;
        for (int victims = 0; victims <= TWI_VICTIMS_MOST; victims++)
            searches += steals->victims[victims];
        uint64_t two = steals->victims[0] + steals->victims[1] + steals->victims[2];
        failed[i] = (double)steals->failed;
        cyclic[i] = 100.0 * (double)steals->cyclic / (double)(steals->steals + !steals->steals);
        few[i] = 100.0 * (double)two / (double)(searches + !searches);
    }
    judge_each(bench, "success_failed", scene, "success-only", failed, seeds);
    judge_each(bench, "success_cyclic", scene, "success-only", cyclic, seeds);
    judge_each(bench, "success_two_victims", scene, "success-only", few, seeds);
}

static void run_paper(struct twb_bench *bench, const struct scene *scene)
{
    const struct twi_machine *policies[] = {policy_named("success-only"), policy_named("baseline")};
    size_t seeds = bench->quick ? QUICK_SEEDS : SEEDS;
    struct series *series = malloc(sizeof *series);
    if (series && run_series(bench, series, scene, policies, 2, seeds)) {
        judge_statistics(bench, scene, series->sweep.results, seeds);
        add_row(bench, "makespan", scene, "success-only", "s", series->makespan_s, seeds);
        add_row(bench, "makespan", scene, "baseline", "s", series->makespan_s + seeds, seeds);
        twb_report_goal(&bench->report, "success_vs_baseline",
                        twb_pair_ratio(series->makespan_s, series->makespan_s + seeds, seeds));
    }
    if (series)
        end_series(series);
    free(series);
}

void twb_section_paper(struct twb_bench *bench)
{
    static const struct scene scenes[] = {
        {.name = "T1L", .tree = "T1L", .places = 512, .workers = 23},
        {.name = "T3L", .tree = "T3L", .places = 512, .workers = 23},
        {.name = "NQ14", .queens = 14, .places = 512, .workers = 23},
    };
    static const struct scene small = {.name = "T1", .tree = "T1", .places = 64, .workers = 23};
    if (bench->quick) {
        run_paper(bench, &small);
        return;
    }
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        run_paper(bench, &scenes[i]);
}

// ---- every policy ----

// Adaptive over the best of the others, and the best of the others over adaptive.
static void judge_adaptive(struct twb_bench *bench, const struct series *series, size_t count,
                           size_t seeds)
{
    size_t best = 1;
    double best_median = 0;
    for (size_t i = 1; i < count; i++) {
        double median = twb_median(series->makespan_s + i * seeds, seeds);
        if (i == 1 || median < best_median) {
            best = i;
            best_median = median;
        }
    }
    const double *other = series->makespan_s + best * seeds;
    struct twb_interval regret = twb_pair_ratio(series->makespan_s, other, seeds);
    twb_report_goal(&bench->report, "adaptive_regret", regret);
}

static void run_all(struct twb_bench *bench, const struct scene *scene)
{
    size_t seeds = bench->quick ? QUICK_SEEDS : SEEDS, count = 1;
    const struct twi_machine *policies[16] = {policy_named("adaptive")};
    for (size_t i = 0; twi_policies[i] && count < 16; i++)
        if (twi_policies[i] != policies[0])
            policies[count++] = twi_policies[i];
    struct series *series = malloc(sizeof *series);
    if (series && run_series(bench, series, scene, policies, count, seeds)) {
        for (size_t i = 0; i < count; i++)
            add_row(bench, "makespan", scene, policies[i]->name, "s",
                    series->makespan_s + i * seeds, seeds);
        judge_adaptive(bench, series, count, seeds);
    }
    if (series)
        end_series(series);
    free(series);
}

void twb_section_adaptive(struct twb_bench *bench)
{
    static const struct scene scenes[] = {
        {.name = "T1", .tree = "T1", .places = 8, .workers = 23},
        {.name = "T1", .tree = "T1", .places = 64, .workers = 23},
        {.name = "T3", .tree = "T3", .places = 8, .workers = 23},
        {.name = "T3", .tree = "T3", .places = 64, .workers = 23},
        {.name = "T1", .tree = "T1", .places = 512, .workers = 3},
        {.name = "NQ12", .queens = 12, .places = 64, .workers = 7},
        {.name = "exponential", .distribution = SIM_EXPONENTIAL, .places = 64, .workers = 7},
        {.name = "pareto",
         .distribution = SIM_PARETO,
         .placement = SIM_SKEWED,
         .places = 64,
         .workers = 7},
        {.name = "constant",
         .distribution = SIM_CONSTANT,
         .placement = SIM_IN_BLOCKS,
         .places = 16,
         .workers = 7},
        {.name = "bimodal",
         .distribution = SIM_BIMODAL,
         .placement = SIM_AT_RANDOM,
         .places = 128,
         .workers = 3},
    };
    size_t count = bench->quick ? 2 : sizeof scenes / sizeof *scenes;
    for (size_t i = 0; i < count; i++)
        run_all(bench, &scenes[i]);
}

// ---- what it costs ----

static void judge_point(struct twb_bench *bench, const char *goal, double value)
{
    twb_report_goal(&bench->report, goal, (struct twb_interval){value, value, value, 1});
}

void twb_section_whole(struct twb_bench *bench)
{
    struct scene scene = {.name = "T1L", .tree = "T1L", .places = 512, .workers = 23};
    const struct twi_machine *policy = policy_named("success-only");
    if (bench->quick)
        scene.name = scene.tree = "T1";
    struct series *series = malloc(sizeof *series);
    if (series && run_series(bench, series, &scene, &policy, 1, 1)) {
        const struct sim_result *result = &series->sweep.results[0];
        double cores = (double)scene.places * (scene.workers + 1);
        double bytes = (double)result->bytes / cores;
        double rate = (double)result->events / series->seconds;
        add_row(bench, "whole_seconds", &scene, "twill", "s", &series->seconds, 1);
        add_row(bench, "whole_events", &scene, "twill", "events/s", &rate, 1);
        add_row(bench, "whole_bytes", &scene, "twill", "bytes", &bytes, 1);
        judge_point(bench, "whole_seconds", series->seconds);
        judge_point(bench, "whole_bytes", bytes);
    }
    if (series)
        end_series(series);
    free(series);
}

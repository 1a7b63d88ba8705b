// SPDX-License-Identifier: Apache-2.0
// Suite tasks: sort, skynet and FFT, beside the sequential program and beside the peers.
#include "app_data.h"
#include "apps/skynet/skynet.h"
#include "forkjoin.h"
#include "tasks_sections.h"

// A way another runtime does the same. `goal`: that runtime over Twill, or NULL.
struct rival {
    const char *runtime, *program, *serve, *goal;
};

struct program {
    const char *sequential; // the cases to serve
    const char *twill, *twill_async;
    const char *two; // goal: sequential over two workers, or NULL
    unsigned least;  // workers with which the rivals' goals are measured, or more
    const struct rival *rivals;
    size_t count;
};

static void add_rivals(struct twb_group *group, const struct program *program, struct twb_lane lane,
                       size_t twill)
{
    for (const struct rival *r = program->rivals; r < program->rivals + program->count; r++) {
        if (!twb_wanted(group->bench, r->program))
            continue;
        size_t rival = twb_add_lane(group, lane, r->runtime, r->program, r->serve);
        if (r->goal && lane.workers >= program->least)
            twb_group_claim(group, r->goal, TWB_RATIO, rival, twill);
    }
}

static void run_program(struct twb_bench *bench, const struct program *program,
                        struct twb_lane lane)
{
    struct twb_group group;
    unsigned counts[TWB_COUNTS_MAX];
    size_t n = twb_worker_counts(bench, counts);
    twb_group_start(&group, bench, lane.case_name, TWB_ROUNDS_CLOSE);
    lane.workers = 1;
    size_t sequential = twb_add_lane(&group, lane, "sequential", NULL, program->sequential);
    for (size_t i = 0; i < n; i++) {
        lane.workers = counts[i];
        size_t twill = twb_add_lane(&group, lane, "twill", NULL, program->twill);
        if (program->twill_async)
            twb_add_lane(&group, lane, "twill-async", NULL, program->twill_async);
        if (program->two && counts[i] == 2)
            twb_group_claim(&group, program->two, TWB_RATIO, sequential, twill);
        add_rivals(&group, program, lane, twill);
    }
    twb_group_run(&group);
}

// Each peer by the merge sort that Twill's is too, and by what its library has for users. On one
// worker there is nothing to schedule: what has the same kernel differs by chance.
void twb_section_sort(struct twb_bench *bench)
{
    static const struct rival rivals[] = {
        {"openmp-gcc", "openmp-gcc", "sort", NULL},
        {"openmp-clang", "openmp-clang", "sort", NULL},
        {"tbb", "tbb", "sort", "sort_vs_tbb"},
        {"tbb-sort", "tbb", "sort_library", "sort_vs_tbb"},
        {"rayon", "rayon", "sort", "sort_vs_rayon"},
        {"rayon-sort", "rayon", "sort_library", "sort_vs_rayon"},
    };
    const struct program program = {.sequential = "sort",
                                    .twill = "sort_fork",
                                    .two = "sort_two",
                                    .least = 2,
                                    .rivals = rivals,
                                    .count = sizeof rivals / sizeof *rivals};
    long keys = bench->quick ? 300000 : 10000000;
    struct twb_lane lane = {.case_name = "sort",
                            .size = keys,
                            .scale = 1e9 / (double)keys,
                            .unit = "ns/key",
                            .expected = twb_sort_expected(keys)};
    run_program(bench, &program, lane);
}

// rayon-iter is the least to write; rayon then decides how many tasks there are, which is fewer
// than nodes.
void twb_section_skynet(struct twb_bench *bench)
{
    static const struct rival rivals[] = {
        {"openmp-gcc", "openmp-gcc", "skynet", "skynet"},
        {"openmp-clang", "openmp-clang", "skynet", "skynet"},
        {"tbb", "tbb", "skynet", "skynet"},
        {"rayon", "rayon", "skynet", "skynet"},
        {"rayon-iter", "rayon", "skynet_iter", "skynet"},
    };
    const struct program program = {.sequential = "skynet",
                                    .twill = "skynet_fork",
                                    .twill_async = "skynet_async",
                                    .rivals = rivals,
                                    .count = sizeof rivals / sizeof *rivals};
    long leaves = bench->quick ? 10000 : 1000000;
    struct twb_lane lane = {.case_name = "skynet",
                            .size = leaves,
                            .scale = 1e9 / (double)skynet_nodes((uint64_t)leaves),
                            .unit = "ns/node",
                            .expected = skynet_sum((uint64_t)leaves)};
    run_program(bench, &program, lane);
}

void twb_section_fft(struct twb_bench *bench)
{
    static const struct rival rivals[] = {
        {"openmp-gcc", "openmp-gcc", "fft", NULL},
        {"openmp-clang", "openmp-clang", "fft", NULL},
        {"tbb", "tbb", "fft", NULL},
        {"rayon", "rayon", "fft", NULL},
    };
    const struct program program = {.sequential = "fft",
                                    .twill = "fft_fork",
                                    .rivals = rivals,
                                    .count = sizeof rivals / sizeof *rivals};
    long log2n = bench->quick ? 14 : 20;
    struct twb_lane lane = {.case_name = "fft",
                            .size = log2n,
                            .scale = 1e3,
                            .unit = "ms",
                            .expected = UINT64_C(1) << log2n};
    run_program(bench, &program, lane);
}

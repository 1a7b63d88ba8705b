// SPDX-License-Identifier: Apache-2.0
// Suite tasks: the product of matrices and sweeps over a grid (case_kernels.c).
//
// Sizes are such that memory is not what limits: a tile of the product works in the second cache,
// and both grids of the sweeps, 16 MB together, are meant to stay in the last one. 1000 rather than
// 1024 points a row: with a power of two the rows above and below would share their cache sets.
#include "kernels.h"
#include "tasks.h"

struct kernel {
    const char *name, *sequential, *loop;
    long size, size_quick;
    const char *two; // goals
    struct twb_peer_goal peers[3];
    uint64_t (*expected)(long size);
};

static void run_kernel(struct twb_bench *bench, const struct kernel *kernel)
{
    struct twb_group group;
    unsigned counts[TWB_COUNTS_MAX];
    size_t n = twb_worker_counts(bench, counts);
    long size = bench->quick ? kernel->size_quick : kernel->size;
    struct twb_lane lane = {.case_name = kernel->name,
                            .size = size,
                            .scale = 1e3,
                            .unit = "ms",
                            .expected = kernel->expected(size)};
    twb_group_start(&group, bench, kernel->name, TWB_ROUNDS_CLOSE);
    lane.runtime = "sequential", lane.serve = kernel->sequential, lane.workers = 1;
    size_t sequential = twb_group_lane(&group, &lane);
    for (size_t i = 0; i < n; i++) {
        lane.runtime = "twill", lane.serve = kernel->loop, lane.workers = counts[i];
        size_t twill = twb_group_lane(&group, &lane);
        if (counts[i] == 2)
            twb_group_claim(&group, kernel->two, TWB_RATIO, sequential, twill);
        lane.serve = kernel->name;
        twb_claim_peers(&group, lane, twill, counts[i] == 2 ? kernel->peers : NULL);
    }
    twb_group_run(&group);
}

void twb_section_matmul(struct twb_bench *bench)
{
    static const struct kernel matmul = {
        .name = "matmul",
        .sequential = "matmul",
        .loop = "matmul_loop",
        .size = 768,
        .size_quick = 200,
        .two = "matmul_two",
        .peers = {{"tbb", "matmul_vs_tbb"}, {"rayon", "matmul_vs_rayon"}},
        .expected = twb_matmul_expected,
    };
    run_kernel(bench, &matmul);
}

void twb_section_stencil(struct twb_bench *bench)
{
    static const struct kernel stencil = {
        .name = "stencil",
        .sequential = "stencil",
        .loop = "stencil_loop",
        .size = 1000,
        .size_quick = 200,
        .two = "stencil_two",
        .peers = {{"tbb", "stencil_vs_tbb"}, {"rayon", "stencil_vs_rayon"}},
        .expected = twb_stencil_expected,
    };
    run_kernel(bench, &stencil);
}

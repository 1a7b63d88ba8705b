// SPDX-License-Identifier: Apache-2.0
// Suite forkjoin: fib, n queens and UTS, Twill beside plain C and beside its peers.
#include <stdio.h>
#include <string.h>

#include "apps/fib/fib.h"
#include "apps/nqueens/nqueens.h"
#include "apps/uts/uts.h"
#include "forkjoin.h"

// ---- fib ----

static struct twb_lane fib_lane(const char *runtime, const char *program, const char *serve,
                                unsigned workers, long n)
{
    return (struct twb_lane){.case_name = "fib",
                             .runtime = runtime,
                             .program = program,
                             .serve = serve,
                             .workers = workers,
                             .size = n,
                             .scale = 1e9 / twb_fib_forks(n),
                             .unit = "ns/task",
                             .expected = fib_value((unsigned)n)};
}

static size_t add_fib(struct twb_group *group, const char *runtime, const char *program,
                      const char *serve, unsigned workers, long n)
{
    struct twb_lane lane = fib_lane(runtime, program, serve, workers, n);
    return twb_group_lane(group, &lane);
}

static void fib_beside_calls(struct twb_bench *bench)
{
    struct twb_group group;
    long n = bench->quick ? 30 : 34; // short runs, many of them: the machine's moods last longer
    twb_group_start(&group, bench, "fib", 4 * TWB_ROUNDS_CLOSE);
    size_t fork_two = 0;
    if (bench->all >= 2) {
        fork_two = add_fib(&group, "twill", NULL, "fib_fork", 2, n);
        add_fib(&group, "twill-async", NULL, "fib_async", 2, n);
    }
    size_t async = add_fib(&group, "twill-async", NULL, "fib_async", 1, n);
    size_t fork = add_fib(&group, "twill", NULL, "fib_fork", 1, n);
    size_t plain = add_fib(&group, "calls", NULL, "fib_plain", 1, n);
    size_t clang_plain = add_fib(&group, "calls-clang", "twill-clang", "fib_plain", 1, n);
    size_t clang_fork = add_fib(&group, "twill-clang", "twill-clang", "fib_fork", 1, n);
    twb_group_claim(&group, "fib_fork", TWB_RATIO, fork, plain);
    twb_group_claim(&group, "fib_fork_clang", TWB_RATIO, clang_fork, clang_plain);
    twb_group_claim(&group, "fib_finish", TWB_RATIO, async, plain);
    if (bench->all >= 2)
        twb_group_claim(&group, "fib_scaling", TWB_BEST_RATIO, fork, fork_two);
    twb_group_run(&group);
}

// Sizes are chosen so that a run takes about a tenth of a second; ns/task compares them.
static const struct {
    const char *runtime, *program, *serve, *goal;
    long n, quick_n;
} fib_peers[] = {
    {"rayon", "rayon", "fib", "fib_vs_rayon", 34, 30},
    {"tbb", "tbb", "fib", "fib_vs_tbb", 31, 27},
    {"tbb-group", "tbb", "fib_group", "fib_vs_tbb", 30, 27},
    {"openmp-gcc", "openmp-gcc", "fib", "fib_vs_openmp", 30, 27},
    {"openmp-clang", "openmp-clang", "fib", "fib_vs_openmp", 30, 27},
};

static void fib_beside_peers(struct twb_bench *bench, unsigned workers)
{
    struct twb_group group;
    twb_group_start(&group, bench, "fib beside peers", TWB_ROUNDS_CLOSE);
    size_t twill = add_fib(&group, "twill", NULL, "fib_fork", workers, bench->quick ? 33 : 38);
    for (size_t i = 0; i < sizeof fib_peers / sizeof *fib_peers; i++) {
        if (!twb_wanted(bench, fib_peers[i].program))
            continue;
        size_t peer =
            add_fib(&group, fib_peers[i].runtime, fib_peers[i].program, fib_peers[i].serve, workers,
                    bench->quick ? fib_peers[i].quick_n : fib_peers[i].n);
        twb_group_claim(&group, fib_peers[i].goal, TWB_RATIO, peer, twill);
    }
    twb_group_run(&group);
}

void twb_section_fib(struct twb_bench *bench)
{
    unsigned counts[TWB_COUNTS_MAX];
    size_t n = twb_worker_counts(bench, counts);
    fib_beside_calls(bench);
    if (strcmp(bench->against, "none") == 0)
        return;
    for (size_t i = 0; i < n; i++)
        fib_beside_peers(bench, counts[i]);
}

// ---- n queens ----

void twb_section_nqueens(struct twb_bench *bench)
{
    struct twb_group group;
    unsigned counts[TWB_COUNTS_MAX];
    size_t n = twb_worker_counts(bench, counts);
    long queens = bench->quick ? 11 : 13;
    struct twb_lane lane = {.case_name = "nqueens",
                            .size = queens,
                            .scale = 1e3,
                            .unit = "ms",
                            .expected = (uint64_t)nqueens_known((unsigned)queens)};
    twb_group_start(&group, bench, "nqueens", TWB_ROUNDS_FAR);
    lane.runtime = "sequential", lane.serve = "nqueens", lane.workers = 1;
    twb_group_lane(&group, &lane);
    for (size_t i = 0; i < n; i++) {
        lane.runtime = "twill", lane.serve = "nqueens_fork", lane.workers = counts[i];
        lane.program = NULL;
        twb_group_lane(&group, &lane);
        lane.serve = "nqueens";
        twb_add_peers(&group, lane);
    }
    twb_group_run(&group);
}

// ---- UTS ----

static struct twb_lane uts_lane(long tree, const char *case_name)
{
    static char name[8][8];
    struct twb_lane lane = {
        .case_name = case_name, .size_name = name[tree], .size = tree, .unit = "ns/node"};
    snprintf(name[tree], sizeof name[tree], "T%ld", tree);
    lane.expected = uts_find_named(name[tree])->known.nodes;
    lane.scale = 1e9 / (double)lane.expected;
    return lane;
}

static size_t add_uts(struct twb_group *group, struct twb_lane lane, const char *runtime,
                      const char *serve, unsigned workers)
{
    lane.runtime = runtime;
    lane.serve = serve;
    lane.workers = workers;
    return twb_group_lane(group, &lane);
}

static void uts_portable(struct twb_bench *bench, long tree)
{
    struct twb_group group;
    struct twb_lane lane = uts_lane(tree, "uts");
    twb_group_start(&group, bench, tree == 1 ? "uts T1" : "uts T3", TWB_ROUNDS_CLOSE);
    size_t async = add_uts(&group, lane, "twill-async", "uts_async", 1);
    size_t fork = add_uts(&group, lane, "twill", "uts_fork", 1);
    size_t sequential = add_uts(&group, lane, "sequential", "uts", 1);
    twb_group_claim(&group, "uts_sequential", TWB_VALUE, sequential, sequential);
    twb_group_claim(&group, "uts_one", TWB_RATIO, fork, sequential);
    twb_group_claim(&group, "uts_one_async", TWB_RATIO, async, sequential);
    if (bench->all >= 2) {
        size_t fork_two = add_uts(&group, lane, "twill", "uts_fork", 2);
        size_t async_two = add_uts(&group, lane, "twill-async", "uts_async", 2);
        twb_group_claim(&group, "uts_two", TWB_RATIO, sequential, fork_two);
        twb_group_claim(&group, "uts_two_async", TWB_RATIO, sequential, async_two);
    }
    twb_group_run(&group);
}

static void uts_shani(struct twb_bench *bench, long tree)
{
    struct twb_group group;
    struct twb_lane lane = uts_lane(tree, "uts-shani");
    twb_group_start(&group, bench, tree == 1 ? "uts T1, SHA-NI" : "uts T3, SHA-NI",
                    TWB_ROUNDS_CLOSE);
    add_uts(&group, lane, "twill-async", "uts_ni_async", 1);
    size_t fork = add_uts(&group, lane, "twill", "uts_ni_fork", 1);
    size_t sequential = add_uts(&group, lane, "sequential", "uts_ni", 1);
    twb_group_claim(&group, "uts_one_shani", TWB_RATIO, fork, sequential);
    if (bench->all >= 2) {
        size_t fork_two = add_uts(&group, lane, "twill", "uts_ni_fork", 2);
        add_uts(&group, lane, "twill-async", "uts_ni_async", 2);
        twb_group_claim(&group, "uts_two_shani", TWB_RATIO, sequential, fork_two);
    }
    twb_group_run(&group);
}

static void uts_beside_peers(struct twb_bench *bench, long tree)
{
    struct twb_group group;
    struct twb_lane lane = uts_lane(tree, "uts");
    unsigned counts[TWB_COUNTS_MAX];
    size_t n = twb_worker_counts(bench, counts);
    twb_group_start(&group, bench, "uts beside peers", TWB_ROUNDS_FAR);
    for (size_t i = 0; i < n; i++) {
        add_uts(&group, lane, "twill", "uts_fork", counts[i]);
        struct twb_lane peer = lane;
        peer.serve = "uts", peer.workers = counts[i];
        twb_add_peers(&group, peer);
    }
    twb_group_run(&group);
}

void twb_section_uts(struct twb_bench *bench)
{
    static const long trees[] = {1, 3};
    for (size_t i = 0; i < 2; i++) {
        uts_portable(bench, trees[i]);
        if (uts_hash_ni_available())
            uts_shani(bench, trees[i]);
        else
            twb_report_remark(&bench->report, "uts-shani",
                              "left out, this processor has no SHA-NI");
        if (strcmp(bench->against, "none") != 0)
            uts_beside_peers(bench, trees[i]);
    }
}

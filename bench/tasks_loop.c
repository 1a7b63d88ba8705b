// SPDX-License-Identifier: Apache-2.0
// Suite tasks: loops and reducers (case_loop.c, case_reducer.c).
#include "loops.h"
#include "tasks.h"

static size_t add(struct twb_group *group, struct twb_lane lane, const char *runtime,
                  const char *serve, unsigned workers)
{
    lane.runtime = runtime;
    lane.serve = serve;
    lane.workers = workers;
    return twb_group_lane(group, &lane);
}

// ---- overhead ----

static uint64_t expected_saxpy(long n)
{
    uint64_t sum = 0;
    for (long i = 0; i < n; i++)
        sum += (uint64_t)(2 * (i % 8) + i % 16);
    return sum;
}

static uint64_t expected_bytes(long n, uint8_t (*iteration)(long i))
{
    uint64_t sum = 0;
    for (long i = 0; i < n; i++)
        sum += iteration(i);
    return sum;
}

static struct twb_lane loop_lane(const char *case_name, long n, uint64_t expected)
{
    return (struct twb_lane){.case_name = case_name,
                             .size = n,
                             .scale = 1e9 / (double)n,
                             .unit = "ns/iteration",
                             .expected = expected};
}

static void loop_overhead(struct twb_bench *bench)
{
    struct twb_group group;
    long n = bench->quick ? 1000000 : 10000000;
    struct twb_lane saxpy = loop_lane("loop-saxpy", n, expected_saxpy(n));
    struct twb_lane cheap = loop_lane("loop-cheap", n, expected_bytes(n, twb_cheap));
    twb_group_start(&group, bench, "loop overhead", 2 * TWB_ROUNDS_CLOSE);
    size_t plain = add(&group, saxpy, "plain", "saxpy_plain", 1);
    size_t twill = add(&group, saxpy, "twill", "saxpy_loop", 1);
    twb_group_claim(&group, "loop_overhead", TWB_RATIO, twill, plain);
    plain = add(&group, cheap, "plain", "cheap_plain", 1);
    twill = add(&group, cheap, "twill", "cheap_loop", 1);
    twb_group_claim(&group, "loop_overhead", TWB_RATIO, twill, plain);
    twb_group_run(&group);
}

static void loop_two(struct twb_bench *bench)
{
    struct twb_group group;
    long n = bench->quick ? 500000 : 5000000;
    struct twb_lane even = loop_lane("loop-even", n, expected_bytes(n, twb_even));
    twb_group_start(&group, bench, "loop on two workers", TWB_ROUNDS_CLOSE);
    size_t plain = add(&group, even, "plain", "even_plain", 1);
    add(&group, even, "twill", "even_loop", 1);
    if (bench->all >= 2) {
        size_t two = add(&group, even, "twill", "even_loop", 2);
        twb_group_claim(&group, "loop_two", TWB_RATIO, plain, two);
    }
    twb_group_run(&group);
}

// ---- irregular loops ----

static const struct {
    const char *runtime, *program, *serve;
} schedules[] = {
    {"openmp-gcc static", "openmp-gcc", "loop_static"},
    {"openmp-gcc dynamic,1", "openmp-gcc", "loop_dynamic"},
    {"openmp-gcc dynamic,64", "openmp-gcc", "loop_dynamic64"},
    {"openmp-gcc guided", "openmp-gcc", "loop_guided"},
    {"openmp-clang static", "openmp-clang", "loop_static"},
    {"openmp-clang dynamic,1", "openmp-clang", "loop_dynamic"},
    {"openmp-clang dynamic,64", "openmp-clang", "loop_dynamic64"},
    {"openmp-clang guided", "openmp-clang", "loop_guided"},
};

// Each schedule is a part of the goal: it is judged by the best of them.
static void loop_irregular(struct twb_bench *bench, enum twb_cost cost, const char *name)
{
    struct twb_group group;
    long size = TWB_LOOP_SIZE(bench->quick ? 2000L : 8000L, cost);
    struct twb_lane lane = {.case_name = "loop",
                            .size_name = name,
                            .size = size,
                            .scale = 1e3,
                            .unit = "ms",
                            .expected = twb_loop_expected(size)};
    twb_group_start(&group, bench, name, TWB_ROUNDS_CLOSE);
    size_t twill = add(&group, lane, "twill", "irregular", 2);
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
        if (!twb_wanted(bench, schedules[i].program))
            continue;
        lane.program = schedules[i].program;
        size_t peer = add(&group, lane, schedules[i].runtime, schedules[i].serve, 2);
        twb_group_claim(&group, "loop_vs_openmp", TWB_RATIO, twill, peer);
    }
    twb_group_run(&group);
}

void twb_section_loop(struct twb_bench *bench)
{
    loop_overhead(bench);
    loop_two(bench);
    if (!twb_needs_two(bench, "irregular loops"))
        return;
    loop_irregular(bench, TWB_TRIANGULAR, "triangular");
    loop_irregular(bench, TWB_RANDOM, "random");
    loop_irregular(bench, TWB_HUGE, "one huge");
}

// ---- reducer ----

void twb_section_reducer(struct twb_bench *bench)
{
    struct twb_group group;
    long n = bench->quick ? 1000000 : 10000000;
    struct twb_lane lane = {.case_name = "reducer",
                            .size = n,
                            .scale = 1e9 / (double)n,
                            .unit = "ns/update",
                            .expected = (uint64_t)n * (uint64_t)(n - 1) / 2};
    twb_group_start(&group, bench, "reducer", TWB_ROUNDS_CLOSE);
    size_t plain = add(&group, lane, "plain", "update_plain", 1);
    add(&group, lane, "twill-opaque", "update_opaque", 1);
    size_t view = add(&group, lane, "twill", "update_view", 1);
    twb_group_claim(&group, "reducer_cost", TWB_RATIO, view, plain);
    twb_group_run(&group);
}

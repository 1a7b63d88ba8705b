// SPDX-License-Identifier: Apache-2.0
// Suite forkjoin: what a runtime costs beside the work: idling, start-up, memory, instructions.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "apps/uts/uts.h"
#include "forkjoin.h"

void twb_section_idle(struct twb_bench *bench)
{
    struct twb_group group;
    struct twb_lane lane = {.case_name = "idle",
                            .size_name = "",
                            .runtime = "twill",
                            .serve = "idle",
                            .workers = bench->all,
                            .size = bench->quick ? 300 : 1000,
                            .scale = 100,
                            .unit = "% of a core"};
    twb_group_start(&group, bench, "idle", TWB_ROUNDS_FAR);
    size_t twill = twb_group_lane(&group, &lane);
    twb_group_claim(&group, "idle_cpu", TWB_VALUE, twill, twill);
    twb_add_peers(&group, lane);
    twb_group_run(&group);
}

void twb_section_startup(struct twb_bench *bench)
{
    struct twb_group group;
    unsigned counts[TWB_COUNTS_MAX];
    size_t n = twb_worker_counts(bench, counts);
    struct twb_lane lane = {
        .case_name = "startup", .size_name = "", .serve = "startup", .scale = 1e6, .unit = "us"};
    twb_group_start(&group, bench, "startup", TWB_ROUNDS_CLOSE);
    for (size_t i = 0; i < n; i++) {
        lane.runtime = "twill", lane.program = NULL, lane.workers = counts[i];
        twb_group_lane(&group, &lane);
        twb_add_peers(&group, lane);
    }
    twb_group_run(&group);
}

void twb_section_memory(struct twb_bench *bench)
{
    struct twb_group group;
    struct twb_lane lane = {.case_name = "memory",
                            .size_name = "T3",
                            .size = 3,
                            .scale = 1e-6,
                            .unit = "MB",
                            .expected = uts_find_named("T3")->known.nodes,
                            .fresh = true,
                            .peak = true};
    twb_group_start(&group, bench, "memory", TWB_ROUNDS_FAR);
    lane.runtime = "sequential", lane.serve = "uts", lane.workers = 1;
    twb_group_lane(&group, &lane);
    lane.workers = bench->all < 2 ? 1 : 2;
    lane.runtime = "twill", lane.serve = "uts_fork";
    size_t fork = twb_group_lane(&group, &lane);
    lane.runtime = "twill-async", lane.serve = "uts_async";
    size_t async = twb_group_lane(&group, &lane);
    twb_group_claim(&group, "uts_memory", TWB_VALUE, fork, fork);
    twb_group_claim(&group, "uts_memory", TWB_VALUE, async, async);
    lane.serve = "uts";
    twb_add_peers(&group, lane);
    twb_group_run(&group);
}

// ---- instructions ----

#define VALGRIND "/usr/bin/valgrind"
#define SMALL_N 18
#define LARGE_N 24

// What callgrind says on stderr when its program ends: "==123== Collected : 4567".
static double collected(FILE *said)
{
    char line[256];
    double count = 0;
    rewind(said);
    while (fgets(line, sizeof line, said) != NULL)
        if (sscanf(line, "==%*d== Collected : %lf", &count) == 1)
            return count;
    return 0;
}

// Instructions of a process that serves `serve` once; 0 when they could not be counted.
static double count_instructions(const struct twb_bench *bench, const char *serve, long n)
{
    struct twb_server server;
    char size[16];
    double seconds, count = 0;
    uint64_t value;
    FILE *said = tmpfile();
    if (said == NULL)
        return 0;
    snprintf(size, sizeof size, "%ld", n);
    const char *argv[] = {VALGRIND,
                          "--tool=callgrind",
                          "--callgrind-out-file=/dev/null",
                          bench->self,
                          "bench",
                          "--serve",
                          serve,
                          "1",
                          size,
                          NULL};
    if (twb_server_start(&server, argv, fileno(said)) &&
        twb_server_ask(&server, &seconds, &value) && twb_server_stop(&server) == 0)
        count = collected(said);
    fclose(said);
    return count;
}

// The difference of two sizes is free of what starting and ending the process cost.
static bool instructions_per_fork(const struct twb_bench *bench, const char *serve, double *found)
{
    double small = count_instructions(bench, serve, SMALL_N);
    double large = count_instructions(bench, serve, LARGE_N);
    *found = (large - small) / (twb_fib_forks(LARGE_N) - twb_fib_forks(SMALL_N));
    return small > 0 && large > small;
}

static void report_instructions(struct twb_bench *bench, const char *runtime, double count)
{
    struct twb_row row = {.case_name = "instructions",
                          .size = "fib",
                          .runtime = runtime,
                          .workers = 1,
                          .unit = "per task"};
    twb_report_samples(&bench->report, &row, &count, 1);
}

void twb_section_instructions(struct twb_bench *bench)
{
    double fork, serial;
    if (access(VALGRIND, X_OK) != 0) {
        twb_report_remark(&bench->report, "instructions", "left out, no valgrind");
        return;
    }
    if (!instructions_per_fork(bench, "fib_fork", &fork) ||
        !instructions_per_fork(bench, "fib_serial", &serial)) {
        twb_report_remark(&bench->report, "instructions", "left out, callgrind gave no count");
        return;
    }
    report_instructions(bench, "twill", fork);
    report_instructions(bench, "elision", serial);
    double added = fork - serial;
    twb_report_goal(&bench->report, "fork_instructions",
                    (struct twb_interval){added, added, added, 1});
}

// SPDX-License-Identifier: Apache-2.0
// The suite forkjoin: what tasks on one machine cost, and how soon they are taken.
#include "forkjoin.h"

#include "apps/fib/fib.h"
#include "bench.h"

const char *const twb_forkjoin_peers[] = {"openmp-gcc", "openmp-clang", "tbb", "rayon", NULL};

double twb_fib_forks(long n)
{
    return (double)(fib_calls((unsigned)n) / 2);
}

size_t twb_worker_counts(const struct twb_bench *bench, unsigned counts[TWB_COUNTS_MAX])
{
    size_t n = 0;
    counts[n++] = 1;
    if (bench->all >= 2)
        counts[n++] = 2;
    if (bench->all > 2)
        counts[n++] = bench->all;
    return n;
}

void twb_add_peers(struct twb_group *group, struct twb_lane lane)
{
    for (const char *const *peer = twb_forkjoin_peers; *peer; peer++) {
        if (!twb_wanted(group->bench, *peer))
            continue;
        lane.runtime = lane.program = *peer;
        twb_group_lane(group, &lane);
    }
}

static const struct twb_goal goals[] = {
    {.name = "fib_fork",
     .sense = TWB_AT_MOST,
     .limit = 0.7,
     .what = "fork/join over the plain recursion of real calls, gcc, one worker"},
    {.name = "fib_fork_clang",
     .sense = TWB_AT_MOST,
     .limit = 1.1,
     .what = "the same, both compiled by clang"},
    {.name = "fib_finish",
     .sense = TWB_AT_MOST,
     .limit = 2.3,
     .what = "async/finish over the plain recursion of real calls, gcc, one worker"},
    {.name = "fib_scaling",
     .sense = TWB_AT_LEAST,
     .limit = 1.95,
     .what = "fork/join, one worker over two, best of runs"},
    {.name = "fib_vs_rayon",
     .sense = TWB_AT_LEAST,
     .limit = 4,
     .what = "rayon over Twill, worst number of workers"},
    {.name = "fib_vs_tbb",
     .sense = TWB_AT_LEAST,
     .limit = 30,
     .what = "oneTBB over Twill, worst number of workers"},
    {.name = "fib_vs_openmp",
     .sense = TWB_AT_LEAST,
     .limit = 20,
     .what = "OpenMP over Twill, worst compiler and number of workers"},
    {.name = "uts_sequential",
     .sense = TWB_AT_MOST,
     .limit = 1000.0 / 6,
     .what = "ns a node of the sequential search, portable SHA-1 (6 million nodes/s)"},
    {.name = "uts_one",
     .sense = TWB_AT_MOST,
     .limit = 1.03,
     .what = "T1 and T3, a fork per node, one worker over sequential"},
    {.name = "uts_one_async",
     .sense = TWB_AT_MOST,
     .limit = 1.08,
     .what = "T1 and T3, an async per node, one worker over sequential"},
    {.name = "uts_one_shani",
     .sense = TWB_AT_MOST,
     .limit = 1.12,
     .what = "as uts_one, with SHA-NI"},
    {.name = "uts_two",
     .sense = TWB_AT_LEAST,
     .limit = 1.93,
     .what = "T1 and T3, a fork per node, sequential over two workers"},
    {.name = "uts_two_async",
     .sense = TWB_AT_LEAST,
     .limit = 1.85,
     .what = "T1 and T3, an async per node, sequential over two workers"},
    {.name = "uts_two_shani",
     .sense = TWB_AT_LEAST,
     .limit = 1.75,
     .what = "as uts_two, with SHA-NI"},
    {.name = "uts_memory",
     .sense = TWB_AT_MOST,
     .limit = 4,
     .what = "peak MB of a process that searches T3, forks or asyncs"},
    {.name = "steal_hot",
     .sense = TWB_AT_MOST,
     .limit = 4,
     .what = "a fork until it starts at a searching thief, over a cache line's hand-over"},
    {.name = "wake_cold",
     .sense = TWB_AT_MOST,
     .limit = 1.3,
     .what = "a fork until it starts at a sleeping thief, over a bare futex wake"},
    {.name = "idle_cpu",
     .sense = TWB_AT_MOST,
     .limit = 1,
     .what = "% of a core that a pool without work uses after 100 ms"},
    {.name = "never_hidden",
     .sense = TWB_AT_MOST,
     .limit = 50,
     .what = "us until a searching or just freed thief takes a task its spawner does not share"},
    {.name = "never_hidden_asleep",
     .sense = TWB_AT_MOST,
     .limit = 2,
     .what = "the same with a sleeping thief, over a bare futex wake"},
    {.name = "fork_instructions",
     .sense = TWB_AT_MOST,
     .limit = 20,
     .what = "instructions a fork adds to the sequential elision"},
    {.name = NULL},
};

static const struct twb_section sections[] = {
    {"fib", "Fibonacci without cut-off: the cost of a task", twb_section_fib},
    {"nqueens", "n queens, a task per queen", twb_section_nqueens},
    {"uts", "unbalanced trees T1 and T3, a task per node", twb_section_uts},
    {"steal", "how soon a searching worker starts a task", twb_section_steal},
    {"wake", "how soon a sleeping worker starts a task", twb_section_wake},
    {"hidden", "how soon a task is taken from a worker that only computes", twb_section_hidden},
    {"idle", "what a pool without work uses", twb_section_idle},
    {"startup", "making a pool for an empty task and ending it", twb_section_startup},
    {"memory", "peak memory of UTS T3", twb_section_memory},
    {"instructions", "instructions per fork, counted by callgrind", twb_section_instructions},
    {NULL, NULL, NULL},
};

const struct twb_suite twb_forkjoin = {
    .name = "forkjoin",
    .help = "fork/join and async/finish on one machine",
    .peers = twb_forkjoin_peers,
    .goals = goals,
    .sections = sections,
};

// SPDX-License-Identifier: Apache-2.0
// The suite waiting: tasks that wait, beside runtimes made for it.
#include "waiting.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "leaves.h"

static const char *const peers[] = {"go", "tokio", "boost", "threads", NULL};

static const struct twb_goal goals[] = {
    {.name = "mapreduce_timer_50",
     .sense = TWB_AT_MOST,
     .limit = 1.07,
     .what = "5000 leaves that sleep for 50 ms, Twill over sleep and work / workers"},
    {.name = "mapreduce_timer_5",
     .sense = TWB_AT_MOST,
     .limit = 1.35,
     .what = "the same with 5 ms"},
    {.name = "mapreduce_timer_1", .sense = TWB_AT_MOST, .limit = 1.9, .what = "the same with 1 ms"},
    {.name = "mapreduce_timer_50_vs_peers",
     .sense = TWB_AT_LEAST,
     .limit = 1,
     .what = "5000 leaves that sleep for 50 ms, the fastest peer over Twill"},
    {.name = "mapreduce_timer_5_vs_peers",
     .sense = TWB_AT_LEAST,
     .limit = 1,
     .what = "the same with 5 ms"},
    {.name = "mapreduce_timer_1_vs_peers",
     .sense = TWB_AT_LEAST,
     .limit = 1,
     .what = "the same with 1 ms"},
    {.name = "mapreduce_work",
     .sense = TWB_AT_MOST,
     .limit = 1.02,
     .what = "500 leaves that sleep and compute 500 us, Twill over sleep and work / workers"},
    {.name = "mapreduce_tcp_vs_go",
     .sense = TWB_AT_LEAST,
     .limit = 1,
     .what = "leaves that wait for answers over TCP, Go over Twill"},
    {.name = "mapreduce_tcp_vs_tokio",
     .sense = TWB_AT_LEAST,
     .limit = 1,
     .what = "leaves that wait for answers over TCP, Tokio over Twill"},
    {.name = "switch",
     .sense = TWB_AT_MOST,
     .limit = 1,
     .what = "a switch of stacks, Twill's over Boost.Context's"},
    {.name = "yield_vs_switch",
     .sense = TWB_AT_MOST,
     .limit = 2.5,
     .what = "two tasks yield to each other, a yield over a bare switch"},
    {.name = "yield_vs_go",
     .sense = TWB_AT_MOST,
     .limit = 0.4,
     .what = "two tasks yield to each other, Twill over Go"},
    {.name = "handover_vs_switch",
     .sense = TWB_AT_MOST,
     .limit = 2.5,
     .what = "a value passed to a task that waits for it, over a bare switch"},
    {.name = "handover_vs_go",
     .sense = TWB_AT_MOST,
     .limit = 0.4,
     .what = "a value passed to a task that waits for it, Twill over Go"},
    {.name = "spawn_parking_vs_bare",
     .sense = TWB_AT_MOST,
     .limit = 2.5,
     .what = "a task that suspends once, over a bare fiber that is begun and left"},
    {.name = "spawn_parking_vs_go",
     .sense = TWB_AT_MOST,
     .limit = 0.25,
     .what = "a task that suspends once, Twill over Go"},
    {.name = "parked_bytes",
     .sense = TWB_AT_MOST,
     .limit = 4608,
     .what = "bytes of each of a million tasks that wait"},
    {.name = "await_bytes",
     .sense = TWB_AT_MOST,
     .limit = 200,
     .what = "bytes of each of a million tasks that start when a future is there"},
    {.name = "live_fibers",
     .sense = TWB_AT_MOST,
     .limit = 1,
     .what = "fibers made, over twice the tasks that wait at once and 50 a worker"},
    {.name = NULL},
};

static const struct twb_section sections[] = {
    {"timer", "trees whose leaves sleep", twb_section_timer},
    {"work", "trees whose leaves sleep and compute", twb_section_work},
    {"tcp", "trees whose leaves wait for a server", twb_section_tcp},
    {"switch", "a bare switch of stacks", twb_section_switch},
    {"yield", "two tasks yield to each other", twb_section_yield},
    {"handover", "two tasks pass a value through futures", twb_section_handover},
    {"parking", "tasks that suspend once", twb_section_parking},
    {"parked", "memory of tasks that wait", twb_section_parked},
    {"live", "fibers of random graphs of futures", twb_section_live},
    {"curves", "waits that suspend beside waits that block, one and two workers",
     twb_section_curves},
    {"bound", "steals of random trees with waits, beside their work, span and width",
     twb_section_bound},
    {NULL, NULL, NULL},
};

const struct twb_suite twb_waiting = {
    .name = "waiting",
    .help = "tasks that wait: timers, sockets, futures",
    .peers = peers,
    .goals = goals,
    .sections = sections,
};

void twb_set_loops(void)
{
    char text[32];
    if (getenv("TWB_LOOPS") != NULL)
        return;
    snprintf(text, sizeof text, "%ld", twb_loops_per_us());
    setenv("TWB_LOOPS", text, 1);
}

void twb_claim_beside(struct twb_group *group, const char *goal, size_t twill, size_t peer)
{
    bool at_most = twb_report_find_goal(&group->bench->report, goal)->sense == TWB_AT_MOST;
    twb_group_claim(group, goal, TWB_RATIO, at_most ? twill : peer, at_most ? peer : twill);
}

// SPDX-License-Identifier: Apache-2.0
// The suite networks: messages between a central process and many others, beside runtimes that
// have channels.
#include "networks.h"

#include <string.h>

#include "bench.h"
#include "leaves.h"
#include "scatter.h"

#define MESSAGES_NS 50 // the two messages of a task and a round, about
#define QUICK_FEWER 10
#define THREADS_FEWER 20 // rounds: a message takes about so much longer
#define THREADS_MOST 250 // tasks

const char *const twb_network_peers[] = {"go", "tokio", "boost", "threads", NULL};

const struct twb_network_size twb_network_sizes[] = {
    {16, "16", "message_cost_16_vs_go", "message_cost_16_vs_tokio", "message_cost_16_vs_boost",
     "two_workers_16", "speedup_1us_16"},
    {50, "50", "message_cost_50_vs_go", "message_cost_50_vs_tokio", "message_cost_50_vs_boost",
     "two_workers_50", "speedup_1us_50"},
    {250, "250", "message_cost_250_vs_go", "message_cost_250_vs_tokio", "message_cost_250_vs_boost",
     "two_workers_250", "speedup_1us_250"},
    {1000, "1000", "message_cost_1000_vs_go", "message_cost_1000_vs_tokio",
     "message_cost_1000_vs_boost", "two_workers_1000", "speedup_1us_1000"},
    {.tasks = 0},
};

static const struct twb_section sections[] = {
    {"message_cost", "a message on one worker, without work", twb_section_message_cost},
    {"two_workers", "the same on two workers beside one", twb_section_two_workers},
    {"speedup_1us", "two workers, 1 us of work for each message", twb_section_speedup_1us},
    {"speedup_10us", "the same with 10 us and, unless quick, 100 us", twb_section_speedup_10us},
    {"policies", "each wake policy on two workers", twb_section_policies},
    {"steal_rate", "steal attempts under each wake policy", twb_section_steal_rate},
    {"no_harm", "forks, trees and hand-overs under each wake policy", twb_section_no_harm},
    {NULL, NULL, NULL},
};

const struct twb_suite twb_networks = {
    .name = "networks",
    .help = "processes and streams: scatter-gather, wake policies; see --experiment",
    .peers = twb_network_peers,
    .goals = twb_network_goals,
    .sections = sections,
    .experiments = true,
};

struct twb_scatter_cell twb_scatter_cell(const struct twb_bench *bench, long tasks, long work_ns,
                                         double run_ns)
{
    struct twb_scatter_cell cell;
    double rounds = run_ns / ((double)tasks * (double)(work_ns + MESSAGES_NS));
    if (bench->quick)
        rounds /= QUICK_FEWER;
    cell.cell = (struct twb_cell){tasks, work_ns, rounds < 1 ? 1 : (long)rounds};
    twb_scatter_name(cell.serve, sizeof cell.serve, tasks, work_ns);
    return cell;
}

static size_t add_rounds(struct twb_group *group, struct twb_lane lane,
                         const struct twb_scatter_cell *cell, long rounds)
{
    long tasks = cell->cell.tasks;
    struct twb_scatter scatter = {tasks, rounds, twb_loops_of(cell->cell.work_ns)};
    lane.serve = cell->serve;
    lane.size = rounds;
    lane.scale = 1e9 / (2.0 * (double)tasks * (double)rounds);
    lane.unit = "ns/message";
    lane.expected = twb_scatter_sum(&scatter);
    return twb_group_lane(group, &lane);
}

size_t twb_add_scatter(struct twb_group *group, struct twb_lane lane,
                       const struct twb_scatter_cell *cell)
{
    return add_rounds(group, lane, cell, cell->cell.rounds);
}

size_t twb_add_scatter_peer(struct twb_group *group, struct twb_lane lane,
                            const struct twb_scatter_cell *cell, const char *peer)
{
    long rounds = cell->cell.rounds;
    if (strcmp(peer, "threads") == 0)
        rounds = rounds > THREADS_FEWER ? rounds / THREADS_FEWER : 1;
    lane.runtime = lane.program = peer;
    return add_rounds(group, lane, cell, rounds);
}

bool twb_scatter_wanted(const struct twb_bench *bench, const char *peer, long tasks)
{
    return twb_wanted(bench, peer) && (strcmp(peer, "threads") != 0 || tasks <= THREADS_MOST);
}

// SPDX-License-Identifier: Apache-2.0
// live_fibers: how many fibers random graphs of futures need. Each task of a graph waits for the
// values of some tasks before it and promises its own. Tasks start in an order that is more or less
// random, forwards or backwards, from one task or from a tree of them. Size: the seed.
// The value is the worst of several graphs: the fibers its run made, over
//
//     2 x the most tasks that waited at once + 50 x workers
//
// The answer is the number of graphs whose values were right.
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "src/base/rng.h"

enum { GRAPHS = 12, TASKS_MAX = 3000, NEEDS_MAX = 4, FIBERS_FREE = 50 };

TW_FUTURE(uint64_t, node_value)

struct graph {
    unsigned tasks, reach; // a task needs those at most `reach` before it
    unsigned needs[TASKS_MAX][NEEDS_MAX];
    unsigned needed[TASKS_MAX]; // how many of them
    unsigned order[TASKS_MAX];  // in which the tasks are started
    bool spread;                // by a tree of tasks
    tw_future(node_value) value[TASKS_MAX];
    unsigned waiting, width; // now and at most
};

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static void make_order(struct graph *graph, struct twi_rng *rng)
{
    unsigned disorder = twi_rng_below(rng, twi_rng_below(rng, 2) ? 16 : graph->tasks);
    bool backwards = twi_rng_below(rng, 2);
    graph->spread = twi_rng_below(rng, 2);
    for (unsigned i = 0; i < graph->tasks; i++) {
        unsigned place = i - twi_rng_below(rng, 1 + least(i, disorder));
        graph->order[i] = graph->order[place];
        graph->order[place] = backwards ? graph->tasks - 1 - i : i;
    }
}

static void make_graph(struct graph *graph, struct twi_rng *rng)
{
    memset(graph, 0, sizeof *graph);
    graph->tasks = TASKS_MAX / 10 + twi_rng_below(rng, TASKS_MAX * 9 / 10);
    graph->reach = 1 + twi_rng_below(rng, twi_rng_below(rng, 2) ? 8 : graph->tasks);
    for (unsigned i = 1; i < graph->tasks; i++) {
        graph->needed[i] = twi_rng_below(rng, NEEDS_MAX + 1);
        for (unsigned j = 0; j < graph->needed[i]; j++)
            graph->needs[i][j] = i - 1 - twi_rng_below(rng, least(i, graph->reach));
    }
    make_order(graph, rng);
}

static void count_waiting(struct graph *graph)
{
    unsigned now = __atomic_add_fetch(&graph->waiting, 1, __ATOMIC_RELAXED);
    unsigned width = __atomic_load_n(&graph->width, __ATOMIC_RELAXED);
    while (now > width && !__atomic_compare_exchange_n(&graph->width, &width, now, 0,
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static uint64_t value_of(struct graph *graph, unsigned node)
{
    struct tw_future *event = &graph->value[node].event;
    if (!tw_future_ready(event)) {
        count_waiting(graph);
        twb_require(tw_future_wait(event));
        __atomic_sub_fetch(&graph->waiting, 1, __ATOMIC_RELAXED);
    }
    return graph->value[node].value;
}

TW_TASK(compute_node, {
    struct graph *graph;
    unsigned node;
})
{
    uint64_t value = self.node;
    for (unsigned j = 0; j < self.graph->needed[self.node]; j++)
        value = value * 3 + value_of(self.graph, self.graph->needs[self.node][j]);
    tw_promise(node_value, &self.graph->value[self.node], value);
}

TW_TASK(start_range, {
    struct graph *graph;
    unsigned begin, end;
})
{
    unsigned middle = self.begin + (self.end - self.begin) / 2;
    if (self.end - self.begin == 1) {
        tw_async(compute_node, .graph = self.graph, .node = self.graph->order[self.begin]);
        return;
    }
    tw_async(start_range, .graph = self.graph, .begin = self.begin, .end = middle);
    tw_async(start_range, .graph = self.graph, .begin = middle, .end = self.end);
}

TW_TASK(compute_graph, { struct graph *graph; })
{
    tw_finish {
        if (self.graph->spread)
            tw_async(start_range, .graph = self.graph, .begin = 0, .end = self.graph->tasks);
        for (unsigned i = 0; i < self.graph->tasks && !self.graph->spread; i++)
            tw_async(compute_node, .graph = self.graph, .node = self.graph->order[i]);
    }
}

static bool is_right(const struct graph *graph)
{
    static uint64_t value[TASKS_MAX];
    for (unsigned i = 0; i < graph->tasks; i++) {
        value[i] = i;
        for (unsigned j = 0; j < graph->needed[i]; j++)
            value[i] = value[i] * 3 + value[graph->needs[i][j]];
        if (value[i] != graph->value[i].value)
            return false;
    }
    return true;
}

static struct twb_answer run_live_fibers(const struct twb_job *job)
{
    static struct graph graph;
    struct twi_rng rng = {(uint64_t)job->size};
    struct twb_answer answer = {0, 0};
    struct tw_stats stats = {.room = 0};
    struct tw_options options;
    tw_options_init(&options, NULL, 0);
    options.workers = job->workers;
    options.stats = &stats;
    for (int i = 0; i < GRAPHS; i++) {
        make_graph(&graph, &rng);
        twb_require(tw_run_with(&options, compute_graph, .graph = &graph));
        double allowed = 2.0 * graph.width + FIBERS_FREE * job->workers;
        double ratio = (double)stats.sum.stacks / allowed;
        if (ratio > answer.value)
            answer.value = ratio;
        answer.check += is_right(&graph);
    }
    return answer;
}

const struct twb_case twb_live_cases[] = {
    {"live_fibers", run_live_fibers},
    {NULL, NULL},
};

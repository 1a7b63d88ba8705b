// SPDX-License-Identifier: Apache-2.0
#include "sim/lists.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- lists ----

int sim_lists_make(struct sim_lists *lists, uint32_t cores, uint32_t tasks)
{
    *lists = (struct sim_lists){.cores = cores, .tasks = tasks};
    lists->first = calloc((size_t)cores + 1, sizeof *lists->first);
    lists->task = malloc(((size_t)tasks + 1) * sizeof *lists->task);
    if (lists->first && lists->task)
        return 0;
    sim_lists_free(lists);
    return -1;
}

int sim_lists_copy(struct sim_lists *lists, const struct sim_lists *from)
{
    if (sim_lists_make(lists, from->cores, from->tasks) != 0)
        return -1;
    memcpy(lists->first, from->first, ((size_t)from->cores + 1) * sizeof *from->first);
    memcpy(lists->task, from->task, from->tasks * sizeof *from->task);
    return 0;
}

void sim_lists_free(struct sim_lists *lists)
{
    free(lists->first);
    free(lists->task);
    *lists = (struct sim_lists){0};
}

// first[c + 1] says how many tasks core c has: from now on, where they begin.
static void sum_up(struct sim_lists *lists)
{
    for (uint32_t core = 0; core < lists->cores; core++)
        lists->first[core + 1] += lists->first[core];
}

// After the tasks were put in by first[core]++: back to where they begin.
static void step_back(struct sim_lists *lists)
{
    memmove(lists->first + 1, lists->first, lists->cores * sizeof *lists->first);
    lists->first[0] = 0;
}

int sim_lists_gather(struct sim_lists *lists, uint32_t cores, uint32_t tasks, const uint32_t *core,
                     const uint32_t *task)
{
    if (sim_lists_make(lists, cores, tasks) != 0)
        return -1;
    for (uint32_t i = 0; i < tasks; i++)
        lists->first[core[i] + 1]++;
    sum_up(lists);
    for (uint32_t i = 0; i < tasks; i++)
        lists->task[lists->first[core[i]]++] = task[i];
    step_back(lists);
    return 0;
}

// ---- starts ----

int sim_lists_blocks(struct sim_lists *lists, const struct sim_costs *costs, uint32_t cores)
{
    if (sim_lists_make(lists, cores, costs->tasks) != 0)
        return -1;
    for (uint32_t i = 0; i < costs->tasks; i++) {
        uint32_t core = (uint32_t)((unsigned __int128)costs->index[i] * cores / costs->all);
        lists->first[core + 1]++;
        lists->task[i] = i;
    }
    sum_up(lists);
    return 0;
}

struct ranked {
    uint64_t cost_ns;
    uint32_t task;
};

static int compare(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    if (left->cost_ns != right->cost_ns)
        return left->cost_ns < right->cost_ns ? 1 : -1;
    return left->task < right->task ? -1 : 1;
}

static void deal(const struct ranked *ranked, uint32_t tasks, uint32_t cores, uint32_t every,
                 uint32_t share, uint32_t *core, uint32_t *task)
{
    uint32_t turn = 0;
    for (uint32_t i = 0; i < tasks; turn = turn + 1 < cores ? turn + 1 : 0) {
        uint32_t end = i + (turn % every == 0 ? share : 1);
        for (; i < end && i < tasks; i++) {
            core[i] = turn;
            task[i] = ranked[i].task;
        }
    }
}

int sim_lists_deal(struct sim_lists *lists, const struct sim_costs *costs, uint32_t cores,
                   uint32_t every, uint32_t share)
{
    size_t room = (size_t)costs->tasks + 1;
    struct ranked *ranked = malloc(room * sizeof *ranked);
    uint32_t *core = malloc(room * sizeof *core), *task = malloc(room * sizeof *task);
    int error = -1;
    if (ranked && core && task) {
        for (uint32_t i = 0; i < costs->tasks; i++)
            ranked[i] = (struct ranked){costs->cost_ns[i], i};
        qsort(ranked, costs->tasks, sizeof *ranked, compare);
        deal(ranked, costs->tasks, cores, every, share, core, task);
        error = sim_lists_gather(lists, cores, costs->tasks, core, task);
    }
    free(ranked);
    free(core);
    free(task);
    return error;
}

// ---- balance ----

uint64_t sim_lists_most(const struct sim_lists *lists, const uint64_t *cost_ns)
{
    uint64_t most = 0;
    for (uint32_t core = 0; core < lists->cores; core++) {
        uint64_t load = 0;
        for (uint32_t i = lists->first[core]; i < lists->first[core + 1]; i++)
            load += cost_ns[lists->task[i]];
        most = load > most ? load : most;
    }
    return most;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// The list as pairs in which the moves are carried out; a core's new tasks come after its own.
static int follow(struct sim_lists *lists, const struct twi_plan *plan)
{
    size_t room = (size_t)lists->tasks + 1;
    unsigned char *leaves = calloc(room, 1);
    uint32_t *core = malloc(room * sizeof *core), *task = malloc(room * sizeof *task), count = 0;
    struct sim_lists changed;
    int error = -1;
    if (leaves && core && task) {
        for (uint32_t i = 0; i < plan->count; i++)
            leaves[lists->first[plan->moves[i].donor] + plan->moves[i].index] = 1;
        for (uint32_t c = 0; c < lists->cores; c++)
            for (uint32_t i = lists->first[c]; i < lists->first[c + 1]; i++)
                if (!leaves[i]) {
                    core[count] = c;
                    task[count++] = lists->task[i];
                }
        for (uint32_t i = 0; i < plan->count; i++) {
            const struct twi_move *move = &plan->moves[i];
            core[count] = move->receiver;
            task[count++] = lists->task[lists->first[move->donor] + move->index];
        }
        error = sim_lists_gather(&changed, lists->cores, lists->tasks, core, task);
    }
    if (error == 0) {
        sim_lists_free(lists);
        *lists = changed;
    }
    free(leaves);
    free(core);
    free(task);
    return error;
}

int sim_lists_rebalance(struct sim_lists *lists, const uint64_t *cost_ns,
                        const struct twi_balancer *balancer, const struct twi_balance_rules *rules,
                        struct sim_rebalanced *result)
{
    size_t room = (size_t)lists->tasks + 1;
    uint64_t *duration_ns = malloc(room * sizeof *duration_ns);
    struct twi_plan plan = {.moves = malloc(room * sizeof *plan.moves)};
    struct twi_layout layout = {lists->cores, lists->first, duration_ns};
    void *memory = malloc(balancer->size(&layout, rules));
    int error = -1;
    *result = (struct sim_rebalanced){.before_ns = sim_lists_most(lists, cost_ns)};
    if (duration_ns && plan.moves && memory) {
        for (uint32_t i = 0; i < lists->tasks; i++)
            duration_ns[i] = cost_ns[lists->task[i]];
        double begun = seconds_now();
        balancer->plan(&layout, rules, memory, &plan);
        result->seconds = seconds_now() - begun;
        result->donated = plan.donated;
        result->moved = plan.count;
        error = follow(lists, &plan);
    }
    if (error == 0)
        result->after_ns = sim_lists_most(lists, cost_ns);
    free(duration_ns);
    free(plan.moves);
    free(memory);
    return error;
}

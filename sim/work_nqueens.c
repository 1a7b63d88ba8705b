// SPDX-License-Identifier: Apache-2.0
// Simulated work: queens on a board, really searched.
//
// A task is a board whose first rows are filled. In the rows of the cutoff it spawns a task for
// each queen that the next row could hold; below, it searches to the end, and costs as many nodes
// as that takes. So its cost is known only by searching: cost() does it, and notes in the task what
// it found.
#include "sim/works.h"

#include <stdlib.h>

#include "apps/nqueens/nqueens.h"

struct partial {
    struct nqueens_board board;
    uint64_t nodes, solutions; // of what is below; nodes is 0 before cost()
};

struct nqueens_work {
    struct sim_work work;
    struct sim_nqueens settings;
};

static void seed(const struct sim_work *work, uint32_t place, uint32_t places,
                 struct sim_spawner *spawner)
{
    (void)places;
    const struct nqueens_work *self = (const struct nqueens_work *)work;
    struct partial empty = {.board = nqueens_empty(self->settings.n)};
    if (place == 0)
        spawner->spawn(spawner, &empty);
}

static void search(struct nqueens_board board, struct partial *found)
{
    found->nodes++;
    found->solutions += board.columns == board.all;
    for (uint32_t safe = nqueens_safe(board); safe; safe &= safe - 1)
        search(nqueens_place(board, safe), found);
}

// A task spawns others if its board has fewer queens than the cutoff, and room for one.
static int spawns(const struct nqueens_work *self, const struct partial *task)
{
    uint32_t queens = (uint32_t)__builtin_popcount(task->board.columns);
    return queens < self->settings.cutoff && queens < self->settings.n;
}

static void find(const struct nqueens_work *self, struct partial *task)
{
    if (spawns(self, task))
        task->nodes = 1;
    else if (task->nodes == 0)
        search(task->board, task);
}

static uint64_t cost(const struct sim_work *work, void *task)
{
    const struct nqueens_work *self = (const struct nqueens_work *)work;
    struct partial *partial = task;
    find(self, partial);
    return partial->nodes * self->settings.node_ns;
}

static void run(const struct sim_work *work, const void *task, struct sim_spawner *spawner,
                struct sim_answer *answer)
{
    const struct nqueens_work *self = (const struct nqueens_work *)work;
    struct partial partial = *(const struct partial *)task;
    find(self, &partial);
    answer->tasks++;
    answer->nodes += partial.nodes;
    answer->result += partial.solutions;
    if (!spawns(self, &partial))
        return;
    for (uint32_t safe = nqueens_safe(partial.board); safe; safe &= safe - 1) {
        struct partial next = {.board = nqueens_place(partial.board, safe)};
        spawner->spawn(spawner, &next);
    }
}

static int check(const struct sim_work *work, const struct sim_answer *answer)
{
    int64_t known = nqueens_known(((const struct nqueens_work *)work)->settings.n);
    return known < 0 ? -1 : answer->result == (uint64_t)known;
}

static uint64_t total_ns(const struct sim_work *work)
{
    (void)work;
    return 0;
}

static void destroy(struct sim_work *work)
{
    free(work);
}

static const struct sim_work calls = {
    .name = "nqueens",
    .task_size = sizeof(struct partial),
    .seed = seed,
    .cost = cost,
    .run = run,
    .check = check,
    .total_ns = total_ns,
    .destroy = destroy,
};

struct sim_work *sim_work_nqueens(const struct sim_nqueens *settings, char *message, size_t size)
{
    if (settings->n < 1 || settings->n > NQUEENS_N_MAX) {
        snprintf(message, size, "nqueens: a board has 1 to %d rows", NQUEENS_N_MAX);
        return NULL;
    }
    if (settings->node_ns < 1 || settings->node_ns > SIM_NODE_MOST_NS) {
        snprintf(message, size, "nqueens: a node costs 1 ns to 10 ms");
        return NULL;
    }
    struct nqueens_work *self = malloc(sizeof *self);
    if (!self) {
        snprintf(message, size, "nqueens: no memory");
        return NULL;
    }
    *self = (struct nqueens_work){.work = calls, .settings = *settings};
    return &self->work;
}

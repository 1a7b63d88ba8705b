// SPDX-License-Identifier: Apache-2.0
// Trees whose leaves wait before they compute (leaves.h). Size: how long, in microseconds; the
// value is in seconds, of the whole tree unless said otherwise.
//
// mapreduce_timer       5000 leaves sleep, then compute for a microsecond
// mapreduce_work        500 leaves sleep, then compute for half a millisecond
// mapreduce_tcp         each leaf asks the server that answers late (late.h)
// mapreduce_blocking    leaves block their workers, as without suspension; seconds a leaf
// bound_timer, ...      no tree: the wait and the work, divided among the workers
#include <stdlib.h>
#include <time.h>

#include "cases.h"
#include "late.h"
#include "leaves.h"

struct waiting_tree {
    struct twb_tree shape;
    const int *connection;
    void (*await)(const struct waiting_tree *tree, long leaf);
};

static void await_clock(const struct waiting_tree *tree, long leaf)
{
    (void)leaf;
    twb_require(tw_sleep((uint64_t)tree->shape.wait_us * 1000));
}

static void await_blocking(const struct waiting_tree *tree, long leaf)
{
    (void)leaf;
    long us = tree->shape.wait_us;
    struct timespec wait = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&wait, NULL);
}

static void await_answer(const struct waiting_tree *tree, long leaf)
{
    int fd = tree->connection[leaf];
    uint64_t number = (uint64_t)leaf;
    if (tw_write(fd, &number, sizeof number, TW_NEVER) < 0 ||
        tw_read(fd, &number, sizeof number, TW_NEVER) != sizeof number || number != (uint64_t)leaf)
        exit(1);
}

TW_FUNCTION(uint64_t, add_up, {
    const struct waiting_tree *tree;
    long begin, end;
})
{
    if (self.end - self.begin == 1) {
        self.tree->await(self.tree, self.begin);
        return twb_leaf(self.begin, self.tree->shape.rounds);
    }
    long middle = self.begin + (self.end - self.begin) / 2;
    tw_forked(add_up) left = tw_fork(add_up, .tree = self.tree, .begin = self.begin, .end = middle);
    uint64_t right = tw_call(add_up, .tree = self.tree, .begin = middle, .end = self.end);
    return tw_join(add_up, left) + right;
}

TW_TASK(add_up_all, {
    const struct waiting_tree *tree;
    uint64_t *sum;
})
{
    *self.sum = tw_call(add_up, .tree = self.tree, .begin = 0, .end = self.tree->shape.leaves);
}

static struct twb_answer run_tree(const struct waiting_tree *tree)
{
    struct twb_answer answer;
    double start = twb_seconds();
    twb_require(tw_run(add_up_all, .tree = tree, .sum = &answer.check));
    answer.value = twb_seconds() - start;
    return answer;
}

static struct twb_answer run_timer(const struct twb_job *job)
{
    struct waiting_tree tree = {.shape = twb_tree_timer(job->size), .await = await_clock};
    return run_tree(&tree);
}

static struct twb_answer run_work(const struct twb_job *job)
{
    struct waiting_tree tree = {.shape = twb_tree_work(job->size), .await = await_clock};
    return run_tree(&tree);
}

static struct twb_answer run_tcp(const struct twb_job *job)
{
    (void)job;
    struct waiting_tree tree = {.shape = twb_tree_tcp(), .await = await_answer};
    tree.connection = twb_late_connections(tree.shape.leaves, true);
    return run_tree(&tree);
}

static struct twb_answer run_blocking(const struct twb_job *job)
{
    struct waiting_tree tree = {.shape = twb_tree_blocking(job->size), .await = await_blocking};
    struct twb_answer answer = run_tree(&tree);
    answer.value /= (double)tree.shape.leaves;
    return answer;
}

static struct twb_answer run_bound(const struct twb_job *job, const struct twb_tree *tree)
{
    double start = twb_seconds();
    uint64_t sum = twb_leaves_sum(tree);
    double work = twb_seconds() - start;
    return (struct twb_answer){1e-6 * (double)job->size + work / job->workers, sum};
}

static struct twb_answer run_bound_timer(const struct twb_job *job)
{
    struct twb_tree tree = twb_tree_timer(job->size);
    return run_bound(job, &tree);
}

static struct twb_answer run_bound_work(const struct twb_job *job)
{
    struct twb_tree tree = twb_tree_work(job->size);
    return run_bound(job, &tree);
}

static struct twb_answer run_bound_tcp(const struct twb_job *job)
{
    struct twb_tree tree = twb_tree_tcp();
    return run_bound(job, &tree);
}

const struct twb_case twb_waiting_cases[] = {
    {"mapreduce_timer", run_timer},   {"mapreduce_work", run_work},
    {"mapreduce_tcp", run_tcp},       {"mapreduce_blocking", run_blocking},
    {"bound_timer", run_bound_timer}, {"bound_work", run_bound_work},
    {"bound_tcp", run_bound_tcp},     {NULL, NULL},
};

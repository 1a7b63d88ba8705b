// SPDX-License-Identifier: Apache-2.0
// Random fork-join graphs against their sequential result. A node's shape and value follow from its
// number alone, so the oracle is a plain recursion.
#define TWILL_DEBUG // checks at every spawn that the body's head is true
#include "support.h"

#include "base/rng.h"

enum { GRAPHS = 1000, CHILDREN_MAX = 5 };

enum shape {
    LEAF,
    FORKS,
    FORKS_SHUFFLED,
    FINISH,
    NESTED_FINISH,
    CALLS,
    HELPER,
    BREAK_EARLY,
    SHAPES
};

struct node {
    uint64_t number;
    int depth;
};

struct plan {
    enum shape shape;
    int children;
    uint64_t own;
};

static struct plan plan_of(struct node node)
{
    struct twi_rng rng = {node.number};
    struct plan plan = {LEAF, 0, twi_rng_next(&rng) % 1000};
    if (node.depth > 0) {
        plan.shape = (enum shape)twi_rng_below(&rng, SHAPES);
        plan.children = 1 + (int)twi_rng_below(&rng, CHILDREN_MAX);
    }
    return plan;
}

static struct node child_of(struct node node, int i)
{
    struct twi_rng rng = {node.number * 31 + (uint64_t)i + 1};
    return (struct node){twi_rng_next(&rng), node.depth - 1 - (int)twi_rng_below(&rng, 2)};
}

static uint64_t expected(struct node node)
{
    struct plan plan = plan_of(node);
    uint64_t sum = plan.own;
    if (plan.shape != LEAF)
        for (int i = 0; i < plan.children; i++)
            sum += expected(child_of(node, i)) * (uint64_t)(i + 1);
    return sum;
}

TW_FUNCTION_DECLARE(uint64_t, evaluate, { struct node node; });
TW_TASK(evaluate_into, {
    struct node node;
    uint64_t *out;
})
{
    *self.out = tw_call(evaluate, .node = self.node);
}

static uint64_t weigh(const uint64_t *value, int n)
{
    uint64_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += value[i] * (uint64_t)(i + 1);
    return sum;
}

// Joins out of order, and with tasks of the enclosing scope above the forked slots.
static uint64_t forks_shuffled(struct node node, int n)
{
    tw_forked(evaluate) fork[CHILDREN_MAX];
    uint64_t value[CHILDREN_MAX];
    for (int i = 0; i < n; i++)
        fork[i] = tw_fork(evaluate, .node = child_of(node, i));
    int start = (int)(node.number % (uint64_t)n);
    for (int i = 0; i < n; i++) {
        int k = (start + i) % n;
        value[k] = tw_join(evaluate, fork[k]);
    }
    return weigh(value, n);
}

// A plain function that leaves its tasks to the caller's finish.
static void spawn_all(struct node node, int n, uint64_t *value)
{
    for (int i = 0; i < n; i++)
        tw_async(evaluate_into, .node = child_of(node, i), .out = &value[i]);
}

static uint64_t finish_break(struct node node, int n)
{
    uint64_t value[CHILDREN_MAX];
    tw_finish {
        for (int i = 0; i < n; i++)
            tw_async(evaluate_into, .node = child_of(node, i), .out = &value[i]);
        if (n > 0)
            break;
    }
    return weigh(value, n);
}

TW_FUNCTION_DEFINE(evaluate)
{
    struct plan plan = plan_of(self.node);
    int n = plan.children;
    uint64_t value[CHILDREN_MAX] = {0};
    tw_forked(evaluate) fork[CHILDREN_MAX];
    switch (plan.shape) {
    case LEAF:
        return plan.own;
    case FORKS:
        for (int i = 0; i < n; i++)
            fork[i] = tw_fork(evaluate, .node = child_of(self.node, i));
        for (int i = n - 1; i >= 0; i--)
            value[i] = tw_join(evaluate, fork[i]);
        break;
    case FORKS_SHUFFLED:
        return plan.own + forks_shuffled(self.node, n);
    case FINISH:
        tw_finish {
            for (int i = 0; i < n; i++)
                tw_async(evaluate_into, .node = child_of(self.node, i), .out = &value[i]);
        }
        break;
    case NESTED_FINISH:
        fork[0] = tw_fork(evaluate, .node = child_of(self.node, 0));
        tw_finish
        {
            for (int i = 1; i < n - 1; i++) {
                tw_finish
                {
                    tw_async(evaluate_into, .node = child_of(self.node, i), .out = &value[i]);
                }
            }
            value[0] = tw_join(evaluate, fork[0]); // older than the block it is joined in
            if (n > 1)
                tw_async(evaluate_into, .node = child_of(self.node, n - 1), .out = &value[n - 1]);
        }
        break;
    case CALLS:
        for (int i = 0; i < n; i++)
            value[i] = tw_call(evaluate, .node = child_of(self.node, i));
        break;
    case HELPER:
        tw_finish {
            tw_forked(evaluate) last = tw_fork(evaluate, .node = child_of(self.node, n - 1));
            spawn_all(self.node, n - 1, value);
            value[n - 1] = tw_join(evaluate, last);
        }
        break;
    case BREAK_EARLY:
        return plan.own + finish_break(self.node, n);
    case SHAPES:
        break;
    }
    return plan.own + weigh(value, n);
}

TW_TASK(graph, {
    uint64_t seed;
    uint64_t *out;
})
{
    struct node root = {self.seed, 7};
    *self.out = tw_call(evaluate, .node = root);
}

static void test_graph_random_graphs_equal_their_sequential_result(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (uint64_t)test_scaled(GRAPHS); seed++) {
        struct node root = {seed, 7};
        uint64_t got = 0;
        assert_int_equal(tw_run(graph, .seed = seed, .out = &got), 0);
        assert_int_equal(got, expected(root));
    }
}

// Many graphs in one run, so that fibers are reused across them.
TW_TASK(many, {
    uint64_t first;
    int n;
    uint64_t *out;
})
{
    tw_finish {
        for (int i = 0; i < self.n; i++)
            tw_async(graph, .seed = self.first + (uint64_t)i, .out = &self.out[i]);
    }
}

static void test_graph_many_graphs_in_one_run(void **state)
{
    (void)state;
    enum { N = 300 };
    static uint64_t got[N];
    assert_int_equal(tw_run(many, .first = 5000, .n = N, .out = got), 0);
    for (int i = 0; i < N; i++)
        assert_int_equal(got[i], expected((struct node){5000 + (uint64_t)i, 7}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graph_random_graphs_equal_their_sequential_result),
        cmocka_unit_test(test_graph_many_graphs_in_one_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

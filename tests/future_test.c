// SPDX-License-Identifier: Apache-2.0
// Futures: values, errors, many who wait, tasks that start when their futures are there.
#include "support.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"

TW_FUTURE(long, number)

// ---- values ----

TW_TASK(promise_number, {
    tw_future(number) * future;
    long value;
})
{
    if (tw_promise(number, self.future, self.value) != 0)
        tw_fail(1);
}

TW_TASK(add_number, {
    tw_future(number) * future;
    long *sum;
})
{
    __atomic_fetch_add(self.sum, tw_await(number, self.future), __ATOMIC_RELAXED);
}

// More tasks wait than there are workers, some before the promise and some after.
TW_TASK(wait_for_number, { long *sum; })
{
    tw_future(number) future = TW_FUTURE_INIT;
    tw_finish {
        tw_async(promise_number, .future = &future, .value = 5);
        for (int i = 0; i < 100; i++)
            tw_async(add_number, .future = &future, .sum = self.sum);
    }
    if (!tw_future_ready(&future.event) || tw_promise(number, &future, 6) != TW_EALREADY)
        tw_fail(2);
    *self.sum += tw_await(number, &future);
}

static void test_future_many_wait_for_one_value(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(100); i++) {
        long sum = 0;
        assert_int_equal(tw_run(wait_for_number, .sum = &sum), 0);
        assert_int_equal(sum, 505);
    }
}

// ---- errors ----

TW_TASK(break_number, { tw_future(number) * future; })
{
    (void)tw_break(number, self.future, -42);
}

TW_TASK(await_broken, {
    struct tw_outcome *outcome;
    int *error;
})
{
    tw_future(number) future = TW_FUTURE_INIT;
    long sum = 0;
    tw_attempt(self.outcome)
    {
        tw_async(add_number, .future = &future, .sum = &sum);
        tw_async(break_number, .future = &future);
    }
    *self.error = tw_future_wait(&future.event);
}

static void test_future_an_error_fails_who_awaits(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(50); i++) {
        struct tw_outcome outcome;
        int error = 0;
        assert_int_equal(tw_run(await_broken, .outcome = &outcome, .error = &error), 0);
        assert_int_equal(outcome.error, -42);
        assert_string_equal(outcome.task, "add_number");
        assert_int_equal(error, -42);
    }
}

// ---- from other threads ----

static void *promise_later(void *future)
{
    usleep(1000);
    return (void *)(intptr_t)tw_promise(number, (tw_future(number) *)future, 9);
}

TW_TASK(copy_number, {
    tw_future(number) * future;
    long *to;
})
{
    *self.to = self.future->value;
}

TW_TASK(wait_for_thread, { long *sum; })
{
    tw_future(number) future = TW_FUTURE_INIT;
    pthread_t thread;
    long copy = 0;
    if (pthread_create(&thread, NULL, promise_later, &future) != 0)
        return;
    tw_finish {
        tw_async_await(copy_number, (&future.event), .future = &future, .to = &copy);
        *self.sum = tw_await(number, &future);
    }
    pthread_join(thread, NULL);
    *self.sum += copy;
}

static void test_future_promised_by_a_thread(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(20); i++) {
        long sum = 0;
        assert_int_equal(tw_run(wait_for_thread, .sum = &sum), 0);
        assert_int_equal(sum, 18);
    }
}

// ---- graphs ----

enum { NODES = 200, INPUTS = 3 };

struct graph {
    tw_future(number) node[NODES];
    int input[NODES][INPUTS]; // each below the node's own number
    long expected[NODES];
};

// A node is the sum of its inputs plus its number, modulo a prime.
TW_TASK(compute_node, {
    struct graph *g;
    int i;
})
{
    long sum = self.i;
    for (int k = 0; k < INPUTS && self.i > 0; k++)
        sum += self.g->node[self.g->input[self.i][k]].value;
    if (tw_promise(number, &self.g->node[self.i], sum % 1000003) != 0)
        tw_fail(3);
}

// Started in any order: a node waits for its inputs without a stack.
TW_TASK(compute_graph, {
    struct graph *g;
    uint64_t seed;
})
{
    struct twi_rng rng = {.counter = self.seed};
    int order[NODES];
    for (int i = 0; i < NODES; i++) {
        uint32_t at = twi_rng_below(&rng, (uint32_t)i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (int n = 0; n < NODES; n++) {
        int i = order[n], *in = self.g->input[i];
        if (i == 0)
            tw_async(compute_node, .g = self.g, .i = 0);
        else
            tw_async_await(compute_node,
                           (&self.g->node[in[0]].event, &self.g->node[in[1]].event,
                            &self.g->node[in[2]].event),
                           .g = self.g, .i = i);
    }
}

static void graph_make(struct graph *g, uint64_t seed)
{
    struct twi_rng rng = {.counter = seed};
    memset(g, 0, sizeof *g);
    for (int i = 1; i < NODES; i++) {
        long sum = i;
        for (int k = 0; k < INPUTS; k++) {
            g->input[i][k] = (int)twi_rng_below(&rng, (uint32_t)i);
            sum += g->expected[g->input[i][k]];
        }
        g->expected[i] = sum % 1000003;
    }
}

static void test_future_random_graphs_never_deadlock(void **state)
{
    (void)state;
    static struct graph g;
    for (int seed = 1; seed <= test_scaled(200); seed++) {
        graph_make(&g, (uint64_t)seed);
        assert_int_equal(tw_run(compute_graph, .g = &g, .seed = (uint64_t)seed), 0);
        for (int i = 0; i < NODES; i++)
            assert_int_equal(g.node[i].value, g.expected[i]);
    }
}

// ---- many ----

TW_TASK(count, { long *count; })
{
    __atomic_fetch_add(self.count, 1, __ATOMIC_RELAXED);
}

TW_TASK(start_many, {
    long n;
    long *count;
})
{
    tw_future(number) gate = TW_FUTURE_INIT;
    tw_finish {
        for (long i = 0; i < self.n; i++)
            tw_async_await(count, (&gate.event), .count = self.count);
        tw_async(promise_number, .future = &gate, .value = 1);
    }
}

static void test_future_a_hundred_thousand_tasks_wait(void **state)
{
    (void)state;
    long counted = 0, n = test_scaled(100000);
    assert_int_equal(tw_run(start_many, .n = n, .count = &counted), 0);
    assert_int_equal(counted, n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_future_many_wait_for_one_value),
        cmocka_unit_test(test_future_an_error_fails_who_awaits),
        cmocka_unit_test(test_future_promised_by_a_thread),
        cmocka_unit_test(test_future_random_graphs_never_deadlock),
        cmocka_unit_test(test_future_a_hundred_thousand_tasks_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

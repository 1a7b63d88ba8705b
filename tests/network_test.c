// SPDX-License-Identifier: Apache-2.0
// ctest: timeout=240
// Process networks: what flows, how streams end, how networks fail and are cancelled. Deadlocks are
// in network_deadlock_test.c, misuse in network_misuse_test.c.
#include "network_scene.h"

#include <string.h>

#include "base/rng.h"
#include "base/sanitize.h"

enum { MS = 1000000 };

// ---- what flows ----

// A pipeline, a fork that meets again, a stream back.
static void build_flow(struct scene *scene, struct tw_network *network)
{
    struct tw_process *a = tw_process_create(network, "a"), *b = tw_process_create(network, "b");
    struct tw_process *c = tw_process_create(network, "c");
    struct link *x = scene_link(scene, network, 0, "x", a, b, 3);
    struct link *y = scene_link(scene, network, 1, "y", a, c, 1);
    struct link *z = scene_link(scene, network, 2, "z", b, c, 2);
    struct link *back = scene_link(scene, network, 3, "back", c, a, 5);
    SCRIPT(scene, a, {PUT, x, 1000}, {PUT, y, 1000}, {GET, back, 500});
    SCRIPT(scene, b, {GET, x, 1000}, {PUT, z, 1000});
    SCRIPT(scene, c, {GET, z, 300}, {GET, y, 1000}, {GET, z, 700}, {PUT, back, 500});
}

static void test_network_flow(void **state)
{
    (void)state;
    struct scene scene = {.build = build_flow};
    scene_play(&scene);
    assert_int_equal(scene.error, 0);
    assert_int_equal(scene.failed, 0);
    assert_string_equal(scene.trouble, "");
    long wanted[] = {1000, 1000, 1000, 500};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(scene.links[i].put, wanted[i]);
        assert_int_equal(scene.links[i].got, wanted[i]);
    }
}

static void build_nothing(struct scene *scene, struct tw_network *network)
{
    (void)scene, (void)network;
}

// Without a body it ends at once, and its streams with it.
static void build_no_body(struct scene *scene, struct tw_network *network)
{
    struct tw_process *a = tw_process_create(network, "a"), *b = tw_process_create(network, "b");
    struct link *x = scene_link(scene, network, 0, "x", a, b, 1);
    SCRIPT(scene, b, {GET, x, 1});
}

static void test_network_without_processes_or_bodies(void **state)
{
    (void)state;
    struct scene nothing = {.build = build_nothing}, no_body = {.build = build_no_body};
    scene_play(&nothing);
    assert_int_equal(nothing.error, 0);
    assert_int_equal(nothing.stats.capacity_sum, 0);
    scene_play(&no_body);
    assert_int_equal(no_body.error, 0);
    assert_int_equal(no_body.failed, TW_EPIPE);
}

TW_TASK(run_null, { int *error; })
{
    struct tw_network *network = tw_network_create("net", NULL);
    struct tw_process *a = tw_process_create(network, "a");
    struct tw_stream *none = tw_stream_create(network, "x", a, NULL, 1, 1);
    tw_process_set(NULL, NULL, NULL);
    *self.error = none != NULL || tw_process_create(NULL, "b") != NULL ? 1 : tw_network_run(NULL);
    tw_network_destroy(network);
    tw_network_destroy(NULL);
}

static void test_network_null_means_no_memory(void **state)
{
    (void)state;
    int error = 0;
    assert_int_equal(tw_run(run_null, .error = &error), 0);
    assert_int_equal(error, TW_ENOMEM);
}

// ---- sizes ----

struct size_case {
    size_t size, capacity;
    int count, wrong;
};

enum { SIZE_MOST = 1000 };

static void fill(unsigned char *item, size_t size, int number)
{
    struct twi_rng rng = {.counter = (uint64_t)number * 1000};
    for (size_t i = 0; i < size; i++)
        item[i] = (unsigned char)twi_rng_next(&rng);
}

TW_TASK(put_sized, {
    struct tw_stream *out;
    struct size_case *with;
})
{
    unsigned char item[SIZE_MOST];
    for (int i = 0; i < self.with->count; i++) {
        fill(item, self.with->size, i);
        self.with->wrong += twi_put(self.out, item, self.with->size) != 0;
    }
}

TW_TASK(get_sized, {
    struct tw_stream *in;
    struct size_case *with;
})
{
    unsigned char item[SIZE_MOST], wanted[SIZE_MOST];
    int count = 0, wrong = 0;
    for (; twi_get(self.in, item, self.with->size) == 0; count++) {
        fill(wanted, self.with->size, count);
        wrong += memcmp(item, wanted, self.with->size) != 0;
    }
    if (wrong || count != self.with->count)
        tw_fail(1);
}

TW_TASK(run_sized, { struct size_case *with; })
{
    struct tw_network *network = tw_network_create("sizes", NULL);
    struct tw_process *a = tw_process_create(network, "a"), *b = tw_process_create(network, "b");
    struct tw_stream *x =
        tw_stream_create(network, "x", a, b, self.with->size, self.with->capacity);
    tw_process_body(a, put_sized, .out = x, .with = self.with);
    tw_process_body(b, get_sized, .in = x, .with = self.with);
    if (tw_network_run(network) != 0)
        tw_fail(2);
    tw_network_destroy(network);
}

static void test_network_items_of_all_sizes(void **state)
{
    (void)state;
    for (size_t size = 1; size <= SIZE_MOST; size = size < 70 ? size + 1 : size + 93) {
        struct size_case with = {size, 1 + size % 5, 20, 0};
        assert_int_equal(tw_run(run_sized, .with = &with), 0);
        assert_int_equal(with.wrong, 0);
    }
}

// ---- many at once ----

enum { WIDE = 100, WIDE_ROUNDS = 50 };

TW_TASK(put_wide, { struct tw_stream **streams; })
{
    long items[WIDE];
    for (long round = 0; round < WIDE_ROUNDS; round++) {
        for (long i = 0; i < WIDE; i++)
            items[i] = round * WIDE + i;
        if (tw_put_each(self.streams, WIDE, items) != 0)
            tw_fail(1);
    }
}

TW_TASK(get_wide, { struct tw_stream **streams; })
{
    long items[WIDE], round = 0;
    for (; tw_get_each(self.streams, WIDE, items) == 0; round++)
        for (long i = 0; i < WIDE; i++)
            if (items[i] != round * WIDE + i)
                tw_fail(2);
    if (round != WIDE_ROUNDS)
        tw_fail(3);
}

TW_TASK(run_wide, {})
{
    struct tw_stream *streams[WIDE];
    struct tw_network *network = tw_network_create("wide", NULL);
    struct tw_process *a = tw_process_create(network, "a"), *b = tw_process_create(network, "b");
    for (size_t i = 0; i < WIDE; i++)
        streams[i] = tw_stream_create(network, "s", a, b, sizeof(long), 1 + i % 3);
    tw_process_body(a, put_wide, .streams = streams);
    tw_process_body(b, get_wide, .streams = streams);
    if (tw_network_run(network) != 0)
        tw_fail(4);
    tw_network_destroy(network);
}

static void test_network_many_streams_at_once(void **state)
{
    (void)state;
    assert_int_equal(tw_run(run_wide), 0);
}

#if defined(TWI_ASAN) || defined(TWI_TSAN)
enum { MILLION = 100000 };
#else
enum { MILLION = 1000000 };
#endif

// Uses every thousandth.
TW_TASK(put_sparse, { struct tw_stream **streams; })
{
    for (long i = 0; i < MILLION; i += 1000)
        if (tw_put(self.streams[i], &i) != 0)
            tw_fail(1);
}

TW_TASK(get_sparse, { struct tw_stream **streams; })
{
    long item = 0;
    for (long i = 0; i < MILLION; i += 1000)
        if (tw_get(self.streams[i], &item) != 0 || item != i)
            tw_fail(2);
}

TW_TASK(run_million, { struct tw_stream **streams; })
{
    enum { PROCESSES = 50 };
    struct tw_process *of[PROCESSES];
    struct tw_network *network = tw_network_create("million", NULL);
    for (int i = 0; i < PROCESSES; i++)
        of[i] = tw_process_create(network, "p");
    for (long i = 0; i < MILLION; i++) {
        struct tw_process *from = i % 1000 ? of[i % PROCESSES] : of[0];
        struct tw_process *to = i % 1000 ? of[i / PROCESSES % PROCESSES] : of[1];
        self.streams[i] = tw_stream_create(network, "s", from, to, sizeof(long), 1);
    }
    tw_process_body(of[0], put_sparse, .streams = self.streams);
    tw_process_body(of[1], get_sparse, .streams = self.streams);
    if (tw_network_run(network) != 0)
        tw_fail(3);
    tw_network_destroy(network);
}

static void test_network_a_million_streams(void **state)
{
    (void)state;
    struct tw_stream **streams = calloc(MILLION, sizeof *streams);
    assert_non_null(streams);
    assert_int_equal(tw_run(run_million, .streams = streams), 0);
    free(streams);
}

// ---- ends ----

static void build_end(struct scene *scene, struct tw_network *network)
{
    struct tw_process *a = tw_process_create(network, "a"), *b = tw_process_create(network, "b");
    struct link *x = scene_link(scene, network, 0, "x", a, b, 4);
    struct link *y = scene_link(scene, network, 1, "y", b, a, 4);
    SCRIPT(scene, a, {PUT, x, 6}, {END, x, 0}, {GET, y, 1}, {GET, y, 1});
    SCRIPT(scene, b, {GET, x, 6}, {PUT, y, 1}, {GET, x, 1}); // the last is told the end
}

static void test_network_end_after_the_last_item(void **state)
{
    (void)state;
    struct scene scene = {.build = build_end};
    scene_play(&scene);
    assert_int_equal(scene.error, 0);
    assert_int_equal(scene.failed, TW_EPIPE);
    assert_int_equal(scene.links[0].got, 6);
    assert_int_equal(scene.links[1].got, 1);
}

// Nobody reads x any more, but y: what goes into x vanishes.
static void build_abandon(struct scene *scene, struct tw_network *network)
{
    struct tw_process *a = tw_process_create(network, "a"), *b = tw_process_create(network, "b");
    struct link *x = scene_link(scene, network, 0, "x", a, b, 2);
    struct link *y = scene_link(scene, network, 1, "y", a, b, 2);
    SCRIPT(scene, a, {PUT, x, 1}, {PUT, x, 1000}, {PUT, y, 1});
    SCRIPT(scene, b, {GET, x, 1}, {ABANDON, x, 0}, {GET, y, 1});
}

static void test_network_puts_into_an_abandoned_stream_vanish(void **state)
{
    (void)state;
    struct scene scene = {.build = build_abandon};
    scene_play(&scene);
    assert_int_equal(scene.error, 0);
    assert_int_equal(scene.failed, 0);
    assert_int_equal(scene.links[0].put, 1001);
    assert_int_equal(scene.links[0].got, 1);
    assert_int_equal(scene.links[1].got, 1);
}

// Nobody reads anything of the endless one: it is told so, by whichever stream.
static void build_unread(struct scene *scene, struct tw_network *network)
{
    struct tw_process *a = tw_process_create(network, "a"), *b = tw_process_create(network, "b");
    struct tw_process *c = tw_process_create(network, "c");
    struct link *x = scene_link(scene, network, 0, "x", a, b, 2);
    struct link *y = scene_link(scene, network, 1, "y", a, c, 2);
    (void)y;
    SCRIPT(scene, a, {PUT, x, 1000000000000});
    SCRIPT(scene, b, {GET, x, 10});
    SCRIPT(scene, c, {SLEEP, NULL, 5});
}

static void test_network_put_says_that_nobody_reads(void **state)
{
    (void)state;
    struct scene scene = {.build = build_unread};
    scene_play(&scene);
    assert_int_equal(scene.error, 0);
    assert_int_equal(scene.failed, TW_EPIPE);
    assert_int_equal(scene.links[0].got, 10);
}

// ---- failing ----

static void build_failing(struct scene *scene, struct tw_network *network)
{
    struct tw_process *a = tw_process_create(network, "a"), *b = tw_process_create(network, "b");
    struct tw_process *c = tw_process_create(network, "c");
    struct link *x = scene_link(scene, network, 0, "x", a, b, 2);
    struct link *y = scene_link(scene, network, 1, "y", b, c, 2);
    struct link *z = scene_link(scene, network, 2, "z", a, c, 2);
    SCRIPT(scene, a, {PUT, x, 1000000000000});
    SCRIPT(scene, b, {GET, x, 100}, {FAIL, x, -99}, {FAIL, y, -98}, {GET, x, 1000000000000});
    SCRIPT(scene, c, {GET, z, 1}, {GET, y, 1});
}

static void test_network_process_that_fails(void **state)
{
    (void)state;
    struct scene scene = {.build = build_failing};
    scene_play(&scene);
    assert_int_equal(scene.error, -99);
    assert_int_equal(scene.failed, TW_ECANCELED);
    assert_string_equal(scene.trouble, "");
    assert_true(scene.links[0].got >= 100);
    assert_int_equal(scene.links[1].got, 0);
}

// A reader that was released by a failure is never told that a stream has ended.
enum { CHAIN = 20 };

TW_TASK(chain_link, {
    struct tw_stream *in, *out;
    int *ends;
})
{
    long item = 0;
    int error = tw_get(self.in, &item);
    if (error == TW_EPIPE)
        __atomic_fetch_add(self.ends, 1, __ATOMIC_RELAXED);
    tw_stream_end(self.out);
}

TW_TASK(chain_fails, { struct tw_stream *out; })
{
    tw_sleep(MS / 10);
    tw_process_fail(self.out, 7);
}

TW_TASK(run_chain, { int *ends; })
{
    struct tw_process *of[CHAIN + 1];
    struct tw_stream *streams[CHAIN + 1];
    struct tw_network *network = tw_network_create("chain", NULL);
    for (int i = 0; i <= CHAIN; i++)
        of[i] = tw_process_create(network, "p");
    for (int i = 0; i <= CHAIN; i++) // the last leads back, unread
        streams[i] = tw_stream_create(network, "s", of[i], of[(i + 1) % (CHAIN + 1)], 8, 1);
    tw_process_body(of[0], chain_fails, .out = streams[0]);
    for (int i = 1; i <= CHAIN; i++)
        tw_process_body(of[i], chain_link, .in = streams[i - 1], .out = streams[i],
                        .ends = self.ends);
    if (tw_network_run(network) != 7)
        tw_fail(1);
    tw_network_destroy(network);
}

static void test_network_failure_is_no_end(void **state)
{
    (void)state;
    int ends = 0, rounds = test_scaled(200);
    for (int i = 0; i < rounds; i++)
        assert_int_equal(tw_run(run_chain, .ends = &ends), 0);
    assert_int_equal(ends, 0);
}

// ---- cancelling ----

static void build_endless(struct scene *scene, struct tw_network *network)
{
    struct tw_process *a = tw_process_create(network, "a"), *b = tw_process_create(network, "b");
    struct tw_process *c = tw_process_create(network, "c"), *d = tw_process_create(network, "d");
    struct link *x = scene_link(scene, network, 0, "x", a, b, 2);
    struct link *y = scene_link(scene, network, 1, "y", c, d, 2);
    SCRIPT(scene, a, {PUT, x, 1000000000000});
    SCRIPT(scene, b, {GET, x, 1000000000000});
    SCRIPT(scene, c, {SLEEP, NULL, 1000000000}); // ended by its own cancellation
    SCRIPT(scene, d, {GET, y, 1});
}

static void build_cancelling(struct scene *scene, struct tw_network *network)
{
    build_endless(scene, network);
    struct tw_process *e = tw_process_create(network, "e"), *f = tw_process_create(network, "f");
    struct link *z = scene_link(scene, network, 2, "z", e, f, 2);
    SCRIPT(scene, e, {PUT, z, 10}, {SLEEP, NULL, 5}, {PUT, z, 1}, {SLEEP, NULL, 1000000000});
    SCRIPT(scene, f, {GET, z, 11}, {CANCEL, NULL, 0}, {GET, z, 1});
}

TW_TASK(scene_attempt, {
    struct scene *scene;
    uint64_t timeout_ns;
    struct tw_outcome *outcome;
})
{
    tw_attempt(self.outcome, .timeout_ns = self.timeout_ns)
    {
        scene_run(self.scene);
    }
}

static void expect_cancelled(struct scene *scene, uint64_t timeout_ns, int error)
{
    struct tw_outcome outcome;
    assert_int_equal(
        tw_run(scene_attempt, .scene = scene, .timeout_ns = timeout_ns, .outcome = &outcome), 0);
    assert_int_equal(outcome.error, error);
    assert_int_equal(scene->error, TW_ECANCELED);
    assert_int_equal(scene->wrong, 0);
}

static void test_network_cancelled_by_a_timeout(void **state)
{
    (void)state;
    struct scene scene = {.build = build_endless};
    expect_cancelled(&scene, 20 * MS, TW_ETIMEDOUT);
}

static void test_network_cancelled_in_the_middle(void **state)
{
    (void)state;
    struct scene scene = {.build = build_cancelling};
    expect_cancelled(&scene, 0, TW_ECANCELED);
    assert_int_equal(scene.failed, TW_ECANCELED);
    assert_int_equal(scene.links[2].got, 11);
}

// More than stands in a process itself: it has to be freed when the body never runs.
TW_TASK(never_runs, { long numbers[20]; })
{
    (void)self.numbers;
    tw_fail(1);
}

TW_TASK(drop_processes, { int *error; })
{
    struct tw_outcome outcome;
    struct tw_network *network = tw_network_create("dropped", NULL);
    for (int i = 0; i < 10; i++) {
        struct tw_process *a = tw_process_create(network, "a");
        (void)tw_stream_create(network, "s", a, a, 1, 1);
        tw_process_body(a, never_runs, .numbers = {i});
        tw_process_body(a, never_runs, .numbers = {i, i}); // instead of the other
    }
    tw_attempt(&outcome)
    {
        tw_cancel();
        *self.error = tw_network_run(network);
    }
    tw_network_destroy(network);
}

TW_TASK(drop_network, {})
{
    struct tw_network *network = tw_network_create("never run", NULL);
    tw_process_body(tw_process_create(network, "a"), never_runs, .numbers = {0});
    tw_network_destroy(network);
}

static void test_network_processes_that_never_start(void **state)
{
    (void)state;
    int error = 0;
    assert_int_equal(tw_run(drop_processes, .error = &error), 0);
    assert_int_equal(error, TW_ECANCELED);
    assert_int_equal(tw_run(drop_network), 0);
}

// ---- inside each other ----

TW_TASK(run_inner, { struct tw_stream *out; })
{
    struct scene inner = {.build = build_flow};
    tw_finish {
        tw_async(scene_act, .scene = &inner);
    }
    long sum = inner.error ? -1 : inner.links[0].got + inner.links[3].got;
    tw_put(self.out, &sum);
}

TW_TASK(add_inner, {
    struct tw_stream *in[4];
    long *sum;
})
{
    long items[4] = {0};
    if (tw_get_each(self.in, 4, items) == 0)
        *self.sum = items[0] + items[1] + items[2] + items[3];
}

TW_TASK(run_outer, { long *sum; })
{
    struct tw_stream *streams[4];
    struct tw_network *network = tw_network_create("outer", NULL);
    struct tw_process *add = tw_process_create(network, "add");
    for (int i = 0; i < 4; i++) {
        struct tw_process *inner = tw_process_create(network, "inner");
        streams[i] = tw_stream_create(network, "s", inner, add, sizeof(long), 1);
        tw_process_body(inner, run_inner, .out = streams[i]);
    }
    tw_process_body(add, add_inner, .in = {streams[0], streams[1], streams[2], streams[3]},
                    .sum = self.sum);
    if (tw_network_run(network) != 0)
        tw_fail(1);
    tw_network_destroy(network);
}

static void test_network_inside_a_process(void **state)
{
    (void)state;
    long sum = 0;
    assert_int_equal(tw_run(run_outer, .sum = &sum), 0);
    assert_int_equal(sum, 4 * 1500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_network_flow),
        cmocka_unit_test(test_network_without_processes_or_bodies),
        cmocka_unit_test(test_network_null_means_no_memory),
        cmocka_unit_test(test_network_items_of_all_sizes),
        cmocka_unit_test(test_network_many_streams_at_once),
        cmocka_unit_test(test_network_a_million_streams),
        cmocka_unit_test(test_network_end_after_the_last_item),
        cmocka_unit_test(test_network_puts_into_an_abandoned_stream_vanish),
        cmocka_unit_test(test_network_put_says_that_nobody_reads),
        cmocka_unit_test(test_network_process_that_fails),
        cmocka_unit_test(test_network_failure_is_no_end),
        cmocka_unit_test(test_network_cancelled_by_a_timeout),
        cmocka_unit_test(test_network_cancelled_in_the_middle),
        cmocka_unit_test(test_network_processes_that_never_start),
        cmocka_unit_test(test_network_inside_a_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

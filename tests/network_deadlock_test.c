// SPDX-License-Identifier: Apache-2.0
// ctest: timeout=240
// Processes that wait for each other: streams grow where that helps, and the rest is reported.
#include "network_scene.h"

#include "channel/network.h"

static const enum tw_growth grows[] = {TW_GROW_CIRCLE, TW_GROW_NETWORK};

// ---- artificial ones ----

// The reader wants what comes last first.
static void build_detour(struct scene *scene, struct tw_network *network)
{
    struct tw_process *from = tw_process_create(network, "from");
    struct tw_process *to = tw_process_create(network, "to");
    struct link *many = scene_link(scene, network, 0, "many", from, to, 1);
    struct link *one = scene_link(scene, network, 1, "one", from, to, 1);
    SCRIPT(scene, from, {PUT, many, 10}, {PUT, one, 1});
    SCRIPT(scene, to, {GET, one, 1}, {GET, many, 10});
}

static void test_deadlock_stream_grows_as_far_as_needed(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct scene scene = {.build = build_detour, .options.growth = grows[i]};
        scene_play(&scene);
        assert_int_equal(scene.error, 0);
        assert_string_equal(scene.trouble, "");
        assert_int_equal(scene.failed, 0);
        assert_int_equal(scene.links[0].got, 10);
        assert_int_equal(scene.stats.growths, 4); // 1, 2, 4, 8, 16
        assert_int_equal(scene.stats.circles, 4);
        assert_int_equal(scene.stats.capacity_sum, 17);
    }
}

static void test_deadlock_growth_up_to_the_limit(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct scene scene = {
            .build = build_detour, .options.growth = grows[i], .options.capacity_max = 10};
        scene_play(&scene);
        assert_int_equal(scene.error, 0);
        assert_int_equal(scene.stats.capacity_sum, 11);
    }
}

static void test_deadlock_growth_beyond_the_limit(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct scene scene = {
            .build = build_detour, .options.growth = grows[i], .options.capacity_max = 7};
        scene_play(&scene);
        assert_int_equal(scene.error, TW_EDEADLK);
        assert_int_equal(scene.failed, TW_ECANCELED);
        assert_int_equal(scene.stats.growths, 3); // 1, 2, 4, 7
        assert_string_equal(
            scene.trouble,
            "network 'net': 2 processes wait for each other, and no stream may grow beyond 7 "
            "items\n"
            "process 'from' waits for room in stream 'many' (7 of 7) to process 'to'\n"
            "process 'to' waits for an item of stream 'one' (0 of 1) from process 'from'\n");
    }
}

static void test_deadlock_growth_never(void **state)
{
    (void)state;
    struct scene scene = {.build = build_detour, .options.growth = TW_GROW_NEVER};
    scene_play(&scene);
    assert_int_equal(scene.error, TW_EDEADLK);
    assert_int_equal(scene.stats.growths, 0);
    assert_int_equal(scene.stats.circles, 1);
    assert_string_equal(
        scene.trouble,
        "network 'net': 2 processes wait for each other, and no stream may grow\n"
        "process 'from' waits for room in stream 'many' (1 of 1) to process 'to'\n"
        "process 'to' waits for an item of stream 'one' (0 of 1) from process 'from'\n");
}

// Both are full. The smaller has to grow.
static void build_smallest(struct scene *scene, struct tw_network *network)
{
    struct tw_process *a = tw_process_create(network, "a"), *b = tw_process_create(network, "b");
    struct link *large = scene_link(scene, network, 0, "large", a, b, 8);
    struct link *small = scene_link(scene, network, 1, "small", b, a, 3);
    SCRIPT(scene, a, {PUT, large, 9}, {GET, small, 4});
    SCRIPT(scene, b, {PUT, small, 4}, {GET, large, 9});
}

static void test_deadlock_smallest_stream_grows(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct scene scene = {.build = build_smallest, .options.growth = grows[i]};
        scene_play(&scene);
        assert_int_equal(scene.error, 0);
        assert_int_equal(scene.stats.growths, 1);
        assert_int_equal(scene.stats.capacity_sum, 8 + 6);
    }
}

// What stands in a ring comes out in order after it grew, wherever the ring began.
static void build_wrapped(struct scene *scene, struct tw_network *network)
{
    struct tw_process *from = tw_process_create(network, "from");
    struct tw_process *to = tw_process_create(network, "to");
    struct link *many = scene_link(scene, network, 0, "many", from, to, 13);
    struct link *one = scene_link(scene, network, 1, "one", from, to, 1);
    SCRIPT(scene, from, {PUT, many, 11}, {PUT, one, 1}, {PUT, many, 1000}, {PUT, one, 1});
    SCRIPT(scene, to, {GET, one, 1}, {GET, many, 9}, {GET, one, 1}, {GET, many, 1002});
}

static void test_deadlock_order_survives_growth(void **state)
{
    (void)state;
    struct scene scene = {.build = build_wrapped};
    scene_play(&scene);
    assert_int_equal(scene.error, 0);
    assert_int_equal(scene.links[0].got, 1011);
}

static void build_two_circles(struct scene *scene, struct tw_network *network)
{
    for (int i = 0; i < 2; i++) {
        struct tw_process *from = tw_process_create(network, "from");
        struct tw_process *to = tw_process_create(network, "to");
        struct link *many = scene_link(scene, network, 2 * i, "many", from, to, 1);
        struct link *one = scene_link(scene, network, 2 * i + 1, "one", from, to, 1);
        SCRIPT(scene, from, {PUT, many, 4}, {PUT, one, 1});
        SCRIPT(scene, to, {GET, one, 1}, {GET, many, 4});
    }
}

static void test_deadlock_two_circles_at_once(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct scene scene = {.build = build_two_circles, .options.growth = grows[i]};
        scene_play(&scene);
        assert_int_equal(scene.error, 0);
        assert_int_equal(scene.stats.growths, 4);
        assert_int_equal(scene.links[0].got + scene.links[2].got, 8);
    }
}

// ---- real ones ----

static void build_real(struct scene *scene, struct tw_network *network)
{
    struct tw_process *a = tw_process_create(network, "a"), *b = tw_process_create(network, "b");
    struct tw_process *c = tw_process_create(network, "c"), *d = tw_process_create(network, "d");
    struct link *x = scene_link(scene, network, 0, "x", a, b, 4);
    struct link *y = scene_link(scene, network, 1, "y", b, c, 5);
    struct link *z = scene_link(scene, network, 2, "z", c, a, 6);
    struct link *w = scene_link(scene, network, 3, "w", b, d, 7);
    SCRIPT(scene, a, {GET, z, 1}, {PUT, x, 1});
    SCRIPT(scene, b, {GET, x, 1}, {PUT, y, 1}, {PUT, w, 1});
    SCRIPT(scene, c, {GET, y, 1}, {PUT, z, 1});
    SCRIPT(scene, d, {GET, w, 1});
}

static void test_deadlock_real_one_is_reported(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct scene scene = {.build = build_real, .options.growth = grows[i]};
        scene_play(&scene);
        assert_int_equal(scene.error, TW_EDEADLK);
        assert_int_equal(scene.failed, TW_ECANCELED);
        assert_string_equal(
            scene.trouble,
            "network 'net': 3 processes wait for each other, and not for room\n"
            "process 'a' waits for an item of stream 'z' (0 of 6) from process 'c'\n"
            "process 'c' waits for an item of stream 'y' (0 of 5) from process 'b'\n"
            "process 'b' waits for an item of stream 'x' (0 of 4) from process 'a'\n");
    }
}

// ---- a stream from a process to itself ----

static void build_self_get(struct scene *scene, struct tw_network *network)
{
    struct tw_process *a = tw_process_create(network, "a");
    struct link *x = scene_link(scene, network, 0, "x", a, a, 2);
    SCRIPT(scene, a, {PUT, x, 2}, {GET, x, 3});
}

static void test_deadlock_process_waits_for_its_own_item(void **state)
{
    (void)state;
    struct scene scene = {.build = build_self_get};
    scene_play(&scene);
    assert_int_equal(scene.error, TW_EDEADLK);
    assert_int_equal(scene.links[0].got, 2);
    assert_string_equal(scene.trouble,
                        "network 'net': a process waits for itself, and not for room\n"
                        "process 'a' waits for an item of stream 'x' (0 of 2) from process 'a'\n");
}

static void build_self_put(struct scene *scene, struct tw_network *network)
{
    struct tw_process *a = tw_process_create(network, "a");
    struct link *x = scene_link(scene, network, 0, "x", a, a, 2);
    SCRIPT(scene, a, {PUT, x, 1}, {GET, x, 1}, {PUT, x, 50}, {GET, x, 50});
}

static void test_deadlock_process_waits_for_its_own_room(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct scene scene = {.build = build_self_put, .options.growth = grows[i]};
        scene_play(&scene);
        assert_int_equal(scene.error, 0);
        assert_int_equal(scene.links[0].got, 51);
        assert_int_equal(scene.stats.capacity_sum, 64);
    }
}

// ---- while others run ----

static uint64_t growths_of(struct tw_network *network)
{
    struct tw_network_stats stats;
    tw_network_count(network, &stats);
    return stats.growths;
}

// Runs on until a stream has grown, or for a while.
TW_TASK(run_on, {
    struct tw_network *network;
    uint64_t most_ns;
    uint64_t *growths;
})
{
    uint64_t until_ns = tw_now_ns() + self.most_ns;
    while (!growths_of(self.network) && tw_now_ns() < until_ns)
        tw_sleep(1000000);
    *self.growths = growths_of(self.network);
}

struct aside {
    struct scene scene; // first
    uint64_t most_ns, growths;
};

static void build_aside(struct scene *scene, struct tw_network *network)
{
    struct aside *aside = (struct aside *)scene;
    build_detour(scene, network);
    tw_process_body(tw_process_create(network, "runs on"), run_on, .network = network,
                    .most_ns = aside->most_ns, .growths = &aside->growths);
}

static void test_deadlock_of_a_part_is_mended_at_once(void **state)
{
    (void)state;
    struct aside aside = {.scene.build = build_aside, .most_ns = 60 * (uint64_t)1000000000};
    scene_play(&aside.scene);
    assert_int_equal(aside.scene.error, 0);
    assert_true(aside.growths > 0);
}

static void test_deadlock_of_a_part_waits_for_the_whole(void **state)
{
    (void)state;
    struct aside aside = {
        .scene.build = build_aside, .scene.options.growth = TW_GROW_NETWORK, .most_ns = 100000000};
    scene_play(&aside.scene);
    assert_int_equal(aside.scene.error, 0);
    assert_int_equal(aside.growths, 0);
    assert_int_equal(aside.scene.stats.growths, 4);
}

// A real one ends the others too.
static void build_real_aside(struct scene *scene, struct tw_network *network)
{
    struct tw_process *a = tw_process_create(network, "a"), *b = tw_process_create(network, "b");
    struct link *x = scene_link(scene, network, 0, "x", a, b, 1);
    struct link *y = scene_link(scene, network, 1, "y", b, a, 1);
    SCRIPT(scene, a, {GET, y, 1}, {PUT, x, 1});
    SCRIPT(scene, b, {GET, x, 1}, {PUT, y, 1});
    struct tw_process *c = tw_process_create(network, "c"), *d = tw_process_create(network, "d");
    struct link *z = scene_link(scene, network, 2, "z", c, d, 1);
    SCRIPT(scene, c, {PUT, z, 1000000000000});
    SCRIPT(scene, d, {GET, z, 1000000000000});
}

static void test_deadlock_of_a_part_ends_the_whole(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct scene scene = {.build = build_real_aside, .options.growth = grows[i]};
        scene_play(&scene);
        assert_int_equal(scene.error, TW_EDEADLK);
        assert_non_null(strstr(scene.trouble, "process 'b' waits for an item of stream 'x'"));
        assert_null(strstr(scene.trouble, "'z'"));
    }
}

// Nobody is stuck who waits for one that sleeps.
static void build_sleeper(struct scene *scene, struct tw_network *network)
{
    struct tw_process *a = tw_process_create(network, "a"), *b = tw_process_create(network, "b");
    struct link *x = scene_link(scene, network, 0, "x", a, b, 1);
    struct link *y = scene_link(scene, network, 1, "y", b, a, 1);
    SCRIPT(scene, a, {GET, y, 1}, {SLEEP, NULL, 100}, {PUT, x, 1});
    SCRIPT(scene, b, {SLEEP, NULL, 100}, {PUT, y, 1}, {GET, x, 1});
}

static void test_deadlock_sleep_is_none(void **state)
{
    (void)state;
    struct scene scene = {.build = build_sleeper, .options.growth = TW_GROW_NEVER};
    scene_play(&scene);
    assert_int_equal(scene.error, 0);
    assert_int_equal(scene.stats.circles, 0);
}

// ---- large ones ----

enum { RING = 1000 };

TW_TASK(pass_on, { struct tw_stream *in, *out; })
{
    long item;
    while (tw_get(self.in, &item) == 0 && tw_put(self.out, &item) == 0)
        continue;
}

static void build_ring(struct scene *scene, struct tw_network *network)
{
    static struct tw_process *of[RING];
    struct tw_stream *streams[RING];
    (void)scene;
    for (int i = 0; i < RING; i++)
        of[i] = tw_process_create(network, i == 0 ? "first" : "other");
    for (int i = 0; i < RING; i++) // from i to its successor
        streams[i] = tw_stream_create(network, "s", of[i], of[(i + 1) % RING], sizeof(long), 1);
    for (int i = 0; i < RING; i++)
        tw_process_body(of[i], pass_on, .in = streams[(i + RING - 1) % RING], .out = streams[i]);
}

static void test_deadlock_report_has_an_end(void **state)
{
    (void)state;
    struct scene scene = {.build = build_ring};
    scene_play(&scene);
    assert_int_equal(scene.error, TW_EDEADLK);
    const char *second = strchr(scene.trouble, '\n') + 1;
    assert_int_equal(strncmp(second, "process 'first'", 15), 0);
    assert_non_null(strstr(scene.trouble, "1000 processes wait for each other"));
    assert_non_null(strstr(scene.trouble, "\nand so on: 980 more\n"));
}

// ---- a circle that was never closed ----

// One item goes around among three, so that each waits most of the time, but never all at once. The
// processes are plain tasks here, and the test itself looks for circles, all the time.
enum { TURNS = 200000, TRIO = 3 };

TW_TASK(pass_item, {
    struct tw_stream *in, *out;
    long turns;
    int *over;
})
{
    long item = 0;
    for (long i = 0; i < self.turns; i++)
        if (tw_get(self.in, &item) != 0 || tw_put(self.out, &item) != 0)
            break;
    __atomic_fetch_add(self.over, 1, __ATOMIC_RELEASE);
}

TW_TASK(look_all_the_time, {
    long turns;
    int *found;
})
{
    struct tw_network_options options = {.growth = TW_GROW_NEVER};
    struct tw_network *network = tw_network_create("trio", &options);
    struct tw_process *of[TRIO];
    struct tw_stream *streams[TRIO];
    int over = 0;
    long item = 0;
    for (int i = 0; i < TRIO; i++)
        of[i] = tw_process_create(network, "p");
    for (int i = 0; i < TRIO; i++)
        streams[i] = tw_stream_create(network, "s", of[i], of[(i + 1) % TRIO], sizeof item, 2);
    tw_put(streams[0], &item);
    for (int i = 0; i < TRIO; i++) {
        struct tw_args_pass_item args = {streams[(i + TRIO - 1) % TRIO], streams[i], self.turns,
                                         &over};
        tw_task_push_apart(&tw_type_pass_item, &args);
    }
    while (__atomic_load_n(&over, __ATOMIC_ACQUIRE) < TRIO) {
        for (int i = 0; i < 1000; i++)
            *self.found += twi_circles_resolve(network, 1);
        tw_yield();
    }
    tw_network_destroy(network);
}

static void test_deadlock_moving_circle_is_none(void **state)
{
    (void)state;
    int found = 0;
    assert_int_equal(tw_run(look_all_the_time, .turns = test_scaled(TURNS), .found = &found), 0);
    assert_int_equal(found, 0);
}

// ---- growth, and a failure in the middle ----

enum { MANY = 2000 };

TW_TASK(fail_soon, {
    struct tw_stream *stream;
    int turns;
})
{
    for (int i = 0; i < self.turns; i++)
        tw_yield();
    tw_process_fail(self.stream, 42);
}

// The reader goes on with the stream that grows when the network breaks.
TW_TASK(read_last_first, { struct tw_stream *one, *many; })
{
    long item = 0;
    (void)tw_get(self.one, &item);
    for (long i = 0; i < MANY && tw_get(self.many, &item) == 0; i++)
        if (item != i)
            tw_fail(1);
}

TW_TASK(write_last_last, { struct tw_stream *one, *many; })
{
    for (long i = 0; i < MANY && tw_put(self.many, &i) == 0; i++)
        continue;
    long end = 0;
    (void)tw_put(self.one, &end);
}

TW_TASK(break_while_growing, {
    int turns;
    int *error;
})
{
    struct tw_network *network = tw_network_create("net", NULL);
    struct tw_process *from = tw_process_create(network, "from");
    struct tw_process *to = tw_process_create(network, "to");
    struct tw_process *breaks = tw_process_create(network, "breaks");
    struct tw_stream *many = tw_stream_create(network, "many", from, to, sizeof(long), 1);
    struct tw_stream *one = tw_stream_create(network, "one", from, to, sizeof(long), 1);
    struct tw_stream *none = tw_stream_create(network, "none", breaks, to, 1, 1);
    tw_process_body(from, write_last_last, .one = one, .many = many);
    tw_process_body(to, read_last_first, .one = one, .many = many);
    tw_process_body(breaks, fail_soon, .stream = none, .turns = self.turns);
    *self.error = tw_network_run(network);
    tw_network_destroy(network);
}

static void test_deadlock_break_while_growing(void **state)
{
    (void)state;
    int error = 0, rounds = test_scaled(300);
    for (int i = 0; i < rounds; i++) {
        assert_int_equal(tw_run(break_while_growing, .turns = i, .error = &error), 0);
        assert_int_equal(error, 42);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deadlock_stream_grows_as_far_as_needed),
        cmocka_unit_test(test_deadlock_growth_up_to_the_limit),
        cmocka_unit_test(test_deadlock_growth_beyond_the_limit),
        cmocka_unit_test(test_deadlock_growth_never),
        cmocka_unit_test(test_deadlock_smallest_stream_grows),
        cmocka_unit_test(test_deadlock_order_survives_growth),
        cmocka_unit_test(test_deadlock_two_circles_at_once),
        cmocka_unit_test(test_deadlock_real_one_is_reported),
        cmocka_unit_test(test_deadlock_process_waits_for_its_own_item),
        cmocka_unit_test(test_deadlock_process_waits_for_its_own_room),
        cmocka_unit_test(test_deadlock_of_a_part_is_mended_at_once),
        cmocka_unit_test(test_deadlock_of_a_part_waits_for_the_whole),
        cmocka_unit_test(test_deadlock_of_a_part_ends_the_whole),
        cmocka_unit_test(test_deadlock_sleep_is_none),
        cmocka_unit_test(test_deadlock_report_has_an_end),
        cmocka_unit_test(test_deadlock_moving_circle_is_none),
        cmocka_unit_test(test_deadlock_break_while_growing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

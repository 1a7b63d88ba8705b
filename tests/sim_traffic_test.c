// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// Traffic over the simulated fabric: everyone is sent to, the same again and again, and there is
// room for 10,000 places.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim/hold.h"
#include "sim/traffic.h"

// Shapes with few and many divisors, one place, one actor.
static const struct sim_traffic_shape shapes[] = {{1, 1},  {1, 7},   {2, 1},   {3, 5},
                                                  {16, 6}, {31, 31}, {64, 24}, {512, 2}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static struct sim_traffic *make(const struct sim_traffic_shape *shape)
{
    struct sim_traffic *traffic = sim_traffic_create(shape);
    assert_non_null(traffic);
    return traffic;
}

static struct sim_traffic_counts run_once(const struct sim_traffic_shape *shape, uint32_t rounds)
{
    struct sim_traffic *traffic = make(shape);
    assert_int_equal(sim_traffic_run(traffic, rounds), 1);
    struct sim_traffic_counts counts = sim_traffic_count(traffic);
    sim_traffic_destroy(traffic);
    return counts;
}

static void test_partners_are_a_permutation(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++) {
        uint32_t actors = sim_traffic_actors(&shapes[i]);
        uint32_t stride = sim_traffic_stride(actors);
        for (uint32_t round = 0; round < 5; round++) {
            unsigned char *met = calloc(actors, 1);
            assert_non_null(met);
            for (uint64_t actor = 0; actor < actors; actor++) {
                uint32_t base = (uint32_t)(actor * stride % actors);
                uint32_t partner = sim_traffic_partner(actors, base, round);
                assert_true(partner < actors);
                assert_int_equal(met[partner]++, 0);
            }
            free(met);
        }
    }
}

static void test_partners_change_with_the_round(void **state)
{
    const uint32_t actors = 24576;
    unsigned same = 0;
    (void)state;
    for (uint32_t round = 0; round < 100; round++)
        same += sim_traffic_shift(actors, round) == sim_traffic_shift(actors, round + 1);
    assert_in_range(same, 0, 1);
}

static void test_partners_sum_is_that_of_all_rounds(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++)
        for (uint32_t first = 0; first < 3; first++) {
            uint64_t sum = 0;
            for (uint32_t round = first; round < first + 4; round++)
                for (uint32_t actor = 0; actor < sim_traffic_actors(&shapes[i]); actor++)
                    sum += sim_traffic_number(actor, round);
            assert_int_equal(sim_traffic_sum(&shapes[i], first, 4), sum);
            assert_int_equal(sim_traffic_sum(&shapes[i], first, 0), 0);
        }
}

static void test_traffic_delivers_every_number(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++) {
        struct sim_traffic_counts counts = run_once(&shapes[i], 5);
        assert_int_equal(counts.messages, 5 * sim_traffic_actors(&shapes[i]));
        assert_int_equal(counts.sum, sim_traffic_sum(&shapes[i], 0, 5));
        assert_true(counts.events >= counts.messages);
        assert_true(counts.now_ns > 0);
    }
}

static void test_traffic_goes_on_where_it_stopped(void **state)
{
    struct sim_traffic *traffic = make(&shapes[4]);
    (void)state;
    assert_int_equal(sim_traffic_run(traffic, 1), 1);
    struct sim_traffic_counts before = sim_traffic_count(traffic);
    assert_int_equal(before.sum, sim_traffic_sum(&shapes[4], 0, 1));
    assert_int_equal(sim_traffic_run(traffic, 7), 1);
    struct sim_traffic_counts after = sim_traffic_count(traffic);
    assert_int_equal(after.sum - before.sum, sim_traffic_sum(&shapes[4], 1, 7));
    assert_true(after.now_ns > before.now_ns);
    assert_int_equal(sim_traffic_run(traffic, 0), 1);
    assert_int_equal(sim_traffic_count(traffic).events, after.events);
    sim_traffic_destroy(traffic);
}

static void test_traffic_has_the_same_trace_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++) {
        struct sim_traffic_counts one = run_once(&shapes[i], 6), two = run_once(&shapes[i], 6);
        assert_memory_equal(&one, &two, sizeof one);
    }
    assert_int_not_equal(run_once(&shapes[4], 6).trace, run_once(&shapes[4], 7).trace);
    assert_int_not_equal(run_once(&shapes[4], 6).trace, run_once(&shapes[5], 6).trace);
}

static void test_traffic_of_10000_places(void **state)
{
    const struct sim_traffic_shape shape = {10000, 16};
    struct sim_traffic *traffic = make(&shape);
    (void)state;
    assert_int_equal(sim_traffic_run(traffic, 2), 1);
    assert_int_equal(sim_traffic_count(traffic).sum, sim_traffic_sum(&shape, 0, 2));
    assert_true(sim_traffic_bytes(traffic) < 1024 * (size_t)sim_traffic_actors(&shape));
    sim_traffic_destroy(traffic);
}

static void test_hold_handles_events_in_order(void **state)
{
    static const uint32_t sizes[] = {1, 2, 1000, 100000};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct sim_hold *hold = sim_hold_create(sizes[i]);
        assert_non_null(hold);
        assert_int_equal(sim_hold_run(hold, 5000), 5000);
        assert_int_equal(sim_hold_run(hold, 300000), 300000);
        sim_hold_destroy(hold);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_partners_are_a_permutation),
        cmocka_unit_test(test_partners_change_with_the_round),
        cmocka_unit_test(test_partners_sum_is_that_of_all_rounds),
        cmocka_unit_test(test_traffic_delivers_every_number),
        cmocka_unit_test(test_traffic_goes_on_where_it_stopped),
        cmocka_unit_test(test_traffic_has_the_same_trace_again),
        cmocka_unit_test(test_traffic_of_10000_places),
        cmocka_unit_test(test_hold_handles_events_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

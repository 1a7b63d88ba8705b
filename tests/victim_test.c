// SPDX-License-Identifier: Apache-2.0
// ctest: workers=2
// The order in which a searching worker visits the others.
#include "support.h"

#include <string.h>

#include "rule/victim.h"

enum { WORKERS_MOST = 70, SEEDS = 200 };

// One tour over n workers visits each of them once.
static void check_tour(uint64_t seed, uint32_t n)
{
    unsigned char visits[TW_WORKERS_MAX] = {0};
    struct twi_rng rng = {seed};
    struct twi_tour tour = twi_tour_begin(&rng, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t victim = twi_tour_next(&tour);
        assert_true(victim < n);
        assert_int_equal(visits[victim]++, 0);
    }
}

static void test_victim_a_tour_visits_each_worker_once(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= WORKERS_MOST; n++)
        for (uint64_t seed = 0; seed < SEEDS; seed++)
            check_tour(seed, n);
    for (uint32_t n = TW_WORKERS_MAX - 4; n <= TW_WORKERS_MAX; n++)
        check_tour(n, n);
}

static void test_victim_a_second_tour_follows_the_first(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= WORKERS_MOST; n++) {
        struct twi_rng rng = {n};
        struct twi_tour tour = twi_tour_begin(&rng, n);
        uint32_t first = twi_tour_next(&tour);
        for (uint32_t i = 1; i < n; i++)
            (void)twi_tour_next(&tour);
        assert_int_equal(twi_tour_next(&tour), first);
    }
}

static void test_victim_every_worker_is_a_first_victim(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= WORKERS_MOST; n++) {
        unsigned firsts[WORKERS_MOST] = {0};
        struct twi_rng rng = {n};
        for (uint32_t i = 0; i < 100 * n; i++) {
            struct twi_tour tour = twi_tour_begin(&rng, n);
            firsts[twi_tour_next(&tour)]++;
        }
        for (uint32_t i = 0; i < n; i++) // 100 expected, standard deviation 10
            assert_in_range(firsts[i], 40, 160);
    }
}

// Searchers that start at the same victim part again.
static void test_victim_tours_from_one_start_differ(void **state)
{
    (void)state;
    enum { N = 8 };
    unsigned seconds[N] = {0}, different = 0;
    struct twi_rng rng = {1};
    for (int i = 0; i < 1000; i++) {
        struct twi_tour tour = twi_tour_begin(&rng, N);
        uint32_t first = twi_tour_next(&tour);
        seconds[(twi_tour_next(&tour) + N - first) % N]++;
    }
    for (int i = 0; i < N; i++)
        different += seconds[i] != 0;
    assert_int_equal(different, 4); // the strides 1, 3, 5 and 7
}

static void test_victim_same_seed_same_tours(void **state)
{
    (void)state;
    struct twi_rng one = {42}, two = {42};
    for (uint32_t n = 1; n <= WORKERS_MOST; n++) {
        struct twi_tour a = twi_tour_begin(&one, n), b = twi_tour_begin(&two, n);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(twi_tour_next(&a), twi_tour_next(&b));
    }
}

static void test_victim_random_numbers_stay_below(void **state)
{
    (void)state;
    struct twi_rng rng = {7};
    unsigned seen[5] = {0};
    assert_int_equal(twi_rng_below(&rng, 1), 0);
    for (int i = 0; i < 5000; i++) {
        uint32_t got = twi_rng_below(&rng, 5);
        assert_true(got < 5);
        seen[got]++;
    }
    for (int i = 0; i < 5; i++) // 1000 expected, standard deviation 28
        assert_in_range(seen[i], 830, 1170);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_victim_a_tour_visits_each_worker_once),
        cmocka_unit_test(test_victim_a_second_tour_follows_the_first),
        cmocka_unit_test(test_victim_every_worker_is_a_first_victim),
        cmocka_unit_test(test_victim_tours_from_one_start_differ),
        cmocka_unit_test(test_victim_same_seed_same_tours),
        cmocka_unit_test(test_victim_random_numbers_stay_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

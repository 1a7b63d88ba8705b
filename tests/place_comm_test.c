// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// How a place divides its processors between workers and its communication worker, when it takes
// them for too few, and which of its workers want tasks.
#include "support.h"

#include <stdlib.h>

#include "place/comm.h"
#include "place/place.h"

static void divides(enum tw_comm comm, unsigned processors, unsigned places, unsigned wanted,
                    unsigned workers, int spins)
{
    struct twi_division division = twi_divide(comm, processors, places, wanted);
    assert_int_equal(division.workers, workers);
    assert_int_equal(division.spin_ns != 0, spins);
}

static void test_place_comm_shared_leaves_all_processors_to_workers(void **state)
{
    (void)state;
    divides(TW_COMM_SHARED, 2, 1, 0, 2, 0);
    divides(TW_COMM_SHARED, 64, 2, 0, 32, 0);
    divides(TW_COMM_SHARED, 64, 2, 5, 5, 0);
    divides(TW_COMM_SHARED, 2, 16, 0, 1, 0);
}

static void test_place_comm_dedicated_takes_one(void **state)
{
    (void)state;
    divides(TW_COMM_DEDICATED, 2, 1, 0, 1, 1);
    divides(TW_COMM_DEDICATED, 2, 2, 0, 1, 1);
    divides(TW_COMM_DEDICATED, 64, 2, 0, 31, 1);
    divides(TW_COMM_DEDICATED, 64, 2, 32, 32, 1);
}

static void test_place_comm_never_spins_where_places_outnumber_processors(void **state)
{
    (void)state;
    divides(TW_COMM_DEDICATED, 2, 3, 0, 1, 0);
    divides(TW_COMM_DEDICATED, 1, 2, 1, 1, 0);
    divides(TW_COMM_AUTO, 8, 16, 0, 1, 0);
}

static void test_place_comm_auto_takes_one_of_many(void **state)
{
    (void)state;
    divides(TW_COMM_AUTO, 2, 1, 0, 2, 0);
    divides(TW_COMM_AUTO, 7, 1, 0, 7, 0);
    divides(TW_COMM_AUTO, 8, 1, 0, 7, 1);
    divides(TW_COMM_AUTO, 15, 2, 0, 7, 0);
    divides(TW_COMM_AUTO, 16, 2, 0, 7, 1);
    divides(TW_COMM_AUTO, 16, 2, 8, 8, 0); // who wants them all has them
    divides(TW_COMM_AUTO, 16, 2, 3, 3, 1);
}

// Of places that may all use the same processors.
static int is_crowded(unsigned processors, unsigned places, unsigned workers)
{
    struct twi_common common = {.processors = processors, .places = places, .is_alike = 1};
    return twi_is_crowded(&common, workers);
}

static void test_place_comm_is_crowded_where_workers_outnumber_processors(void **state)
{
    (void)state;
    assert_true(is_crowded(2, 3, 1));
    assert_true(is_crowded(2, 2, 2));
    assert_true(is_crowded(2, 1, 3));
    assert_true(is_crowded(1, 2, 1));
    assert_false(is_crowded(2, 2, 1));
    assert_false(is_crowded(2, 1, 2));
    assert_false(is_crowded(64, 2, 31));
}

// Who rests beside a free processor wastes it.
static void test_place_comm_is_not_crowded_where_some_may_run_elsewhere(void **state)
{
    (void)state;
    struct twi_common common = {.processors = 2, .places = 2, .is_alike = 0};
    assert_false(twi_is_crowded(&common, 2));
}

static void has(unsigned allowed, double quota, unsigned neighbours, unsigned sharers,
                unsigned processors, unsigned places)
{
    struct tw_machine machine = {.allowed = allowed, .quota = quota};
    struct twi_sharing sharing = {.sharers = sharers, .is_alike = 1};
    struct twi_common common = twi_common(&machine, neighbours, &sharing);
    assert_int_equal(common.processors, processors);
    assert_int_equal(common.places, places);
}

static void test_place_comm_only_who_shares_processors_counts(void **state)
{
    (void)state;
    has(64, 0, 1, 0, 64, 1); // nobody has compared
    has(64, 0, 4, 4, 64, 4); // not bound
    has(16, 0, 4, 1, 16, 1); // each has its own
    has(1, 0, 2, 1, 1, 1);
    has(32, 0, 4, 2, 32, 2); // two to a socket
    has(1, 0, 16, 16, 1, 16);
}

static void test_place_comm_a_quota_is_shared_by_all(void **state)
{
    (void)state;
    has(8, 2, 1, 1, 2, 1);
    has(8, 2, 3, 3, 2, 3);
    has(16, 20, 4, 1, 20, 4); // though each has its own processors
    has(16, 3.5, 4, 1, 4, 4);
    has(16, 64, 4, 1, 16, 1); // that is what they have
    has(16, 100, 4, 1, 16, 1);
    has(8, 8, 2, 2, 8, 2);
}

static void test_place_comm_is_not_hungry_for_workers_that_have_tasks_waiting(void **state)
{
    enum { WORKERS = 3 };
    (void)state;
    struct twi_pool pool = {.count = WORKERS, .workers = calloc(WORKERS, sizeof *pool.workers)};
    assert_non_null(pool.workers);
    assert_int_equal(twi_place_idle(&pool), 0);
    pool.workers[1].is_idle = pool.workers[2].is_idle = 1;
    assert_int_equal(twi_place_idle(&pool), 2);
    pool.workers[0].bag[TWI_STOLEN].count = 1; // whosever it is, one of the others takes it
    assert_int_equal(twi_place_idle(&pool), 1);
    pool.workers[2].bag[TWI_NORMAL].count = 1;
    assert_int_equal(twi_place_idle(&pool), 0);
    pool.workers[2].bag[TWI_NORMAL].count = 9;
    assert_int_equal(twi_place_idle(&pool), 0);
    free(pool.workers);
}

// What has come is for idle workers first, and others do not get it.
static void test_place_comm_gives_what_its_own_do_not_need(void **state)
{
    enum { WORKERS = 3 };
    (void)state;
    struct twi_pool pool = {.count = WORKERS, .workers = calloc(WORKERS, sizeof *pool.workers)};
    struct twi_place place = {.pool = &pool};
    assert_non_null(pool.workers);
    pool.workers[1].bag[TWI_STOLEN].count = 5;
    assert_int_equal(twi_place_pool_calls.load(&place), 5);
    pool.workers[0].is_idle = pool.workers[2].is_idle = 1;
    assert_int_equal(twi_place_pool_calls.load(&place), 3);
    pool.workers[1].bag[TWI_STOLEN].count = 2;
    assert_int_equal(twi_place_pool_calls.load(&place), 0);
    pool.workers[1].bag[TWI_STOLEN].count = 1;
    assert_int_equal(twi_place_pool_calls.load(&place), 0);
    free(pool.workers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_place_comm_shared_leaves_all_processors_to_workers),
        cmocka_unit_test(test_place_comm_dedicated_takes_one),
        cmocka_unit_test(test_place_comm_never_spins_where_places_outnumber_processors),
        cmocka_unit_test(test_place_comm_auto_takes_one_of_many),
        cmocka_unit_test(test_place_comm_is_crowded_where_workers_outnumber_processors),
        cmocka_unit_test(test_place_comm_is_not_crowded_where_some_may_run_elsewhere),
        cmocka_unit_test(test_place_comm_only_who_shares_processors_counts),
        cmocka_unit_test(test_place_comm_a_quota_is_shared_by_all),
        cmocka_unit_test(test_place_comm_is_not_hungry_for_workers_that_have_tasks_waiting),
        cmocka_unit_test(test_place_comm_gives_what_its_own_do_not_need),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

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

static int is_crowded(unsigned online, unsigned allowed, unsigned places, unsigned workers)
{
    struct tw_machine machine = {.online = online, .allowed = allowed, .workers = allowed};
    return twi_is_crowded(&machine, places, workers);
}

static void test_place_comm_is_crowded_where_workers_outnumber_processors(void **state)
{
    (void)state;
    assert_true(is_crowded(2, 2, 3, 1));
    assert_true(is_crowded(2, 2, 2, 2));
    assert_true(is_crowded(2, 2, 1, 3));
    assert_false(is_crowded(2, 2, 2, 1));
    assert_false(is_crowded(2, 2, 1, 2));
    assert_false(is_crowded(64, 64, 2, 31));
}

static void test_place_comm_is_crowded_by_what_a_quota_grants(void **state)
{
    (void)state;
    struct tw_machine machine = {.online = 8, .allowed = 8, .quota = 2, .workers = 2};
    assert_true(twi_is_crowded(&machine, 3, 1));
    assert_false(twi_is_crowded(&machine, 2, 1));
}

// Each of two places has a processor of its own, or both have the same one: they cannot tell, and
// who rests beside a free processor wastes it.
static void test_place_comm_is_not_crowded_where_places_are_bound(void **state)
{
    (void)state;
    assert_false(is_crowded(2, 1, 2, 1));
    assert_false(is_crowded(2, 1, 16, 1));
    assert_false(is_crowded(64, 32, 2, 32));
    assert_false(is_crowded(64, 63, 2, 64));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_place_comm_shared_leaves_all_processors_to_workers),
        cmocka_unit_test(test_place_comm_dedicated_takes_one),
        cmocka_unit_test(test_place_comm_never_spins_where_places_outnumber_processors),
        cmocka_unit_test(test_place_comm_auto_takes_one_of_many),
        cmocka_unit_test(test_place_comm_is_crowded_where_workers_outnumber_processors),
        cmocka_unit_test(test_place_comm_is_crowded_by_what_a_quota_grants),
        cmocka_unit_test(test_place_comm_is_not_crowded_where_places_are_bound),
        cmocka_unit_test(test_place_comm_is_not_hungry_for_workers_that_have_tasks_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

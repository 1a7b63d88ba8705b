// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// How a place divides its processors between workers and its communication worker.
#include "support.h"

#include "place/comm.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_place_comm_shared_leaves_all_processors_to_workers),
        cmocka_unit_test(test_place_comm_dedicated_takes_one),
        cmocka_unit_test(test_place_comm_never_spins_where_places_outnumber_processors),
        cmocka_unit_test(test_place_comm_auto_takes_one_of_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

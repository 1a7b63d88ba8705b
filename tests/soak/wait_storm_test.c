// SPDX-License-Identifier: Apache-2.0
// ctest: timeout=3000 alone
// A million sleeps, a hundred thousand connections: nothing is early, lost or left open.
#include "wait_storm.h"

static void test_wait_storm_a_million_sleeps(void **state)
{
    (void)state;
    storm_of_sleeps(5000, 1000000);
}

static void test_wait_storm_a_hundred_thousand_connections(void **state)
{
    (void)state;
    storm_of_connections(5000, 100000, "auto");
    storm_of_connections(500, 20000, "uring");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wait_storm_a_million_sleeps),
        cmocka_unit_test(test_wait_storm_a_hundred_thousand_connections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

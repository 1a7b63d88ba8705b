// SPDX-License-Identifier: Apache-2.0
// Storms of sleeps and connections that last a second or two (soak/wait_storm_test.c: longer).
#include "wait_storm.h"

static void test_wait_stress_sleeps(void **state)
{
    (void)state;
    storm_of_sleeps(500, test_scaled(100) * 500L);
}

static void test_wait_stress_connections(void **state)
{
    (void)state;
    static const char *const ways[] = {"auto", "epoll", "uring"};
    for (int i = 0; i < 3; i++)
        storm_of_connections(100, test_scaled(20) * 100L, ways[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wait_stress_sleeps),
        cmocka_unit_test(test_wait_stress_connections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

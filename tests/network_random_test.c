// SPDX-License-Identifier: Apache-2.0
// ctest: timeout=300
// Random networks give the streams that a reference gives; soak/network_sweep_test.c does more of
// them. `network_random_test last 1234` does one.
#include "network_random.h"

#include "base/sanitize.h"

#if defined(TWI_ASAN) || defined(TWI_TSAN)
enum { SEEDS = 300 };
#else
enum { SEEDS = 2000 };
#endif

static void sweep(int wake)
{
    random_networks(wake, 1 + (uint64_t)wake * SEEDS, (uint64_t)test_scaled(SEEDS));
    print_message("%llu ended, %llu ended after growth, %llu deadlocks\n",
                  (unsigned long long)running.clean, (unsigned long long)running.grown,
                  (unsigned long long)running.stuck);
    if (running.count >= 100)
        assert_true(running.clean && running.grown && running.stuck);
}

static void test_network_random_auto(void **state)
{
    (void)state;
    sweep(0);
}

static void test_network_random_cur(void **state)
{
    (void)state;
    sweep(1);
}

static void test_network_random_last(void **state)
{
    (void)state;
    sweep(2);
}

static void test_network_random_lhws(void **state)
{
    (void)state;
    sweep(3);
}

int main(int count, char **arguments)
{
    signal(SIGALRM, say_hang);
    if (count == 3)
        return random_networks_by_hand(arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_network_random_auto),
        cmocka_unit_test(test_network_random_cur),
        cmocka_unit_test(test_network_random_last),
        cmocka_unit_test(test_network_random_lhws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

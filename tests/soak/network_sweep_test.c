// SPDX-License-Identifier: Apache-2.0
// ctest: timeout=3000
// The long form of network_random_test.c. `network_sweep_test last 1234` does one network.
#include "network_random.h"

enum { SEEDS = 1000, ROUNDS = 200 };

static void test_network_sweep_of_all_placements(void **state)
{
    (void)state;
    int rounds = test_scaled(ROUNDS);
    for (int i = 0; i < rounds; i++)
        for (int wake = 0; wake < 4; wake++)
            random_networks(wake, 1000000 + (uint64_t)i * SEEDS, SEEDS);
}

int main(int count, char **arguments)
{
    signal(SIGALRM, say_hang);
    if (count == 3)
        return random_networks_by_hand(arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_network_sweep_of_all_placements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

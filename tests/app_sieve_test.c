// SPDX-License-Identifier: Apache-2.0
// The sieve: both programs against known primes and each other, with stages of every size.
#include "app_support.h"

#include "apps/sieve/sieve.h"

static void test_sieve_plain_finds_known_primes(void **state)
{
    (void)state;
    static const struct {
        uint32_t count, prime;
    } known[] = {{1, 2}, {2, 3}, {5, 11}, {6, 13}, {25, 97}, {1000, 7919}, {100000, 1299709}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t *prime = malloc(known[i].count * sizeof *prime);
        assert_non_null(prime);
        assert_true(sieve_plain(prime, known[i].count));
        assert_int_equal(prime[0], 2);
        assert_int_equal(prime[known[i].count - 1], known[i].prime);
        assert_true(sieve_limit(known[i].count) >= known[i].prime);
        free(prime);
    }
    assert_int_equal(sieve_filters_needed(8), 0);
    assert_int_equal(sieve_filters_needed(9), 1);
    assert_int_equal(sieve_filters_needed(10000), 24);
}

static void finds(uint32_t count, uint32_t filters, enum tw_wake wake)
{
    static uint32_t expected[20000], prime[20000];
    struct sieve job = {.count = count, .filters = filters, .wake = wake, .prime = prime};
    memset(prime, 0, sizeof prime);
    assert_true(sieve_plain(expected, count));
    assert_int_equal(sieve_network(NULL, &job), 0);
    assert_memory_equal(prime, expected, count * sizeof *prime);
}

static void test_sieve_few_primes(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= 40; count += 3)
        for (uint32_t filters = 1; filters <= 3; filters++)
            finds(count, filters, TW_WAKE_AUTO);
}

static void test_sieve_every_wake(void **state)
{
    (void)state;
    for (unsigned wake = TW_WAKE_AUTO; wake <= TW_WAKE_LHWS; wake++) {
        finds(2000, 1, (enum tw_wake)wake);
        finds(20000, 8, (enum tw_wake)wake);
        finds(5000, SIEVE_STAGE_MAX, (enum tw_wake)wake);
    }
}

static void test_sieve_options(void **state)
{
    (void)state;
    app_verifies_with(&sieve_app, "--primes", "1");
    app_verifies_with(&sieve_app, "--primes", "3000", "--filters", "3");
    app_refuses(&sieve_app, "--primes", "0",
                "--primes does not accept '0': give a whole number from 1 to 5000000");
    app_refuses(&sieve_app, "--filters", "65",
                "--filters does not accept '65': give a whole number from 1 to 64");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sieve_plain_finds_known_primes),
        cmocka_unit_test(test_sieve_few_primes),
        cmocka_unit_test(test_sieve_every_wake),
        cmocka_unit_test(test_sieve_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Skynet: the formula, the recursion and both forms of tasks give one sum.
#include "app_support.h"

#include "apps/skynet/skynet.h"

static void test_skynet_known_trees(void **state)
{
    (void)state;
    assert_int_equal(skynet_sum(1), 0);
    assert_int_equal(skynet_sum(10), 45);
    assert_int_equal(skynet_sum(1000000), 499999500000);
    assert_int_equal(skynet_nodes(1), 1);
    assert_int_equal(skynet_nodes(1000), 1111);
    assert_true(skynet_is_whole(1));
    assert_true(skynet_is_whole(SKYNET_LEAVES_MAX));
    assert_false(skynet_is_whole(0));
    assert_false(skynet_is_whole(20));
    assert_false(skynet_is_whole(15));
}

static void test_skynet_every_form(void **state)
{
    (void)state;
    for (uint64_t leaves = 1; leaves <= 100000; leaves *= 10) {
        uint64_t forked = 1, started = 1;
        assert_int_equal(skynet_sequential(leaves), skynet_sum(leaves));
        assert_int_equal(skynet_fork(NULL, leaves, &forked), 0);
        assert_int_equal(forked, skynet_sum(leaves));
        assert_int_equal(skynet_async(NULL, leaves, &started), 0);
        assert_int_equal(started, skynet_sum(leaves));
    }
}

static void test_skynet_options(void **state)
{
    (void)state;
    app_verifies_with(&skynet_app, "--leaves", "1000");
    app_verifies_with(&skynet_app, "--leaves", "10000", "--style", "async");
    app_refuses(&skynet_app, "--leaves", "0", "--leaves does not accept '0'");
    app_refuses(&skynet_app, "--leaves", "2000",
                "--leaves does not accept '2000': give a power of ten from 1 to 1000000000");
    app_refuses(&skynet_app, "--style", "x",
                "--style does not accept 'x': give one of fork, async");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_skynet_known_trees),
        cmocka_unit_test(test_skynet_every_form),
        cmocka_unit_test(test_skynet_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

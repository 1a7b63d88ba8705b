// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// When a place without tasks leaves others alone.
#include "support.h"

#include "steal/rest.h"

static int rests(unsigned processors, unsigned here, unsigned others, int has_got)
{
    struct twi_bustle bustle = {processors, here, others, has_got, 0};
    return twi_is_to_rest(&bustle);
}

static void test_steal_rest_while_others_use_all_processors(void **state)
{
    (void)state;
    assert_true(rests(2, 0, 2, 1));
    assert_true(rests(2, 0, 15, 1));
    assert_true(rests(4, 3, 1, 1));
}

static void test_steal_rest_takes_a_processor_that_is_free(void **state)
{
    (void)state;
    assert_false(rests(2, 0, 1, 1));
    assert_false(rests(2, 0, 0, 1));
    assert_false(rests(4, 2, 1, 1));
}

static void test_steal_rest_does_not_rest_for_ever(void **state)
{
    (void)state;
    struct twi_bustle bustle = {2, 0, 2, 1, TWI_REST_MOST_NS - 1};
    assert_true(twi_is_to_rest(&bustle));
    bustle.rested_ns++;
    assert_false(twi_is_to_rest(&bustle));
}

static void test_steal_rest_gets_something_first(void **state)
{
    (void)state;
    assert_false(rests(2, 0, 2, 0));
    assert_false(rests(1, 0, 15, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steal_rest_while_others_use_all_processors),
        cmocka_unit_test(test_steal_rest_takes_a_processor_that_is_free),
        cmocka_unit_test(test_steal_rest_does_not_rest_for_ever),
        cmocka_unit_test(test_steal_rest_gets_something_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// When a place without tasks leaves others alone.
#include "support.h"

#include "steal/rest.h"

enum { NOW = 1000 };

static int rests(unsigned processors, unsigned here, unsigned others, int has_got)
{
    struct twi_rest rest = {0};
    struct twi_bustle bustle = {processors, 1, here, others, has_got};
    return twi_rest_look(&rest, &bustle, NOW);
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
    struct twi_rest rest = {0};
    struct twi_bustle bustle = {.processors = 2, .idle = 1, .others = 2, .has_got = 1};
    assert_true(twi_rest_look(&rest, &bustle, NOW));
    assert_true(twi_rest_look(&rest, &bustle, NOW + TWI_REST_MOST_NS - 1));
    assert_false(twi_rest_look(&rest, &bustle, NOW + TWI_REST_MOST_NS));
    twi_rest_tasks_came(&rest);
    assert_true(twi_rest_look(&rest, &bustle, NOW + TWI_REST_MOST_NS));
}

static void test_steal_rest_looks_for_a_while_then_waits(void **state)
{
    (void)state;
    struct twi_rest rest = {0};
    struct twi_bustle bustle = {.processors = 2, .idle = 1, .others = 1, .has_got = 1};
    assert_false(twi_rest_look(&rest, &bustle, 0));
    assert_true(twi_rest_is_looking(&rest, 1));
    assert_true(twi_rest_looks_again(&rest, 1));
    assert_false(twi_rest_look(&rest, &bustle, TWI_REST_LOOK_NS));
    assert_true(twi_rest_is_looking(&rest, TWI_REST_LOOK_NS));
    assert_false(twi_rest_is_looking(&rest, TWI_REST_LOOK_NS + 1));
    assert_false(twi_rest_looks_again(&rest, TWI_REST_LOOK_NS + 1));
}

static void test_steal_rest_neither_rests_nor_looks_with_tasks(void **state)
{
    (void)state;
    struct twi_rest rest = {0};
    struct twi_bustle bustle = {.processors = 2, .idle = 1, .others = 1, .has_got = 1};
    assert_false(twi_rest_look(&rest, &bustle, NOW));
    bustle.idle = 0;
    bustle.here = 1;
    assert_false(twi_rest_look(&rest, &bustle, NOW + 1));
    assert_false(twi_rest_is_looking(&rest, NOW + 1));
    bustle.others = 2;
    assert_false(twi_rest_look(&rest, &bustle, NOW + 2));
    assert_false(twi_rest_looks_again(&rest, NOW + 2));
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
        cmocka_unit_test(test_steal_rest_looks_for_a_while_then_waits),
        cmocka_unit_test(test_steal_rest_neither_rests_nor_looks_with_tasks),
        cmocka_unit_test(test_steal_rest_gets_something_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Fibonacci: every form gives the same numbers.
#include "support.h"

#include "apps/fib/fib.h"

static void test_fib_known_values(void **state)
{
    (void)state;
    assert_int_equal(fib_value(0), 0);
    assert_int_equal(fib_value(1), 1);
    assert_int_equal(fib_value(10), 55);
    assert_int_equal(fib_value(FIB_N_MAX), UINT64_C(12200160415121876738));
    assert_int_equal(fib_recursive(20), 6765);
    assert_int_equal(fib_calls(1), 1);
    assert_int_equal(fib_calls(4), 9);
}

static void test_fib_with_tasks(void **state)
{
    (void)state;
    for (unsigned n = 0; n <= 20; n++) {
        uint64_t value = 0;
        assert_int_equal(fib_fork(NULL, n, &value), 0);
        assert_int_equal(value, fib_value(n));
        value = 0;
        assert_int_equal(fib_async(NULL, n, &value), 0);
        assert_int_equal(value, fib_value(n));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fib_known_values),
        cmocka_unit_test(test_fib_with_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// N queens: the table, the sequential search and the tasks agree, whatever the cut-off.
#include "support.h"

#include "apps/nqueens/nqueens.h"

static void test_nqueens_sequential_finds_the_table(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 11; n++)
        assert_int_equal(nqueens_sequential(n), nqueens_known(n));
    assert_int_equal(nqueens_known(18), 666090624);
    assert_true(nqueens_known(19) < 0);
}

static void test_nqueens_every_cutoff(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 9; n++) {
        for (unsigned rows = 0; rows <= n; rows++) {
            uint64_t solutions = 12345;
            assert_int_equal(nqueens_fork(NULL, n, rows, &solutions), 0);
            assert_int_equal(solutions, nqueens_known(n));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nqueens_sequential_finds_the_table),
        cmocka_unit_test(test_nqueens_every_cutoff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
#include "support.h"

#include <math.h>

#include "cli/run_table.h"

static void read_all(struct run_table *table, const char *const *lines)
{
    for (; *lines; lines++)
        run_table_line(table, *lines);
}

static const char *const report[] = {"{",
                                     "  \"app\": \"hf\",",
                                     "  \"seconds\": 7,",
                                     "  \"verified\": true,",
                                     "  \"iteration\": [",
                                     "    {",
                                     "      \"balance\": \"retentive\",",
                                     "      \"seconds\": 2.5,",
                                     "      \"stole\": 10",
                                     "    },",
                                     "    {",
                                     "      \"seconds\": 0.5,",
                                     "      \"stole\": null",
                                     "    }",
                                     "  ],",
                                     "  \"seconds\": 9",
                                     "}",
                                     NULL};

static void test_run_table_reads_iterations_only(void **state)
{
    static struct run_table table;
    (void)state;
    read_all(&table, report);
    assert_int_equal(table.rows, 2);
    assert_true(table.is_verified);
    assert_true(run_table_cell(&table, 0, "seconds") == 2.5);
    assert_true(run_table_cell(&table, 1, "seconds") == 0.5);
    assert_true(run_table_cell(&table, 0, "stole") == 10);
    assert_true(run_table_sum(&table, "seconds", 0, 2) == 3);
}

static void test_run_table_knows_what_is_missing(void **state)
{
    static struct run_table table;
    (void)state;
    read_all(&table, report);
    assert_true(isnan(run_table_cell(&table, 1, "stole")));
    assert_true(isnan(run_table_cell(&table, 2, "seconds")));
    assert_true(isnan(run_table_cell(&table, 0, "balance")));
    assert_true(isnan(run_table_cell(&table, 0, "app")));
    assert_true(isnan(run_table_sum(&table, "stole", 0, 2)));
    assert_true(isnan(run_table_sum(&table, "seconds", 1, 3)));
}

static void test_run_table_doubts_a_run_that_says_nothing(void **state)
{
    static struct run_table table;
    static const char *const wrong[] = {"{", "  \"verified\": false,", "}", NULL};
    (void)state;
    read_all(&table, wrong);
    assert_false(table.is_verified);
    assert_int_equal(table.rows, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run_table_reads_iterations_only),
        cmocka_unit_test(test_run_table_knows_what_is_missing),
        cmocka_unit_test(test_run_table_doubts_a_run_that_says_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

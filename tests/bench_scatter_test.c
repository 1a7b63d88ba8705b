// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// What the lanes of scatter-gather share: names with parameters, the numbers sent, the answer.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/leaves.c" // whole: the command, not the library, holds them
#include "bench/scatter.c"
#include "bench/serve.c"

static struct twb_answer run_none(const struct twb_job *job)
{
    return (struct twb_answer){0, (uint64_t)job->size};
}

static const struct twb_case table[] = {
    {"scatter_other", run_none},
    {"scatter", run_none},
    {NULL, NULL},
};

static void test_serve_finds_a_case_by_its_name_alone(void **state)
{
    (void)state;
    assert_ptr_equal(twb_find_case(table, "scatter"), &table[1]);
    assert_ptr_equal(twb_find_case(table, "scatter:16:0"), &table[1]);
    assert_ptr_equal(twb_find_case(table, "scatter_other:1"), &table[0]);
    assert_null(twb_find_case(table, "scatte"));
    assert_null(twb_find_case(table, "scatter_:16"));
    assert_null(twb_find_case(table, ":16"));
}

static void test_scatter_reads_what_it_names(void **state)
{
    char name[32];
    (void)state;
    setenv("TWB_LOOPS", "540", 1);
    twb_scatter_name(name, sizeof name, 250, 1500);
    assert_string_equal(name, "scatter:250:1500");
    struct twb_scatter scatter = twb_scatter_read(strchr(name, ':') + 1, 40);
    assert_int_equal(scatter.tasks, 250);
    assert_int_equal(scatter.rounds, 40);
    assert_int_equal(scatter.loops, 810);
}

// A network without channels: what comes back is what is computed at once.
static uint64_t sum_of_rounds(const struct twb_scatter *scatter)
{
    uint64_t sum = 0;
    for (long round = 1; round <= scatter->rounds; round++) {
        uint64_t number = twb_scatter_first(scatter, round);
        for (long task = 0; task < scatter->tasks; task++) {
            sum += twb_leaf((long)number, scatter->loops);
            number = twb_scatter_next(scatter, number);
        }
    }
    return sum;
}

static void test_scatter_sum_is_that_of_all_rounds(void **state)
{
    static const struct twb_scatter scatters[] = {
        {1, 3, 0}, {2, 5, 7}, {16, 10, 0}, {50, 7, 100}, {7, 20, 3}};
    (void)state;
    for (size_t i = 0; i < sizeof scatters / sizeof *scatters; i++)
        assert_int_equal(twb_scatter_sum(&scatters[i]), sum_of_rounds(&scatters[i]));
    assert_int_equal(twb_scatter_sum(&scatters[2]), 10 * 16 * 17 / 2);
}

static void test_scatter_numbers_move_on_with_the_round(void **state)
{
    const struct twb_scatter scatter = {3, 0, 0};
    (void)state;
    assert_int_equal(twb_scatter_first(&scatter, 0), 0);
    assert_int_equal(twb_scatter_first(&scatter, 5), 2);
    assert_int_equal(twb_scatter_next(&scatter, 2), 0);
    assert_int_equal(twb_scatter_next(&scatter, 0), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_serve_finds_a_case_by_its_name_alone),
        cmocka_unit_test(test_scatter_reads_what_it_names),
        cmocka_unit_test(test_scatter_sum_is_that_of_all_rounds),
        cmocka_unit_test(test_scatter_numbers_move_on_with_the_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

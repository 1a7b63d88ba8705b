// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// Programs that benchmarks start at places: how they are named, and what counts as an answer. They
// are started without a launcher here.
#include "support.h"

#include <string.h>

#include "placed.h"

static void test_bench_placed_is_read_as_written(void **state)
{
    (void)state;
    const struct twb_placed placed = {.mpi = "mpich",
                                      .places = 16,
                                      .tcp = true,
                                      .number = "seconds",
                                      .words = "run uts --tree T1",
                                      .program = "/a folder:odd/program"};
    struct twb_placed read;
    char text[TWB_PLACED_TEXT];
    twb_placed_write(&placed, text);
    assert_true(twb_placed_read(&read, strchr(text, ':') + 1));
    assert_string_equal(read.mpi, "mpich");
    assert_int_equal(read.places, 16);
    assert_true(read.tcp);
    assert_string_equal(read.number, "seconds");
    assert_string_equal(read.words, "run uts --tree T1");
    assert_string_equal(read.program, "/a folder:odd/program");
}

static void test_bench_placed_half_a_text_is_none(void **state)
{
    (void)state;
    struct twb_placed read;
    char empty[] = "", half[] = "none:1:any:seconds";
    assert_false(twb_placed_read(&read, empty));
    assert_false(twb_placed_read(&read, half));
}

// Whether echo, saying so, gives an answer.
static bool answers(const char *words, double *value)
{
    const struct twb_placed placed = {
        .mpi = "none", .places = 1, .number = "seconds", .words = words, .program = "echo"};
    return twb_placed_run(&placed, value);
}

static void test_bench_placed_wants_a_number_that_is_verified(void **state)
{
    (void)state;
    double value = 0;
    assert_true(answers("{\"seconds\": 1.5, \"verified\": true}", &value));
    assert_true(value == 1.5);
    assert_false(answers("{\"seconds\": 1.5, \"verified\": false}", &value));
    assert_false(answers("{\"second\": 1.5, \"verified\": true}", &value));
    assert_false(answers("", &value));
}

static void test_bench_placed_a_program_that_fails_gives_no_answer(void **state)
{
    (void)state;
    double value;
    const struct twb_placed placed = {
        .mpi = "none", .places = 1, .number = "seconds", .words = "", .program = "false"};
    assert_false(twb_placed_run(&placed, &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bench_placed_is_read_as_written),
        cmocka_unit_test(test_bench_placed_half_a_text_is_none),
        cmocka_unit_test(test_bench_placed_wants_a_number_that_is_verified),
        cmocka_unit_test(test_bench_placed_a_program_that_fails_gives_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

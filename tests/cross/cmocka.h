// SPDX-License-Identifier: Apache-2.0
// A stand-in for the part of cmocka that Twill's tests use, for machines it is not built for (the
// aarch64 run under qemu). The first failed check ends the program.
#ifndef TWILL_TESTS_CROSS_CMOCKA_H
#define TWILL_TESTS_CROSS_CMOCKA_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*test)(void **state);
    int (*setup)(void **state);
    int (*teardown)(void **state);
    void *initial_state;
};

// clang-format off
#define CROSS_TEST(f, ...) {#f, f, __VA_ARGS__}
// clang-format on
#define cmocka_unit_test(f) CROSS_TEST(f, NULL, NULL, NULL)
#define cmocka_unit_test_setup(f, setup) CROSS_TEST(f, setup, NULL, NULL)
#define cmocka_unit_test_teardown(f, teardown) CROSS_TEST(f, NULL, teardown, NULL)
#define cmocka_unit_test_setup_teardown(f, setup, teardown) CROSS_TEST(f, setup, teardown, NULL)
#define cmocka_unit_test_prestate(f, state) CROSS_TEST(f, NULL, NULL, state)

static inline int cross_run(const struct CMUnitTest *tests, size_t count, int (*setup)(void **),
                            int (*teardown)(void **))
{
    void *group_state = NULL;
    if (setup != NULL && setup(&group_state) != 0)
        return 1;
    for (size_t i = 0; i < count; i++) {
        void *state = tests[i].initial_state != NULL ? tests[i].initial_state : group_state;
        fprintf(stderr, "[ RUN  ] %s\n", tests[i].name);
        if (tests[i].setup != NULL && tests[i].setup(&state) != 0)
            return 1;
        tests[i].test(&state);
        if (tests[i].teardown != NULL && tests[i].teardown(&state) != 0)
            return 1;
    }
    fprintf(stderr, "[PASSED] %zu tests\n", count);
    return teardown != NULL && teardown(&group_state) != 0;
}

#define cmocka_run_group_tests(tests, setup, teardown)                                             \
    cross_run(tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)
#define cmocka_run_group_tests_name(name, tests, setup, teardown)                                  \
    cmocka_run_group_tests(tests, setup, teardown)

#define fail_msg(...)                                                                              \
    (fprintf(stderr, "%s:%d: ", __FILE__, __LINE__), fprintf(stderr, __VA_ARGS__),                 \
     fputc('\n', stderr), exit(1))
#define fail() fail_msg("failed")
#define print_message(...) fprintf(stderr, __VA_ARGS__)
#define skip()                                                                                     \
    do {                                                                                           \
        print_message("skipped\n");                                                                \
        return;                                                                                    \
    } while (0)

static inline void cross_compare(const char *file, int line, unsigned long long left,
                                 const char *relation, unsigned long long right)
{
    if ((left == right) == (relation[0] == '='))
        return;
    fprintf(stderr, "%s:%d: %#llx %s %#llx does not hold\n", file, line, left, relation, right);
    exit(1);
}

#define CROSS_COMPARE(a, relation, b)                                                              \
    cross_compare(__FILE__, __LINE__, (unsigned long long)(a), #relation, (unsigned long long)(b))

#define assert_int_equal(a, b) CROSS_COMPARE(a, ==, b)
#define assert_int_not_equal(a, b) CROSS_COMPARE(a, !=, b)
#define assert_true(a) CROSS_COMPARE(!!(a), !=, 0)
#define assert_false(a) CROSS_COMPARE(!!(a), ==, 0)
#define assert_non_null(a) CROSS_COMPARE((uintptr_t)(a), !=, 0)
#define assert_null(a) CROSS_COMPARE((uintptr_t)(a), ==, 0)
#define assert_ptr_equal(a, b) CROSS_COMPARE((uintptr_t)(a), ==, (uintptr_t)(b))
#define assert_ptr_not_equal(a, b) CROSS_COMPARE((uintptr_t)(a), !=, (uintptr_t)(b))
#define assert_return_code(value, error) assert_true((value) >= 0)
#define assert_in_range(value, low, high)                                                          \
    assert_true((unsigned long long)(value) - (low) <= (unsigned long long)(high) - (low))
#define assert_memory_equal(a, b, size) CROSS_COMPARE(memcmp(a, b, size), ==, 0)
#define assert_string_equal(a, b) CROSS_COMPARE(strcmp(a, b), ==, 0)
#define assert_string_not_equal(a, b) CROSS_COMPARE(strcmp(a, b), !=, 0)

#endif

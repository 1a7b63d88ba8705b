// SPDX-License-Identifier: Apache-2.0
// FFT: against the sum that defines the transform, against the sequential program, and back.
#include "app_support.h"

#include <math.h>

#include "apps/fft/fft.h"

#define SEED 3

static struct fft_number *numbers_of(size_t n)
{
    struct fft_number *x = malloc(n * sizeof *x);
    assert_non_null(x);
    fft_fill(x, n, SEED);
    return x;
}

// One number of the transform, term by term.
static struct fft_number defined(const struct fft_number *x, size_t n, size_t k)
{
    struct fft_number sum = {0, 0};
    for (size_t i = 0; i < n; i++) {
        double angle = -2 * M_PI * (double)(i * k % n) / (double)n;
        double re = cos(angle), im = sin(angle);
        sum.re += x[i].re * re - x[i].im * im;
        sum.im += x[i].re * im + x[i].im * re;
    }
    return sum;
}

static void test_fft_is_the_defined_sum(void **state)
{
    (void)state;
    for (unsigned log2n = 0; log2n <= 9; log2n++) {
        struct fft_plan plan;
        assert_true(fft_plan_make(&plan, log2n));
        struct fft_number *given = numbers_of(plan.n), *x = numbers_of(plan.n);
        fft_sequential(&plan, x);
        for (size_t k = 0; k < plan.n; k++) {
            struct fft_number expected = defined(given, plan.n, k);
            assert_true(fft_distance(&x[k], &expected, 1) < 1e-11);
        }
        assert_true(fft_returns(&plan, x, SEED));
        free(given);
        free(x);
        fft_plan_free(&plan);
    }
}

static void test_fft_with_tasks(void **state)
{
    (void)state;
    for (unsigned log2n = 0; log2n <= 17; log2n++) {
        struct fft_plan plan;
        assert_true(fft_plan_make(&plan, log2n));
        struct fft_number *expected = numbers_of(plan.n), *x = numbers_of(plan.n);
        fft_sequential(&plan, expected);
        assert_int_equal(fft_fork(NULL, &plan, x), 0);
        assert_true(fft_distance(x, expected, plan.n) < 1e-10);
        assert_true(fft_returns(&plan, x, SEED));
        free(expected);
        free(x);
        fft_plan_free(&plan);
    }
}

static void test_fft_wrong_results_are_seen(void **state)
{
    (void)state;
    struct fft_plan plan;
    assert_true(fft_plan_make(&plan, 10));
    struct fft_number *x = numbers_of(plan.n);
    fft_sequential(&plan, x);
    x[17].re += 1e-3;
    assert_false(fft_returns(&plan, x, SEED));
    fft_fill(x, plan.n, SEED);
    fft_sequential(&plan, x);
    x[17].im = NAN;
    assert_false(fft_returns(&plan, x, SEED));
    free(x);
    fft_plan_free(&plan);
}

static void test_fft_options(void **state)
{
    (void)state;
    app_verifies_with(&fft_app, "--log2n", "0");
    app_verifies_with(&fft_app, "--log2n", "16", "--data-seed", "5");
    app_refuses(&fft_app, "--log2n", "29",
                "--log2n does not accept '29': give a whole number from 0 to 28");
    app_refuses(&fft_app, "--data-seed", "x", "--data-seed does not accept 'x'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fft_is_the_defined_sum),
        cmocka_unit_test(test_fft_with_tasks),
        cmocka_unit_test(test_fft_wrong_results_are_seen),
        cmocka_unit_test(test_fft_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

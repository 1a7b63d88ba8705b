// SPDX-License-Identifier: Apache-2.0
// The benchmarks' statistics on data whose answers are known beforehand.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/stats.c" // whole: the command, not the library, holds it

static void check_near(double found, double expected)
{
    if (fabs(found - expected) > 1e-9)
        fail_msg("found %.12g, expected %.12g", found, expected);
}

static void test_stats_median_and_quartiles(void **state)
{
    (void)state;
    const double odd[] = {5, 1, 4, 2, 3};
    struct twb_summary summary = twb_summarize(odd, 5);
    check_near(summary.best, 1);
    check_near(summary.low_quartile, 2);
    check_near(summary.median, 3);
    check_near(summary.high_quartile, 4);
    const double even[] = {4, 1, 3, 2};
    check_near(twb_median(even, 4), 2.5);
    const double single[] = {7};
    check_near(twb_summarize(single, 1).high_quartile, 7);
}

// By the binomial table: of 15 samples ranks 3 and 13 enclose the median with 99.26 %, of 21 ranks
// 5 and 17 with 99.28 %.
static void test_stats_median_interval_follows_the_binomial(void **state)
{
    (void)state;
    double sample[21];
    for (int i = 0; i < 21; i++)
        sample[i] = (i * 8) % 21 + 1;
    struct twb_interval interval = twb_median_interval(sample, 21);
    check_near(interval.value, 11);
    check_near(interval.low, 5);
    check_near(interval.high, 17);
    for (int i = 0; i < 15; i++)
        sample[i] = (i * 4) % 15 + 1;
    interval = twb_median_interval(sample, 15);
    check_near(interval.low, 3);
    check_near(interval.high, 13);
    check_near(interval.confidence, 1 - 2 * (1 + 15 + 105) / 32768.0);
}

// Half to the power of 2,001 is less than the least number.
static void test_stats_median_interval_of_many_samples(void **state)
{
    (void)state;
    static double sample[2001];
    for (int i = 0; i < 2001; i++)
        sample[i] = i;
    struct twb_interval interval = twb_median_interval(sample, 2001);
    check_near(interval.low, 942);
    check_near(interval.value, 1000);
    check_near(interval.high, 1058);
    assert_true(interval.confidence > 0.99 && interval.confidence < 0.991);
}

static void test_stats_few_samples_admit_low_confidence(void **state)
{
    (void)state;
    const double sample[] = {3, 1, 2};
    struct twb_interval interval = twb_median_interval(sample, 3);
    check_near(interval.low, 1);
    check_near(interval.high, 3);
    check_near(interval.confidence, 0.75);
    check_near(twb_median_interval(sample, 1).confidence, 0);
    assert_int_equal(twb_judge(interval, 5, TWB_AT_MOST), TWB_CANNOT_TELL);
}

// The machine slows down fourfold on the way; every pair still says 1.5.
static void test_stats_pairs_cancel_a_slow_machine(void **state)
{
    (void)state;
    double slow[15], fast[15];
    for (int i = 0; i < 15; i++) {
        fast[i] = 1 + i * 0.2;
        slow[i] = 1.5 * fast[i];
    }
    struct twb_interval ratio = twb_pair_ratio(slow, fast, 15);
    check_near(ratio.low, 1.5);
    check_near(ratio.value, 1.5);
    check_near(ratio.high, 1.5);
}

static void test_stats_best_ratio_is_reproducible(void **state)
{
    (void)state;
    const double one[] = {2.0, 2.4, 2.02, 2.9, 2.01};
    const double two[] = {1.3, 1.0, 1.01, 1.02, 1.9};
    struct twb_interval first = twb_best_ratio(one, two, 5, 42);
    struct twb_interval second = twb_best_ratio(one, two, 5, 42);
    check_near(first.value, 2.0);
    assert_true(first.low <= first.value && first.value <= first.high);
    assert_true(first.low >= 2.0 / 1.9 && first.high <= 2.9);
    check_near(first.confidence, 1 - 1 / 16.0);
    check_near(first.low, second.low);
    check_near(first.high, second.high);
}

static struct twb_interval between(double low, double value, double high)
{
    return (struct twb_interval){.low = low, .value = value, .high = high, .confidence = 0.99};
}

static void test_stats_the_interval_decides(void **state)
{
    (void)state;
    assert_int_equal(twb_judge(between(0.8, 0.9, 1.0), 1.0, TWB_AT_MOST), TWB_HOLDS);
    assert_int_equal(twb_judge(between(0.8, 0.9, 1.1), 1.0, TWB_AT_MOST), TWB_CANNOT_TELL);
    assert_int_equal(twb_judge(between(1.01, 1.1, 1.2), 1.0, TWB_AT_MOST), TWB_FAILS);
    assert_int_equal(twb_judge(between(1.9, 1.95, 2.0), 1.9, TWB_AT_LEAST), TWB_HOLDS);
    assert_int_equal(twb_judge(between(1.8, 1.95, 2.0), 1.9, TWB_AT_LEAST), TWB_CANNOT_TELL);
    assert_int_equal(twb_judge(between(1.7, 1.8, 1.85), 1.9, TWB_AT_LEAST), TWB_FAILS);
}

static void test_stats_worse_part_speaks_for_both(void **state)
{
    (void)state;
    struct twb_interval a = between(1.0, 1.1, 1.2), b = between(0.9, 1.0, 1.3);
    struct twb_interval most = twb_worse(a, b, TWB_AT_MOST);
    check_near(most.low, 1.0);
    check_near(most.value, 1.1);
    check_near(most.high, 1.3);
    struct twb_interval least = twb_worse(a, b, TWB_AT_LEAST);
    check_near(least.low, 0.9);
    check_near(least.value, 1.0);
    check_near(least.high, 1.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stats_median_and_quartiles),
        cmocka_unit_test(test_stats_median_interval_follows_the_binomial),
        cmocka_unit_test(test_stats_median_interval_of_many_samples),
        cmocka_unit_test(test_stats_few_samples_admit_low_confidence),
        cmocka_unit_test(test_stats_pairs_cancel_a_slow_machine),
        cmocka_unit_test(test_stats_best_ratio_is_reproducible),
        cmocka_unit_test(test_stats_the_interval_decides),
        cmocka_unit_test(test_stats_worse_part_speaks_for_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

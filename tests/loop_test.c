// SPDX-License-Identifier: Apache-2.0
// Parallel loops: every index once, in any number of dimensions; reductions in order; bad ranges.
#include "support.h"

#include <math.h>
#include <string.h>

enum { N = 100000 };

// ---- one dimension ----

TW_LOOP(mark, i, { uint32_t *count; })
{
    __atomic_fetch_add(&self.count[i], 1, __ATOMIC_RELAXED);
}

TW_TASK(mark_all, {
    uint32_t *count;
    struct tw_range range;
})
{
    tw_finish {
        tw_forasync(mark, self.range, .count = self.count);
    }
}

static void check_marks(struct tw_range range)
{
    uint32_t *count = calloc(N, sizeof *count);
    assert_int_equal(tw_run(mark_all, .count = count, .range = range), 0);
    int64_t step = range.step ? range.step : 1;
    for (int64_t i = 0; i < N; i++) {
        int inside = i >= range.begin && i < range.end && (i - range.begin) % step == 0;
        assert_int_equal(count[i], inside);
    }
    free(count);
}

static void test_loop_runs_each_index_once(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(20); i++) {
        check_marks(tw_range(0, N));
        check_marks(tw_range(3, N - 7));
        check_marks(tw_range(0, N, .step = 7));
        check_marks(tw_range(5, 6, .step = 1000));
        check_marks(tw_range(17, 17));
        check_marks(tw_range(0, N, .grain = 1));
        check_marks(tw_range(1, 1000, .grain = 1000000));
    }
}

// ---- more dimensions ----

TW_LOOP2(mark2, i, j, { uint32_t *count; })
{
    __atomic_fetch_add(&self.count[i * 100 + j], 1, __ATOMIC_RELAXED);
}

TW_LOOP3(mark3, i, j, k, { uint32_t *count; })
{
    __atomic_fetch_add(&self.count[(i * 40 + j) * 50 + k], 1, __ATOMIC_RELAXED);
}

TW_TASK(mark_dimensions, { uint32_t *count; })
{
    tw_finish {
        tw_forasync2(mark2, tw_range(0, 1000), tw_range(10, 100, .step = 3), .count = self.count);
    }
    for (int i = 0; i < 1000; i++)
        for (int j = 0; j < 100; j++)
            if (self.count[i * 100 + j]-- != (j >= 10 && (j - 10) % 3 == 0))
                tw_fail(TW_ERANGE);
    memset(self.count, 0, N * sizeof *self.count);
    tw_finish {
        tw_forasync3(mark3, tw_range(0, 50, .step = 2), tw_range(0, 40), tw_range(1, 50),
                     .count = self.count);
    }
    for (int i = 0; i < 50; i++)
        for (int j = 0; j < 40; j++)
            for (int k = 0; k < 50; k++)
                if (self.count[(i * 40 + j) * 50 + k] != (i % 2 == 0 && k >= 1))
                    tw_fail(TW_ERANGE);
}

static void test_loop_two_and_three_dimensions(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(20); i++) {
        uint32_t *count = calloc(N, sizeof *count);
        assert_int_equal(tw_run(mark_dimensions, .count = count), 0);
        free(count);
    }
}

// ---- nested, with tasks of their own ----

TW_TASK(add_one, { long *to; })
{
    __atomic_fetch_add(self.to, 1, __ATOMIC_RELAXED);
}

TW_LOOP(inner, j, { long *to; })
{
    if (j % 10 == 0)
        tw_async(add_one, .to = self.to);
    else
        __atomic_fetch_add(self.to, 1, __ATOMIC_RELAXED);
}

TW_LOOP(outer, i, { long *to; })
{
    tw_async(add_one, .to = &self.to[i]);
    tw_forasync(inner, tw_range(0, i), .to = &self.to[i]);
    tw_finish {
        tw_forasync(inner, tw_range(0, i), .to = &self.to[i]);
    }
}

static void loop_in_plain_function(long *to)
{
    tw_forasync(outer, tw_range(0, 300), .to = to);
}

TW_TASK(nest, { long *to; })
{
    loop_in_plain_function(self.to);
}

static void test_loop_nested_with_tasks(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(30); i++) {
        long to[300] = {0};
        assert_int_equal(tw_run(nest, .to = to), 0);
        for (int j = 0; j < 300; j++)
            assert_int_equal(to[j], 1 + 2 * j);
    }
}

// ---- slots that run out ----

TW_LOOP(leave_one, i, { long *to; })
{
    tw_async(add_one, .to = &self.to[i % 8]);
}

TW_LOOP(leave_loops, i, { long *to; })
{
    tw_async(add_one, .to = &self.to[i % 8]);
    tw_forasync(leave_one, tw_range(0, 100), .to = self.to);
}

TW_TASK(leave_many, { long *to; })
{
    for (int i = 0; i < 3000; i++)
        tw_async(add_one, .to = self.to);
    tw_forasync(leave_one, tw_range(0, N), .to = self.to);
    tw_forasync(leave_loops, tw_range(0, 1000), .to = self.to);
}

// Halves that find no slot are run at once, and nobody takes them back.
static void test_loop_when_slots_run_out(void **state)
{
    (void)state;
    struct tw_stats stats = {.room = 0};
    struct tw_options options;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.stack_size = 64 * 1024;
    options.stats = &stats;
    for (int i = 0; i < test_scaled(10); i++) {
        long to[8] = {0}, sum = 0;
        assert_int_equal(tw_run_with(&options, leave_many, .to = to), 0);
        for (int j = 0; j < 8; j++)
            sum += to[j];
        assert_int_equal(sum, 3000 + N + 1000 + 100000);
        assert_true(stats.sum.overflows > 0);
    }
}

// ---- stretches ----

static void test_loop_stretches_keep_the_grain(void **state)
{
    (void)state;
    static const int64_t grains[] = {1, 3, 1000, 1024};
    for (size_t i = 0; i < sizeof grains / sizeof *grains; i++) {
        struct twi_pacer pacer = {.block = 1, .most = grains[i], .stamp = twi_ticks()};
        for (int j = 0; j < 1000; j++) {
            twi_pacer_adapt(&pacer);
            assert_in_range(pacer.block, 1, grains[i]);
        }
    }
}

static void test_loop_stretches_shrink_at_once(void **state)
{
    (void)state;
    struct twi_pacer pacer = {.block = 1024, .most = 1024};
    pacer.stamp = twi_ticks() - 1000 * TWI_STRETCH_TICKS;
    twi_pacer_adapt(&pacer);
    assert_in_range(pacer.block, 1, 2);
}

// ---- reductions ----

TW_REDUCE(double, harmonic, i, 0, a + b, { double scale; })
{
    return self.scale / (double)(i + 1);
}

// Keeps order: a + b of words is their concatenation, which is not commutative.
struct word {
    uint64_t hash, power;
};

TW_REDUCE(struct word, spell, i, ((struct word){0, 1}),
          ((struct word){a.hash * b.power + b.hash, a.power *b.power}), { uint64_t base; })
{
    return (struct word){(uint64_t)i + 1, self.base};
}

TW_REDUCE2(int64_t, sum2, i, j, 0, a + b, {})
{
    return i * j;
}

TW_REDUCE3(int64_t, sum3, i, j, k, 0, a + b, { int64_t weight; })
{
    return self.weight * (i + 10 * j + 100 * k);
}

struct sums {
    double harmonic;
    uint64_t spelled;
    int64_t sum2, sum3;
    double nothing;
};

TW_TASK(reduce_all, {
    struct sums *sums;
    int64_t n;
})
{
    self.sums->harmonic = tw_reduce(harmonic, tw_range(0, self.n), .scale = 1);
    self.sums->spelled = tw_reduce(spell, tw_range(0, self.n), .base = 31).hash;
    self.sums->sum2 = tw_reduce2(sum2, tw_range(0, 100), tw_range(0, 50, .step = 7));
    self.sums->sum3 = tw_reduce3(sum3, tw_range(0, 4), tw_range(0, 5), tw_range(0, 6), .weight = 2);
    self.sums->nothing = tw_reduce(harmonic, tw_range(5, 5), .scale = 1);
}

static void check_sums(const struct sums *sums, int64_t n)
{
    uint64_t spelled = 0;
    int64_t sum2 = 0, sum3 = 0;
    for (int64_t i = 0; i < n; i++)
        spelled = spelled * 31 + (uint64_t)i + 1;
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < 50; j += 7)
            sum2 += i * j;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++)
            for (int k = 0; k < 6; k++)
                sum3 += 2 * (i + 10 * j + 100 * k);
    assert_true(sums->spelled == spelled);
    assert_int_equal(sums->sum2, sum2);
    assert_int_equal(sums->sum3, sum3);
    assert_true(sums->nothing == 0);
}

static void test_loop_reductions_keep_order_and_are_reproducible(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 100, 4096, 4097, 123456};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct sums first, again;
        struct tw_options one;
        assert_int_equal(tw_options_init(&one, NULL, 0), 0);
        one.workers = 1;
        assert_int_equal(tw_run_with(&one, reduce_all, .sums = &first, .n = sizes[s]), 0);
        check_sums(&first, sizes[s]);
        for (int i = 0; i < test_scaled(20); i++) {
            assert_int_equal(tw_run(reduce_all, .sums = &again, .n = sizes[s]), 0);
            check_sums(&again, sizes[s]);
            assert_memory_equal(&first.harmonic, &again.harmonic, sizeof(double));
        }
    }
}

// ---- the widest ranges ----

TW_REDUCE(int64_t, signs, i, 0, a + b, {})
{
    return i < 0 ? -1 : i > 0 ? 1 : 1000;
}

TW_LOOP(count_wide, i, { int64_t *count; })
{
    __atomic_fetch_add(self.count, i == 0 ? 1000 : 1, __ATOMIC_RELAXED);
}

TW_TASK(wide_ranges, {
    int64_t *count;
    int64_t *sum;
})
{
    tw_finish {
        tw_forasync(count_wide, tw_range(INT64_MIN, INT64_MAX, .step = (int64_t)1 << 62),
                    .count = &self.count[0]);
        tw_forasync(count_wide, tw_range(INT64_MIN, INT64_MAX, .step = INT64_MAX),
                    .count = &self.count[1]);
        tw_forasync(count_wide, tw_range(INT64_MAX - 2, INT64_MAX), .count = &self.count[2]);
    }
    *self.sum = tw_reduce(signs, tw_range(-4, INT64_MAX, .step = INT64_MAX - 1));
}

static void test_loop_the_widest_ranges(void **state)
{
    (void)state;
    int64_t count[3] = {0, 0, 0}, sum = 7;
    assert_int_equal(tw_run(wide_ranges, .count = count, .sum = &sum), 0);
    assert_int_equal(count[0], 1003);
    assert_int_equal(count[1], 3);
    assert_int_equal(count[2], 2);
    assert_int_equal(sum, 0);
}

// ---- bad ranges, breaking off ----

TW_TASK(bad_range, {
    struct tw_range range;
    struct tw_outcome *outcome;
    double *value;
})
{
    uint32_t count[1] = {0};
    tw_attempt(self.outcome)
    {
        tw_forasync(mark, self.range, .count = count);
    }
    tw_attempt(NULL)
    {
        *self.value = tw_reduce(harmonic, self.range, .scale = 1);
    }
}

static void test_loop_bad_range_is_an_error_of_the_attempt(void **state)
{
    (void)state;
    const struct tw_range bad[] = {
        tw_range(1, 0),
        tw_range(0, 10, .step = -1),
        tw_range(0, 10, .grain = -5),
        tw_range(INT64_MIN, INT64_MAX),
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct tw_outcome outcome;
        double value = 3;
        assert_int_equal(tw_run(bad_range, .range = bad[i], .outcome = &outcome, .value = &value),
                         TW_EINVAL);
        assert_int_equal(outcome.error, TW_EINVAL);
        assert_string_equal(outcome.task, "mark");
        assert_true(value == 0);
    }
}

TW_LOOP(search, i, {
    int64_t wanted;
    int64_t *found;
    long *looked;
})
{
    __atomic_fetch_add(self.looked, 1, __ATOMIC_RELAXED);
    if (i == self.wanted) {
        *self.found = i;
        tw_cancel();
    }
}

TW_TASK(search_all, {
    int64_t wanted;
    int64_t *found;
    long *looked;
    struct tw_outcome *outcome;
})
{
    tw_attempt(self.outcome)
    {
        tw_forasync(search, tw_range(0, (int64_t)1 << 40), .wanted = self.wanted,
                    .found = self.found, .looked = self.looked);
    }
}

// A trillion iterations: it ends only if the rest is dropped.
static void test_loop_breaks_by_cancellation(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(20); i++) {
        int64_t found = -1;
        long looked = 0;
        struct tw_outcome outcome;
        assert_int_equal(tw_run(search_all, .wanted = 1000 + i, .found = &found, .looked = &looked,
                                .outcome = &outcome),
                         0);
        assert_int_equal(found, 1000 + i);
        assert_int_equal(outcome.error, TW_ECANCELED);
        assert_true(looked < (long)1 << 36);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loop_runs_each_index_once),
        cmocka_unit_test(test_loop_two_and_three_dimensions),
        cmocka_unit_test(test_loop_nested_with_tasks),
        cmocka_unit_test(test_loop_when_slots_run_out),
        cmocka_unit_test(test_loop_stretches_keep_the_grain),
        cmocka_unit_test(test_loop_stretches_shrink_at_once),
        cmocka_unit_test(test_loop_reductions_keep_order_and_are_reproducible),
        cmocka_unit_test(test_loop_the_widest_ranges),
        cmocka_unit_test(test_loop_bad_range_is_an_error_of_the_attempt),
        cmocka_unit_test(test_loop_breaks_by_cancellation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

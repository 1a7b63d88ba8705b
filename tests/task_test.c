// SPDX-License-Identifier: Apache-2.0
// The programming model: arguments, results, ways out of a finish, plain functions, runs.
#include "support.h"

#include "fib.h"

#include <pthread.h>
#include <string.h>

// ---- arguments and results of every size ----

struct big {
    long number[40];
};

struct wide {
    char text[64] __attribute__((aligned(64)));
};

TW_FUNCTION(struct big, big_double, { struct big in; })
{
    struct big out;
    for (int i = 0; i < 40; i++)
        out.number[i] = 2 * self.in.number[i];
    return out;
}

TW_FUNCTION(int, is_aligned, { struct wide in; })
{
    return (uintptr_t)&self.in % 64 == 0 && strcmp(self.in.text, "wide") == 0;
}

TW_FUNCTION(int, nothing, {})
{
    return 7;
}

TW_TASK(sizes, { int *good; })
{
    struct big in;
    for (int i = 0; i < 40; i++)
        in.number[i] = i;
    tw_forked(big_double) a = tw_fork(big_double, .in = in);
    tw_forked(is_aligned) b = tw_fork(is_aligned, .in = {"wide"});
    tw_forked(nothing) c = tw_fork(nothing);
    int good = tw_join(nothing, c) == 7;
    good += tw_join(is_aligned, b);
    struct big out = tw_join(big_double, a);
    for (int i = 0; i < 40; i++)
        good += out.number[i] == 2 * i;
    *self.good = good;
}

static void test_task_arguments_and_results_of_any_size(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(100); i++) {
        int good = 0;
        assert_int_equal(tw_run(sizes, .good = &good), 0);
        assert_int_equal(good, 42);
    }
}

// ---- ways out of a finish ----

TW_TASK(set, {
    int *to;
    int value;
})
{
    *self.to = self.value;
}

static void leave_by_return(int *to)
{
    tw_finish {
        tw_async(set, .to = to, .value = 1);
        return;
    }
}

static void leave_by_goto(int *to)
{
    tw_finish {
        tw_async(set, .to = to, .value = 2);
        goto out;
    }
out:
    return;
}

TW_TASK(ways_out, { int *seen; })
{
    int a = 0, b = 0, c = 0, d = 0;
    leave_by_return(&a);
    leave_by_goto(&b);
    tw_finish {
        tw_async(set, .to = &c, .value = 3);
        break;
    }
    for (int i = 0; i < 3; i++)
        tw_finish {
            tw_async(set, .to = &d, .value = 4);
            continue;
        }
    self.seen[0] = a, self.seen[1] = b, self.seen[2] = c, self.seen[3] = d;
}

static void test_task_leaving_a_finish_early_still_joins(void **state)
{
    (void)state;
    int seen[4] = {0};
    assert_int_equal(tw_run(ways_out, .seen = seen), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(seen[i], i + 1);
}

// ---- plain functions under the macros ----

TW_FUNCTION(long, twice, { long x; })
{
    return 2 * self.x;
}

static void plain_functions(long *sum)
{
    struct tw_scope scope;
    int one = 0, two = 0;
    tw_scope_begin(&scope);
    tw_task_push(&tw_type_set, &(struct tw_args_set){&one, 10});
    tw_task_push(&tw_type_set, &(struct tw_args_set){&two, 20});
    struct tw_slot *fork = tw_task_fork(&tw_type_twice, &(struct tw_args_twice){6});
    struct tw_slot *big = tw_task_fork(&tw_type_big_double, &(struct tw_args_big_double){{{21}}});
    long doubled;
    struct big many;
    tw_task_join(&tw_type_big_double, big, &many);
    tw_task_join(&tw_type_twice, fork, &doubled);
    tw_scope_end(&scope);
    *sum = one + two + doubled + many.number[0];
}

TW_TASK(call_plain, { long *sum; })
{
    plain_functions(self.sum);
}

static void test_task_plain_function_forms(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(200); i++) {
        long sum = 0;
        assert_int_equal(tw_run(call_plain, .sum = &sum), 0);
        assert_int_equal(sum, 84);
    }
}

// ---- runs ----

static void *run_fib(void *out)
{
    return (void *)(intptr_t)tw_run(fib_into, .n = 20, .out = out);
}

static void test_task_runs_from_several_threads_at_once(void **state)
{
    (void)state;
    enum { N = 4 };
    pthread_t thread[N];
    long out[N] = {0};
    for (int i = 0; i < N; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_fib, &out[i]), 0);
    for (int i = 0; i < N; i++) {
        void *error;
        pthread_join(thread[i], &error);
        assert_null(error);
        assert_int_equal(out[i], 6765);
    }
}

TW_TASK(run_inside, {
    int *error;
    long *out;
})
{
    *self.error = tw_run(fib_into, .n = 15, .out = self.out);
}

static void test_task_run_inside_a_task(void **state)
{
    (void)state;
    int error = 1;
    long out = 0;
    assert_int_equal(tw_run(run_inside, .error = &error, .out = &out), 0);
    assert_int_equal(error, 0);
    assert_int_equal(out, 610);
}

static void test_task_many_runs_after_each_other(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(300); i++) {
        long out = 0;
        assert_int_equal(tw_run(fib_into, .n = 12, .out = &out), 0);
        assert_int_equal(out, 144);
    }
}

TW_TASK(ask, {
    unsigned *workers;
    int *worker;
})
{
    *self.workers = tw_workers();
    *self.worker = tw_worker();
}

static void test_task_workers_and_statistics(void **state)
{
    (void)state;
    struct tw_options options;
    struct tw_worker_stats each[3];
    struct tw_stats stats = {.room = 3, .worker = each};
    unsigned workers = 0;
    int worker = -1;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.workers = 3;
    options.stats = &stats;
    assert_int_equal(tw_run_with(&options, ask, .workers = &workers, .worker = &worker), 0);
    assert_int_equal(workers, 3);
    assert_in_range(worker, 0, 2);
    assert_int_equal(stats.workers, 3);
    assert_int_equal(stats.sum.pieces, 1);
    assert_int_equal(each[0].pieces + each[1].pieces + each[2].pieces, 1);
    assert_int_equal(tw_workers(), 0);
    assert_int_equal(tw_worker(), -1);
}

static void test_task_a_refused_run_runs_nothing(void **state)
{
    (void)state;
    struct tw_options options;
    long out = 5;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.workers = TW_WORKERS_MAX + 1;
    assert_int_equal(tw_run_with(&options, fib_into, .n = 5, .out = &out), TW_EINVAL);
    assert_int_equal(out, 5);
    assert_string_equal(tw_version(), TW_VERSION);
    assert_non_null(tw_strerror(TW_EINVAL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_task_arguments_and_results_of_any_size),
        cmocka_unit_test(test_task_leaving_a_finish_early_still_joins),
        cmocka_unit_test(test_task_plain_function_forms),
        cmocka_unit_test(test_task_runs_from_several_threads_at_once),
        cmocka_unit_test(test_task_run_inside_a_task),
        cmocka_unit_test(test_task_many_runs_after_each_other),
        cmocka_unit_test(test_task_workers_and_statistics),
        cmocka_unit_test(test_task_a_refused_run_runs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

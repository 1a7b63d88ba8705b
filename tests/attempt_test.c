// SPDX-License-Identifier: Apache-2.0
// Attempts: who failed and where, what is dropped, deadlines, given values.
#include "support.h"

#include <string.h>
#include <unistd.h>

// ---- outcomes ----

TW_TASK(fail_with, { int error; })
{
    if (self.error)
        tw_fail(self.error);
}

static unsigned spawn_line;

static void spawn_failing(int error)
{
    spawn_line = __LINE__ + 1;
    tw_async(fail_with, .error = error);
}

static void fail_in_plain_function(void)
{
    tw_fail(-77);
}

TW_FUNCTION(int, fail_forked, { int error; })
{
    tw_fail(self.error);
    return 5;
}

TW_TASK(outcomes, { struct tw_outcome *o; })
{
    tw_attempt(&self.o[0])
    {
        spawn_failing(42);
    }
    tw_attempt(&self.o[1])
    {
        tw_async(fail_with, .error = 0);
    }
    tw_attempt(&self.o[2])
    {
        fail_in_plain_function();
        tw_fail(-78);
    }
    tw_attempt(&self.o[3])
    {
        tw_forked(fail_forked) f = tw_fork(fail_forked, .error = 3);
        if (tw_join(fail_forked, f) != 5)
            tw_fail(4);
    }
    tw_attempt(&self.o[4])
    {
        tw_cancel();
        tw_fail(9);
    }
}

static int is_name(const char *text, const char *wanted)
{
    return strcmp(text, wanted) == 0;
}

static void test_attempt_tells_who_failed_and_where(void **state)
{
    (void)state;
    struct tw_outcome o[5];
    assert_int_equal(tw_run(outcomes, .o = o), 0);
    assert_int_equal(o[0].error, 42);
    assert_true(is_name(o[0].task, "fail_with"));
    assert_non_null(strstr(o[0].spawn_file, "attempt_test.c"));
    assert_int_equal(o[0].spawn_line, spawn_line);
    assert_non_null(strstr(o[0].failed_file, "attempt_test.c"));
    assert_int_equal(o[1].error, 0);
    assert_true(is_name(o[1].task, ""));
    assert_int_equal(o[2].error, -77);
    assert_true(is_name(o[2].task, "fail_in_plain_function"));
    assert_int_equal(o[3].error, 3);
    assert_true(is_name(o[3].task, "fail_forked"));
    assert_int_equal(o[4].error, 9); // an error tells more than a cancellation
}

static void test_attempt_error_of_the_run(void **state)
{
    (void)state;
    struct tw_options options;
    struct tw_outcome outcome;
    assert_int_equal(tw_run(fail_with, .error = 17), 17);
    assert_int_equal(tw_run(fail_with, .error = 0), 0);
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.outcome = &outcome;
    assert_int_equal(tw_run_with(&options, fail_with, .error = TW_ENOMEM), TW_ENOMEM);
    assert_int_equal(outcome.error, TW_ENOMEM);
    assert_true(is_name(outcome.task, "fail_with"));
}

TW_TASK(run_inside, { int *error; })
{
    struct tw_outcome outcome;
    struct tw_options options = {.outcome = &outcome};
    self.error[0] = tw_run_with(&options, fail_with, .error = 5) == outcome.error ? 5 : 0;
    self.error[1] = tw_run(fail_with, .error = 0);
}

static void test_attempt_a_nested_run_fails_alone(void **state)
{
    (void)state;
    int error[2] = {0, 1};
    assert_int_equal(tw_run(run_inside, .error = error), 0);
    assert_int_equal(error[0], 5);
    assert_int_equal(error[1], 0);
}

// ---- inside a cancelled one ----

TW_TASK(set_one, { int *to; })
{
    *self.to = 1;
}

// What is inside says that it may not have done all.
TW_TASK(inside_cancelled, {
    struct tw_outcome *o;
    int *ran;
    int *run_error;
})
{
    tw_attempt(&self.o[0])
    {
        tw_cancel();
        tw_attempt(&self.o[1])
        {
            tw_async(set_one, .to = self.ran);
        }
        *self.run_error = tw_run(set_one, .to = self.ran);
    }
    tw_attempt(&self.o[2])
    {
        tw_attempt(NULL)
        {
            tw_fail(TW_ECANCELED);
        }
    }
}

static void test_attempt_inside_a_cancelled_one_says_so(void **state)
{
    (void)state;
    struct tw_outcome o[3];
    int ran = 0, run_error = 0;
    assert_int_equal(tw_run(inside_cancelled, .o = o, .ran = &ran, .run_error = &run_error), 0);
    assert_int_equal(o[0].error, TW_ECANCELED);
    assert_int_equal(o[1].error, TW_ECANCELED);
    assert_int_equal(run_error, TW_ECANCELED);
    assert_int_equal(ran, 0);
    assert_int_equal(o[2].error, TW_ECANCELED); // an error like others, when it is failed with
}

// A fork belongs to the attempt it was started in, wherever it is joined and whoever ran it.
TW_TASK(join_inside, {
    struct tw_outcome *o;
    int steal;
})
{
    tw_attempt(&self.o[0])
    {
        tw_forked(fail_forked) f = tw_fork(fail_forked, .error = 5);
        if (self.steal)
            usleep(1000);
        tw_attempt(&self.o[1])
        {
            if (tw_join(fail_forked, f) != 5)
                tw_fail(6);
        }
    }
}

static void test_attempt_a_fork_belongs_where_it_was_started(void **state)
{
    (void)state;
    for (int steal = 0; steal < 2; steal++)
        for (int i = 0; i < test_scaled(20); i++) {
            struct tw_outcome o[2];
            assert_int_equal(tw_run(join_inside, .o = o, .steal = steal), 0);
            assert_int_equal(o[0].error, 5);
            assert_int_equal(o[1].error, TW_ECANCELED);
        }
}

// ---- dropping ----

struct large {
    long number[100];
};

TW_TASK(count, {
    long *ran;
    struct large ballast;
})
{
    __atomic_fetch_add(self.ran, 1, __ATOMIC_RELAXED);
}

// The last one spawned runs first, where there is one worker.
TW_TASK(cancel_first, { long *ran; })
{
    __atomic_fetch_add(self.ran, 1, __ATOMIC_RELAXED);
    tw_cancel();
}

TW_TASK(drop, {
    long *ran;
    struct tw_outcome *outcome;
})
{
    tw_attempt(self.outcome)
    {
        for (int i = 0; i < 1000; i++)
            tw_async(count, .ran = self.ran);
        tw_async(cancel_first, .ran = self.ran);
    }
    tw_finish {
        tw_async(count, .ran = &self.ran[1]);
    }
}

static void test_attempt_drops_what_has_not_started(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(50); i++) {
        long ran[2] = {0, 0};
        struct tw_outcome outcome;
        struct tw_options options;
        assert_int_equal(tw_options_init(&options, NULL, 0), 0);
        assert_int_equal(tw_run_with(&options, drop, .ran = ran, .outcome = &outcome), 0);
        assert_int_equal(outcome.error, TW_ECANCELED);
        assert_int_equal(ran[1], 1); // outside, so not concerned
        if (options.workers == 1)
            assert_int_equal(ran[0], 1);
        assert_in_range(ran[0], 1, 1001);
    }
}

// Whoever computes learns of it by asking, on any worker.
TW_TASK(compute_until_cancelled, { int *started; })
{
    __atomic_fetch_add(self.started, 1, __ATOMIC_RELAXED);
    while (!tw_cancelled())
        continue;
}

TW_TASK(cancel_when_started, { int *started; })
{
    while (__atomic_load_n(self.started, __ATOMIC_RELAXED) == 0)
        usleep(100);
    tw_cancel();
}

TW_TASK(stop_computing, { int *started; })
{
    struct tw_outcome outcome;
    tw_attempt(&outcome)
    {
        if (tw_workers() == 1)
            tw_cancel();
        tw_finish {
            tw_async(cancel_when_started, .started = self.started);
            tw_async(compute_until_cancelled, .started = self.started);
        }
    }
}

static void test_attempt_running_tasks_can_ask(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(20); i++) {
        int started = 0;
        assert_int_equal(tw_run(stop_computing, .started = &started), 0);
    }
    assert_false(tw_cancelled());
}

// ---- deadlines ----

TW_LOOP(forever, i, {})
{
    (void)i;
}

TW_TASK(time_out, { struct tw_outcome *o; })
{
    int started = 0;
    tw_attempt(&self.o[0], .timeout_ns = 20000000)
    {
        tw_async(compute_until_cancelled, .started = &started);
    }
    tw_attempt(&self.o[1], .timeout_ns = 3600000000000u)
    {
        tw_attempt(&self.o[2], .timeout_ns = 10000000)
        {
            tw_forasync(forever, tw_range(0, INT64_MAX));
        }
    }
    tw_attempt(&self.o[3], .timeout_ns = UINT64_MAX)
    {
        tw_async(fail_with, .error = 0);
    }
}

static void test_attempt_deadlines(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(5); i++) {
        struct tw_outcome o[4];
        uint64_t begun = tw_now_ns();
        assert_int_equal(tw_run(time_out, .o = o), 0);
        assert_true(tw_now_ns() - begun >= 30000000);
        assert_int_equal(o[0].error, TW_ETIMEDOUT);
        assert_int_equal(o[1].error, 0);
        assert_int_equal(o[2].error, TW_ETIMEDOUT);
        assert_int_equal(o[3].error, 0);
    }
}

// ---- given values ----

static const struct tw_local depth = {"depth"}, colour = {"colour"};

TW_TASK(look, {
    long wanted;
    const char *colour;
    long *wrong;
})
{
    long *here = tw_local_get(&depth);
    int good = (here ? *here : -1) == self.wanted && tw_local_get(&colour) == self.colour;
    if (!good)
        __atomic_fetch_add(self.wrong, 1, __ATOMIC_RELAXED);
}

TW_FUNCTION(long, look_forked, { long wanted; })
{
    long *here = tw_local_get(&depth);
    return (here ? *here : -1) == self.wanted ? 0 : 1;
}

TW_TASK(descend, {
    long level;
    const char *colour;
    long *wrong;
})
{
    long mine = self.level;
    tw_with(&depth, &mine)
    {
        for (int i = 0; i < 3; i++) {
            tw_async(look, .wanted = mine, .colour = self.colour, .wrong = self.wrong);
            if (self.level < 5)
                tw_async(descend, .level = mine + 1, .colour = self.colour, .wrong = self.wrong);
        }
        tw_forked(look_forked) f = tw_fork(look_forked, .wanted = mine);
        usleep(self.level == 3 ? 100 : 0);
        if (tw_join(look_forked, f))
            __atomic_fetch_add(self.wrong, 1, __ATOMIC_RELAXED);
    }
}

TW_TASK(give, { long *wrong; })
{
    const char *red = "red";
    tw_async(look, .wanted = -1, .colour = NULL, .wrong = self.wrong);
    tw_with(&colour, (void *)red)
    {
        tw_async(look, .wanted = -1, .colour = red, .wrong = self.wrong);
        tw_async(descend, .level = 0, .colour = red, .wrong = self.wrong);
    }
    tw_call(look, .wanted = -1, .colour = NULL, .wrong = self.wrong);
}

static void test_attempt_values_reach_everything_inside(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(100); i++) {
        long wrong = 0;
        assert_int_equal(tw_run(give, .wrong = &wrong), 0);
        assert_int_equal(wrong, 0);
    }
    assert_null(tw_local_get(&depth));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attempt_tells_who_failed_and_where),
        cmocka_unit_test(test_attempt_error_of_the_run),
        cmocka_unit_test(test_attempt_a_nested_run_fails_alone),
        cmocka_unit_test(test_attempt_inside_a_cancelled_one_says_so),
        cmocka_unit_test(test_attempt_a_fork_belongs_where_it_was_started),
        cmocka_unit_test(test_attempt_drops_what_has_not_started),
        cmocka_unit_test(test_attempt_running_tasks_can_ask),
        cmocka_unit_test(test_attempt_deadlines),
        cmocka_unit_test(test_attempt_values_reach_everything_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

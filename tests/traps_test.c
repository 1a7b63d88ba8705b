// SPDX-License-Identifier: Apache-2.0
// ctest: timeout=240
// Each known way for a runtime of this kind to go wrong, as a program that would hang or fail.
#define TWILL_DEBUG
#include "support.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/scope.h"
#include "sched/sched.h"

// ---- an event a task can wait for: the scheduler's own park and ready ----

struct event {
    struct twi_lock lock;
    int is_set;
    struct tw_fiber *waiter;
};

static void publish_waiter(void *argument)
{
    struct event *event = argument;
    struct tw_fiber *waiter = event->waiter;
    twi_lock_take(&event->lock);
    int is_set = event->is_set;
    event->is_set |= 2;
    twi_lock_drop(&event->lock);
    if (is_set & 1)
        twi_ready(waiter);
}

static void event_wait(struct event *event)
{
    event->waiter = tw_fiber_current();
    twi_park(publish_waiter, event);
}

static void event_set(struct event *event)
{
    twi_lock_take(&event->lock);
    int before = event->is_set;
    event->is_set |= 1;
    twi_lock_drop(&event->lock);
    if (before & 2)
        twi_ready(event->waiter);
}

// ---- stacking deadlock ----

TW_FUNCTION(int, five, {})
{
    return 5;
}

TW_TASK(consumer, {
    struct event *event;
    int *done;
})
{
    event_wait(self.event);
    *self.done = 1;
}

TW_TASK(producer, {
    struct event *event;
    int *done;
    int *joined;
})
{
    tw_finish {
        tw_forked(five) a = tw_fork(five);
        tw_async(consumer, .event = self.event, .done = self.done);
        *self.joined = tw_join(five, a); // must not run the consumer on this frame
        event_set(self.event);
    }
}

static void test_trap_stacking_deadlock(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(300); i++) {
        struct event event = {0};
        int done = 0, joined = 0;
        assert_int_equal(tw_run(producer, .event = &event, .done = &done, .joined = &joined), 0);
        assert_int_equal(done, 1);
        assert_int_equal(joined, 5);
    }
}

// The same when the function that was forked leaves the consumer behind: its join must not wait for
// what it left.
TW_FUNCTION(int, leaves_consumer, {
    struct event *event;
    int *done;
})
{
    tw_async(consumer, .event = self.event, .done = self.done);
    return 6;
}

TW_TASK(join_then_set, {
    struct event *event;
    int *done;
    int *joined;
})
{
    tw_finish {
        tw_forked(leaves_consumer) a =
            tw_fork(leaves_consumer, .event = self.event, .done = self.done);
        struct timespec pause = {0, 200000};
        nanosleep(&pause, NULL); // so that another worker takes it
        *self.joined = tw_join(leaves_consumer, a);
        event_set(self.event);
    }
    *self.joined += *self.done;
}

static void test_trap_join_does_not_wait_for_what_the_function_left(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(300); i++) {
        struct event event = {0};
        int done = 0, joined = 0;
        assert_int_equal(tw_run(join_then_set, .event = &event, .done = &done, .joined = &joined),
                         0);
        assert_int_equal(joined, 7);
    }
}

// ---- a fiber may go on in another thread ----

TW_TASK(setter, { struct event *event; })
{
    event_set(self.event);
}

TW_TASK(wait_elsewhere, { int *same; })
{
    struct event event = {0};
    struct tw_fiber *before = tw_fiber_current();
    tw_finish {
        tw_async(setter, .event = &event);
        event_wait(&event);
        *self.same =
            tw_fiber_current() == before && tw_worker() >= 0 && twi_worker_here()->active == before;
    }
}

static void test_trap_nothing_of_the_thread_is_kept_across_a_wait(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(300); i++) {
        int same = 0;
        assert_int_equal(tw_run(wait_elsewhere, .same = &same), 0);
        assert_int_equal(same, 1);
    }
}

// ---- stale head ----

TW_TASK(add_one, { int *to; })
{
    __atomic_fetch_add(self.to, 1, __ATOMIC_RELAXED);
}

__attribute__((noinline)) static void helper_leaves_one(int *to)
{
    tw_async(add_one, .to = to);
}

TW_TASK(stale_head, { int *to; })
{
    tw_finish {
        tw_async(add_one, .to = self.to);
        helper_leaves_one(self.to);
        tw_async(add_one, .to = self.to);
        tw_forked(five) a = tw_fork(five);
        helper_leaves_one(self.to);
        __atomic_fetch_add(self.to, tw_join(five, a), __ATOMIC_RELAXED);
        tw_async(add_one, .to = self.to);
    }
}

static void test_trap_stale_register_head(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(300); i++) {
        int to = 0;
        assert_int_equal(tw_run(stale_head, .to = &to), 0);
        assert_int_equal(to, 10);
    }
}

// ---- hidden work ----

TW_TASK(raise_flag, { int *flag; })
{
    __atomic_store_n(self.flag, 1, __ATOMIC_RELEASE);
}

TW_TASK(long_leaf, { int *seen; })
{
    int flag = 0;
    tw_finish {
        tw_async(raise_flag, .flag = &flag);
        for (int i = 0; i < 5000 && !*self.seen; i++) {
            struct timespec pause = {0, 1000000}; // not a call of Twill
            nanosleep(&pause, NULL);
            *self.seen = __atomic_load_n(&flag, __ATOMIC_ACQUIRE);
        }
    }
}

static void test_trap_private_is_not_hidden(void **state)
{
    (void)state;
    struct tw_machine machine;
    struct tw_options options;
    tw_machine_describe(&machine);
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    if (options.workers < 2)
        options.workers = 2;
    if (!machine.membarrier)
        skip();
    for (int i = 0; i < test_scaled(20); i++) {
        int seen = 0;
        assert_int_equal(tw_run_with(&options, long_leaf, .seen = &seen), 0);
        assert_int_equal(seen, 1);
    }
}

// ---- depth and width ----

TW_FUNCTION(long, deep_fork, { long n; })
{
    if (self.n == 0)
        return 0;
    tw_forked(deep_fork) a = tw_fork(deep_fork, .n = self.n - 1);
    return tw_join(deep_fork, a) + 1;
}

TW_TASK(deep_finish, {
    long n;
    long *count;
})
{
    if (self.n == 0)
        return;
    tw_finish {
        tw_async(deep_finish, .n = self.n - 1, .count = self.count);
    }
    ++*self.count;
}

static void test_trap_a_million_nested_finishes(void **state)
{
    (void)state;
    long finishes = 0, n = test_scaled(1000000);
    struct tw_options options;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
#ifdef TWI_TSAN // it cannot note down calls nested deeper than 65,536
    options.stack_size = (size_t)2 << 20;
#endif
    assert_int_equal(tw_run_with(&options, deep_finish, .n = n, .count = &finishes), 0);
    assert_int_equal(finishes, n);
}

TW_TASK(deep_forks, {
    long n;
    long *forks;
})
{
    *self.forks = tw_call(deep_fork, .n = self.n);
}

TW_TASK(flat, {
    int n;
    int *to;
})
{
    tw_finish {
        for (int i = 0; i < self.n; i++)
            tw_async(add_one, .to = self.to);
    }
}

static void test_trap_slots_run_out(void **state)
{
    (void)state;
    int to = 0, n = test_scaled(1000000);
    assert_int_equal(tw_run(flat, .n = n, .to = &to), 0);
    assert_int_equal(to, n);
}

TW_TASK(flat_forks, {
    int n;
    long *sum;
})
{
    tw_forked(five) *fork = malloc((size_t)self.n * sizeof *fork);
    long sum = 0;
    for (int i = 0; i < self.n; i++)
        fork[i] = tw_fork(five);
    for (int i = 0; i < self.n; i++)
        sum += tw_join(five, fork[i]);
    free(fork);
    *self.sum = sum;
}

static void test_trap_slots_run_out_of_forks(void **state)
{
    (void)state;
    long sum = 0;
    int n = test_scaled(100000);
    assert_int_equal(tw_run(flat_forks, .n = n, .sum = &sum), 0);
    assert_int_equal(sum, 5L * n);
}

// ---- what ends in a message ----

static int overflow_frame(volatile char *above, long n)
{
    volatile char frame[4096];
    frame[0] = above[0];
    return n == 0 ? frame[0] : overflow_frame(frame, n - 1) + frame[1 + n % 100];
}

TW_TASK(overflows, {
    long n;
    int *to;
})
{
    char first[1] = {0};
    *self.to = overflow_frame(first, self.n);
}

static void run_overflow(void)
{
    int to;
    tw_run(overflows, .n = 1 << 20, .to = &to);
}

static void run_deep_forks(void)
{
    long forks = 0, n = test_scaled(1000000);
    if (tw_run(deep_forks, .n = n, .forks = &forks) != 0 || forks != n)
        _exit(1);
}

static void spawn_outside(void)
{
    int to = 0;
    tw_async(add_one, .to = &to);
}

TW_TASK(join_twice, {})
{
    tw_forked(five) a = tw_fork(five);
    (void)tw_join(five, a);
    (void)tw_join(five, a);
}

TW_FUNCTION(int, returns_early, {})
{
    int a = 0;
    tw_finish {
        tw_async(add_one, .to = &a);
        return a; // reads a before the task has run
    }
    return -1;
}

TW_TASK(call_returns_early, {})
{
    (void)tw_call(returns_early);
}

static void run_returns_early(void)
{
    tw_run(call_returns_early);
}

static void run_join_twice(void)
{
    tw_run(join_twice);
}

static void test_trap_stack_overflow_names_task_and_setting(void **state)
{
    (void)state;
    char text[4096];
    assert_true(test_dies(run_overflow, text, sizeof text));
#if !defined(TWI_ASAN) && !defined(TWI_TSAN)
    assert_non_null(strstr(text, "'overflows'"));
    assert_non_null(strstr(text, "TWILL_STACK_SIZE"));
#endif
}

// Frames of the program itself fill the stack, unless thieves shorten it.
static void test_trap_a_million_nested_forks_succeed_or_name_the_setting(void **state)
{
    (void)state;
    char text[4096];
    if (test_dies(run_deep_forks, text, sizeof text)) {
#if !defined(TWI_ASAN) && !defined(TWI_TSAN)
        assert_non_null(strstr(text, "TWILL_STACK_SIZE"));
#endif
    }
}

static void test_trap_return_of_a_value_from_inside_a_finish(void **state)
{
    (void)state;
    char text[4096];
    assert_true(test_dies(run_returns_early, text, sizeof text));
    assert_non_null(strstr(text, "left by return"));
}

static void test_trap_misuse_is_said(void **state)
{
    (void)state;
    char text[4096];
    assert_true(test_dies(spawn_outside, text, sizeof text));
    assert_non_null(strstr(text, "outside tw_run"));
    assert_true(test_dies(run_join_twice, text, sizeof text));
    assert_non_null(strstr(text, "joined twice"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trap_stacking_deadlock),
        cmocka_unit_test(test_trap_join_does_not_wait_for_what_the_function_left),
        cmocka_unit_test(test_trap_stale_register_head),
        cmocka_unit_test(test_trap_private_is_not_hidden),
        cmocka_unit_test(test_trap_a_million_nested_finishes),
        cmocka_unit_test(test_trap_a_million_nested_forks_succeed_or_name_the_setting),
        cmocka_unit_test(test_trap_slots_run_out),
        cmocka_unit_test(test_trap_slots_run_out_of_forks),
        cmocka_unit_test(test_trap_stack_overflow_names_task_and_setting),
        cmocka_unit_test(test_trap_return_of_a_value_from_inside_a_finish),
        cmocka_unit_test(test_trap_nothing_of_the_thread_is_kept_across_a_wait),
        cmocka_unit_test(test_trap_misuse_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

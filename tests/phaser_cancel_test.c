// SPDX-License-Identifier: Apache-2.0
// Phasers and barriers: waits that end by a deadline or a cancellation, tasks that are dropped
// before they start, and what is misuse.
#include "support.h"

#include <string.h>

static const uint64_t MS = 1000000;

// ---- deadlines ----

TW_TASK(signal_late, { struct tw_phaser *phaser; })
{
    tw_sleep(5 * MS);
    tw_phaser_signal(tw_phased(self.phaser));
}

// A wait that was given up goes on with the same phase.
TW_TASK(wait_in_vain, { struct tw_phaser *phaser; })
{
    struct tw_party me, other;
    tw_phaser_join(self.phaser, &me, TW_SIGNAL_WAIT);
    tw_phaser_join(self.phaser, &other, TW_SIGNAL);
    if (tw_phaser_next_until(&me, tw_now_ns() + MS) != TW_ETIMEDOUT ||
        tw_phaser_next_until(&me, 0) != TW_ETIMEDOUT ||
        tw_phaser_wait_until(&me, tw_now_ns() + MS) != TW_ETIMEDOUT)
        tw_fail(1);
    tw_finish {
        tw_async_phased(signal_late, ({self.phaser, TW_SIGNAL}), .phaser = self.phaser);
        tw_phaser_drop(&other);
        if (tw_phaser_phase(self.phaser) != 0 || tw_phaser_next(&me) != 0)
            tw_fail(2);
    }
    if (tw_phaser_next_until(&me, tw_now_ns() + 60000 * MS) != 0 ||
        tw_phaser_phase(self.phaser) != 2)
        tw_fail(3);
    tw_phaser_drop(&me);
}

static void test_phaser_a_wait_that_timed_out_is_repeated(void **state)
{
    (void)state;
    struct tw_phaser phaser = TW_PHASER_INIT("late");
    for (int i = 0; i < test_scaled(5); i++) {
        tw_phaser_init(&phaser, "late");
        assert_int_equal(tw_run(wait_in_vain, .phaser = &phaser), 0);
        tw_phaser_destroy(&phaser);
    }
}

// Deadlines about as long as a phase: each wait ends in one way or the other, no phase is lost.
enum { HURRIED = 6, PHASES = 200 };

TW_TASK(hurry, {
    struct tw_phaser *phaser;
    long *late;
})
{
    struct tw_party *me = tw_phased(self.phaser);
    for (int k = 0; k < PHASES; k++) {
        int error;
        while ((error = tw_phaser_next_until(me, tw_now_ns() + 20000)) == TW_ETIMEDOUT)
            __atomic_fetch_add(self.late, 1, __ATOMIC_RELAXED);
        if (error || tw_phaser_phase(self.phaser) < (uint64_t)k + 1)
            tw_fail(4);
    }
}

TW_TASK(hurry_all, {
    struct tw_phaser *phaser;
    long *late;
})
{
    struct tw_party all;
    tw_phaser_join(self.phaser, &all, TW_SIGNAL);
    for (int i = 0; i < HURRIED; i++)
        tw_async_phased(hurry, ({self.phaser, TW_SIGNAL_WAIT}), .phaser = self.phaser,
                        .late = self.late);
    tw_phaser_drop(&all);
}

static void test_phaser_deadlines_against_signals(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(10); i++) {
        struct tw_phaser phaser = TW_PHASER_INIT("hurry");
        long late = 0;
        assert_int_equal(tw_run(hurry_all, .phaser = &phaser, .late = &late), 0);
        assert_int_equal(tw_phaser_phase(&phaser), PHASES);
        tw_phaser_destroy(&phaser);
    }
}

TW_TASK(come_late, { struct tw_barrier *barrier; })
{
    if (tw_barrier_wait(self.barrier) != 0)
        tw_fail(5);
}

// Who gave up is not counted: it takes two others, or itself again.
TW_TASK(give_up, { struct tw_barrier *barrier; })
{
    if (tw_barrier_wait_until(self.barrier, tw_now_ns() + MS) != TW_ETIMEDOUT)
        tw_fail(6);
    tw_finish {
        tw_async_apart(come_late, .barrier = self.barrier);
        tw_sleep(MS);
        if (tw_phaser_phase(&self.barrier->phaser) != 0 ||
            tw_barrier_wait_until(self.barrier, tw_now_ns() + 60000 * MS) != 0)
            tw_fail(7);
    }
}

static void test_phaser_a_barrier_forgets_who_gave_up(void **state)
{
    (void)state;
    struct tw_barrier barrier = TW_BARRIER_INIT("late", 2);
    assert_int_equal(tw_run(give_up, .barrier = &barrier), 0);
    assert_int_equal(tw_phaser_phase(&barrier.phaser), 1);
    tw_barrier_destroy(&barrier);
}

// ---- cancelling ----

TW_TASK(wait_cancelled, {
    struct tw_phaser *phaser;
    struct tw_barrier *barrier;
    int *arrived, *ended;
})
{
    __atomic_fetch_add(self.arrived, 1, __ATOMIC_RELAXED);
    if (self.barrier ? tw_barrier_wait(self.barrier) == TW_ECANCELED
                     : tw_phaser_next(tw_phased(self.phaser)) == TW_ECANCELED)
        __atomic_fetch_add(self.ended, 1, __ATOMIC_RELAXED);
}

TW_TASK(cancel_waits, {
    struct tw_phaser *phaser;
    struct tw_barrier *barrier;
    int *ended;
})
{
    struct tw_party hold;
    int arrived = 0;
    tw_phaser_join(self.phaser, &hold, TW_SIGNAL);
    tw_attempt(&(struct tw_outcome){0})
    {
        for (int i = 0; i < 4; i++) {
            tw_async_phased(wait_cancelled, ({self.phaser, TW_SIGNAL_WAIT}), .phaser = self.phaser,
                            .arrived = &arrived, .ended = self.ended);
            tw_async_phased(wait_cancelled, ({self.phaser, TW_WAIT}), .phaser = self.phaser,
                            .arrived = &arrived, .ended = self.ended);
            tw_async_apart(wait_cancelled, .barrier = self.barrier, .arrived = &arrived,
                           .ended = self.ended);
        }
        while (__atomic_load_n(&arrived, __ATOMIC_RELAXED) < 12)
            tw_sleep(MS);
        tw_cancel();
    }
    tw_phaser_drop(&hold);
}

static void test_phaser_cancelled_waits_end(void **state)
{
    (void)state;
    struct tw_phaser phaser = TW_PHASER_INIT("never");
    struct tw_barrier barrier = TW_BARRIER_INIT("never", 5);
    int ended = 0;
    assert_int_equal(tw_run(cancel_waits, .phaser = &phaser, .barrier = &barrier, .ended = &ended),
                     0);
    assert_int_equal(ended, 12);
    tw_phaser_destroy(&phaser);
    tw_barrier_destroy(&barrier);
}

// ---- dropped before it started ----

struct bulk {
    char bytes[200];
};

TW_TASK(never_started, {
    struct tw_phaser *phaser;
    struct bulk bulk;
})
{
    if (self.bulk.bytes[0] != 'x' || tw_phaser_next(tw_phased(self.phaser)) == TW_EINVAL)
        tw_fail(8);
}

// The attempt is cancelled while its tasks are in the bag; what is outside goes on without them.
TW_TASK(drop_them, { struct tw_phaser *phaser; })
{
    struct tw_party me;
    struct bulk bulk = {"x"};
    tw_phaser_join(self.phaser, &me, TW_SIGNAL_WAIT);
    tw_attempt(&(struct tw_outcome){0})
    {
        for (int i = 0; i < 50; i++) {
            if (i == 25)
                tw_cancel();
            tw_async_phased(never_started, ({self.phaser, TW_SIGNAL_WAIT}), .phaser = self.phaser,
                            .bulk = bulk);
        }
    }
    if (self.phaser->parties != 1 || tw_phaser_next(&me) != 0)
        tw_fail(9);
    tw_phaser_drop(&me);
}

static void test_phaser_dropped_tasks_leave(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(50); i++) {
        struct tw_phaser phaser = TW_PHASER_INIT("dropped");
        assert_int_equal(tw_run(drop_them, .phaser = &phaser), 0);
        tw_phaser_destroy(&phaser);
    }
}

// ---- misuse ----

static struct tw_phaser steps = TW_PHASER_INIT("steps"), others = TW_PHASER_INIT("others");
static struct tw_barrier none = TW_BARRIER_INIT("none", 0), two = TW_BARRIER_INIT("two", 2);

TW_TASK(find_party, { int how; })
{
    struct tw_party *me = tw_phased(self.how == 0 ? &others : &steps);
    if (self.how == 1)
        tw_phaser_drop(me);
    tw_phaser_drop(me);
}

TW_TASK(meet_two, { int unused; })
{
    tw_barrier_wait(&two);
}

// Again and again, until the other has come.
static void misuse_barrier(void)
{
    tw_finish {
        tw_async_apart(meet_two);
        for (;; tw_sleep(MS))
            tw_barrier_destroy(&two);
    }
}

TW_TASK(misuse, { int how; })
{
    struct tw_party party = {0};
    int how = self.how;
    if (how == 0 || how == 1)
        tw_async_phased(find_party, ({&steps, TW_SIGNAL}), .how = how);
    if (how == 2)
        tw_async(find_party, .how = how);
    if (how == 3)
        tw_phaser_signal(&party);
    if (how == 4 || how == 5 || how == 8)
        tw_phaser_join(&steps, &party, how == 4 ? TW_WAIT : how == 5 ? TW_SIGNAL : TW_SIGNAL_WAIT);
    if (how == 4 || how == 8)
        tw_phaser_signal(&party);
    if (how == 5)
        tw_phaser_wait(&party);
    if (how == 6)
        tw_phaser_join(&steps, &party, (enum tw_phase_mode)0);
    if (how == 7)
        tw_barrier_wait(&none);
    if (how == 8)
        tw_phaser_signal(&party);
    if (how == 9)
        misuse_barrier();
}

static int misused; // how

static void run_misuse(void)
{
    tw_run(misuse, .how = misused);
}

static void destroy_joined(void)
{
    struct tw_party party;
    tw_phaser_join(&steps, &party, TW_WAIT);
    tw_phaser_destroy(&steps);
}

static void wait_outside(void)
{
    struct tw_party party;
    tw_phaser_join(&steps, &party, TW_SIGNAL_WAIT);
    tw_phaser_next(&party);
}

static void expect(void (*what)(void), const char *message)
{
    char text[4096];
    assert_true(test_dies(what, text, sizeof text));
    if (!strstr(text, message))
        fail_msg("'%s' is not in: %s", message, text);
}

static void test_phaser_misuse(void **state)
{
    (void)state;
    static const char *const messages[] = {
        "tw_phased of a phaser that the task was not started with (task 'find_party')",
        "a party of a phaser was used that is not registered, or not any more",
        ("tw_phased stands outside the body of a task that tw_async_phased started (task "
         "'find_party')"),
        "a party of a phaser was used that is not registered, or not any more",
        "phaser 'steps': signalled by a party that only waits",
        "phaser 'steps': waited for by a party that only signals",
        "phaser 'steps': joined in a mode that there is not",
        "barrier 'none': made for no parties",
        "phaser 'steps': signalled again by a party that has not waited",
        "barrier 'two': destroyed while tasks wait for it",
    };
    for (misused = 0; misused < 10; misused++)
        expect(run_misuse, messages[misused]);
    expect(destroy_joined, "phaser 'steps': destroyed while parties are registered");
    expect(wait_outside, "Twill was called outside tw_run");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phaser_a_wait_that_timed_out_is_repeated),
        cmocka_unit_test(test_phaser_deadlines_against_signals),
        cmocka_unit_test(test_phaser_a_barrier_forgets_who_gave_up),
        cmocka_unit_test(test_phaser_cancelled_waits_end),
        cmocka_unit_test(test_phaser_dropped_tasks_leave),
        cmocka_unit_test(test_phaser_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

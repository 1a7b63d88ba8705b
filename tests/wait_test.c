// SPDX-License-Identifier: Apache-2.0
// Waits for futures and jobs: deadlines, one or all of several, those that could never end; and
// tw_yield. How they are cancelled: wait_cancel_test.c.
#include "support.h"

#include <string.h>
#include <unistd.h>

#include "patience.h"

enum { MS = 1000000 };

TW_FUTURE(long, number)

TW_TASK(promise_after, {
    tw_future(number) * future;
    uint64_t ns;
    long value;
})
{
    if (self.ns)
        (void)tw_sleep(self.ns);
    if (tw_promise(number, self.future, self.value) != 0)
        tw_fail(1);
}

// ---- deadlines ----

TW_TASK(await_until, {
    int *error;
    long *value;
    uint64_t *waited_ns;
})
{
    tw_future(number) never = TW_FUTURE_INIT, there = TW_FUTURE_INIT, later = TW_FUTURE_INIT;
    uint64_t begun = tw_now_ns();
    self.error[0] = tw_await_until(number, &never, begun - 1, &self.value[0]);
    self.error[1] = tw_await_until(number, &never, begun + 5 * MS, &self.value[1]);
    *self.waited_ns = tw_now_ns() - begun;
    (void)tw_promise(number, &there, 7);
    self.error[2] = tw_await_until(number, &there, 0, &self.value[2]);
    tw_finish {
        tw_async(promise_after, .future = &later, .ns = 2 * MS, .value = 8);
        self.error[3] = tw_await_until(number, &later, patience_until(), &self.value[3]);
    }
    (void)tw_break(number, &never, -42);
    self.error[4] = tw_await_until(number, &never, TW_NEVER, &self.value[4]);
    self.error[5] = tw_future_wait_until(&never.event, 0);
}

static void test_wait_until_a_deadline(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(20); i++) {
        int error[6];
        long value[5] = {1, 1, 1, 1, 1};
        uint64_t waited_ns = 0;
        static const int expected[6] = {TW_ETIMEDOUT, TW_ETIMEDOUT, 0, 0, -42, -42};
        static const long values[5] = {1, 1, 7, 8, 1};
        assert_int_equal(
            tw_run(await_until, .error = error, .value = value, .waited_ns = &waited_ns), 0);
        for (int k = 0; k < 6; k++)
            assert_int_equal(error[k], expected[k]);
        for (int k = 0; k < 5; k++)
            assert_int_equal(value[k], values[k]);
        assert_true(waited_ns >= 5 * MS);
    }
}

// Deadlines and promises at the same moment: whatever comes first, the answer is one of two.
TW_TASK(await_closely, {
    tw_future(number) * future;
    uint64_t deadline_ns;
    long *wrong;
})
{
    long value = 0;
    int error = tw_await_until(number, self.future, self.deadline_ns, &value);
    if (!(error == 0 && value == 3) && !(error == TW_ETIMEDOUT && value == 0))
        __atomic_fetch_add(self.wrong, 1, __ATOMIC_RELAXED);
}

TW_TASK(race_deadlines, { long *wrong; })
{
    tw_future(number) future = TW_FUTURE_INIT;
    tw_finish {
        uint64_t when = tw_now_ns() + 200000;
        for (int i = 0; i < 40; i++)
            tw_async(await_closely, .future = &future,
                     .deadline_ns = when + (uint64_t)i * 1000 - 20000, .wrong = self.wrong);
        (void)tw_sleep_until(when);
        (void)tw_promise(number, &future, 3);
    }
}

static void test_wait_a_promise_meets_the_deadline(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(300); i++) {
        long wrong = 0;
        assert_int_equal(tw_run(race_deadlines, .wrong = &wrong), 0);
        assert_int_equal(wrong, 0);
    }
}

// ---- all of several, one of several ----

TW_TASK(await_all, { int *error; })
{
    tw_future(number) a = TW_FUTURE_INIT, b = TW_FUTURE_INIT, c = TW_FUTURE_INIT;
    struct tw_future *list[] = {&a.event, &b.event, &c.event, &a.event};
    self.error[0] = tw_await_all(list, 0, 0);
    tw_finish {
        tw_async(promise_after, .future = &a, .ns = 2 * MS, .value = 1);
        tw_async(promise_after, .future = &b, .value = 1);
        self.error[1] = tw_await_all(list, 2, TW_NEVER);
    }
    self.error[2] = tw_await_all(list, 4, tw_now_ns() + MS);
    (void)tw_break(number, &c, -5);
    self.error[3] = tw_await_all(list, 4, TW_NEVER);
}

static void test_wait_for_all_of_several(void **state)
{
    (void)state;
    static const int expected[4] = {0, 0, TW_ETIMEDOUT, -5};
    for (int i = 0; i < test_scaled(50); i++) {
        int error[4];
        assert_int_equal(tw_run(await_all, .error = error), 0);
        for (int k = 0; k < 4; k++)
            assert_int_equal(error[k], expected[k]);
    }
}

TW_TASK(await_any, { int *place; })
{
    tw_future(number) a = TW_FUTURE_INIT, b = TW_FUTURE_INIT, c = TW_FUTURE_INIT;
    struct tw_future *list[] = {&a.event, &b.event, &a.event, &c.event, &b.event};
    self.place[0] = tw_await_any(list, 0, TW_NEVER);
    self.place[1] = tw_await_any(list, 5, tw_now_ns() + MS);
    self.place[2] = tw_await_any(list, 5, 0);
    tw_finish {
        tw_async(promise_after, .future = &c, .ns = MS, .value = 1);
        self.place[3] = tw_await_any(list, 5, TW_NEVER);
    }
    (void)tw_break(number, &b, -5);
    self.place[4] = tw_await_any(list, 5, 0);
    self.place[5] = tw_await_any(list, 1, tw_now_ns() + MS); // the lines it left are in order
    (void)tw_promise(number, &a, 1);
}

static void test_wait_for_one_of_several(void **state)
{
    (void)state;
    static const int expected[6] = {TW_EINVAL, TW_ETIMEDOUT, TW_ETIMEDOUT, 3, 1, TW_ETIMEDOUT};
    for (int i = 0; i < test_scaled(50); i++) {
        int place[6];
        assert_int_equal(tw_run(await_any, .place = place), 0);
        for (int k = 0; k < 6; k++)
            assert_int_equal(place[k], expected[k]);
    }
}

// Promises come while the wait enters the lines.
enum { RACERS = 8 };

TW_TASK(race_for_any, { int *wrong; })
{
    tw_future(number) future[RACERS];
    struct tw_future *list[RACERS];
    memset(future, 0, sizeof future);
    for (int i = 0; i < RACERS; i++)
        list[i] = &future[i].event;
    tw_finish {
        for (int i = 0; i < RACERS; i++)
            tw_async(promise_after, .future = &future[i], .value = i);
        int place = tw_await_any(list, RACERS, TW_NEVER);
        *self.wrong += place < 0 || place >= RACERS || !tw_future_ready(list[place]) ||
                       future[place].value != place;
        *self.wrong += tw_await_all(list, RACERS, TW_NEVER) != 0;
    }
}

static void test_wait_for_one_while_all_are_set(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(2000); i++) {
        int wrong = 0;
        assert_int_equal(tw_run(race_for_any, .wrong = &wrong), 0);
        assert_int_equal(wrong, 0);
    }
}

// ---- waits that could never end ----

TW_TASK(await_oneself, { int *error; })
{
    tw_future(number) mine = TW_FUTURE_INIT;
    struct tw_future *list[] = {&mine.event};
    self.error[0] = tw_future_claim(&mine.event);
    self.error[1] = tw_future_wait(&mine.event);
    self.error[2] = tw_future_wait_until(&mine.event, tw_now_ns() + MS);
    self.error[3] = tw_await_all(list, 1, TW_NEVER);
    self.error[4] = tw_future_claim(&mine.event);
    tw_future_set(&mine.event, 0);
    self.error[5] = tw_future_wait(&mine.event);
    self.error[6] = tw_promise(number, &mine, 1);
    self.error[7] = tw_break(number, &mine, 1);
}

static void test_wait_for_oneself_is_refused(void **state)
{
    (void)state;
    int error[8];
    static const int expected[8] = {0,           TW_EDEADLK, TW_EDEADLK,  TW_EDEADLK,
                                    TW_EALREADY, 0,          TW_EALREADY, TW_EALREADY};
    assert_int_equal(tw_run(await_oneself, .error = error), 0);
    for (int k = 0; k < 8; k++)
        assert_int_equal(error[k], expected[k]);
}

TW_TASK(wait_for_own_job, {
    struct tw_job *job;
    int *error;
})
{
    self.error[0] = tw_job_wait(self.job);
    self.error[1] = tw_job_wait_until(self.job, tw_now_ns() + MS);
}

static void test_wait_a_job_for_itself_is_refused(void **state)
{
    (void)state;
    struct tw_pool *pool;
    struct tw_job job;
    int error[2] = {0, 0};
    assert_int_equal(tw_pool_start(&pool, NULL), 0);
    assert_int_equal(tw_submit(pool, &job, wait_for_own_job, .job = &job, .error = error), 0);
    assert_int_equal(tw_job_wait(&job), 0);
    assert_int_equal(error[0], TW_EDEADLK);
    assert_int_equal(error[1], TW_EDEADLK);
    assert_int_equal(tw_pool_stop(pool), 0);
}

// ---- jobs ----

TW_TASK(wait_at_gate, { tw_future(number) * gate; })
{
    (void)tw_await(number, self.gate);
    tw_fail(77);
}

TW_TASK(wait_for_job, {
    struct tw_job *job;
    int *error;
})
{
    self.error[0] = tw_job_wait_until(self.job, 0);
    self.error[1] = tw_job_wait_until(self.job, tw_now_ns() + 2 * MS);
}

static void test_wait_for_a_job_until(void **state)
{
    (void)state;
    struct tw_pool *pool;
    assert_int_equal(tw_pool_start(&pool, NULL), 0);
    for (int i = 0; i < test_scaled(20); i++) {
        tw_future(number) gate = TW_FUTURE_INIT;
        struct tw_job job, other;
        int error[2] = {0, 0};
        assert_int_equal(tw_submit(pool, &job, wait_at_gate, .gate = &gate), 0);
        assert_int_equal(tw_job_wait_until(&job, 0), TW_ETIMEDOUT);
        uint64_t begun = tw_now_ns();
        assert_int_equal(tw_job_wait_until(&job, begun + 2 * MS), TW_ETIMEDOUT);
        assert_true(tw_now_ns() >= begun + 2 * MS);
        assert_int_equal(tw_submit(pool, &other, wait_for_job, .job = &job, .error = error), 0);
        assert_int_equal(tw_job_wait(&other), 0);
        assert_int_equal(error[0], TW_ETIMEDOUT);
        assert_int_equal(error[1], TW_ETIMEDOUT);
        assert_int_equal(tw_job_done(&job), 0);
        assert_int_equal(tw_promise(number, &gate, 1), 0);
        assert_int_equal(tw_job_wait_until(&job, patience_until()), 77);
        assert_int_equal(tw_submit(pool, &other, wait_for_job, .job = &job, .error = error), 0);
        assert_int_equal(tw_job_wait_until(&other, TW_NEVER), 0);
        assert_int_equal(error[0], 77);
    }
    assert_int_equal(tw_pool_stop(pool), 0);
}

// ---- giving way ----

static struct tw_options one_worker(void)
{
    struct tw_options options;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.workers = 1;
    return options;
}

enum { TURNS = 100 };

TW_TASK(take_turns, {
    char name;
    char *text;
    int *length;
})
{
    for (int i = 0; i < TURNS; i++) {
        self.text[(*self.length)++] = self.name;
        tw_yield();
    }
}

TW_TASK(take_turns_in_pairs, {
    char *text;
    int *length;
})
{
    tw_async(take_turns, .name = 'b', .text = self.text, .length = self.length);
    tw_call(take_turns, .name = 'a', .text = self.text, .length = self.length);
}

static void test_wait_yielding_tasks_alternate(void **state)
{
    (void)state;
    struct tw_options one = one_worker();
    char text[2 * TURNS];
    int length = 0;
    assert_int_equal(tw_run_with(&one, take_turns_in_pairs, .text = text, .length = &length), 0);
    assert_int_equal(length, 2 * TURNS);
    for (int i = 0; i < 2 * TURNS; i++)
        assert_int_equal(text[i], i % 2 ? 'b' : 'a');
}

TW_TASK(raise_flag, { int *flag; })
{
    __atomic_store_n(self.flag, 1, __ATOMIC_RELEASE);
}

static void spin_until(int *flag)
{
    for (uint64_t until = patience_until(); !__atomic_load_n(flag, __ATOMIC_ACQUIRE);) {
        tw_yield();
        patience_yield(until, "a flag", 0, 1);
    }
}

// One is in the deque of who spins, the others in bags. Idle tasks would not start: they come last.
TW_TASK(spin_on_flags, { int *flag; })
{
    tw_future(number) there = TW_FUTURE_INIT;
    (void)tw_promise(number, &there, 1);
    tw_finish {
        tw_async(raise_flag, .flag = &self.flag[0]);
        spin_until(&self.flag[0]);
        tw_async_urgent(raise_flag, .flag = &self.flag[1]);
        spin_until(&self.flag[1]);
        tw_async_await(raise_flag, (&there.event), .flag = &self.flag[2]);
        spin_until(&self.flag[2]);
    }
}

static void test_wait_who_yields_lets_others_start(void **state)
{
    (void)state;
    struct tw_options one = one_worker();
    int flag[3] = {0, 0, 0};
    assert_int_equal(tw_run_with(&one, spin_on_flags, .flag = flag), 0);
    memset(flag, 0, sizeof flag);
    assert_int_equal(tw_run(spin_on_flags, .flag = flag), 0);
}

// ---- where a task goes on ----

TW_TASK(relay, {
    tw_future(number) * from, *to;
    long *sum;
})
{
    long value = tw_await(number, self.from);
    __atomic_fetch_add(self.sum, value, __ATOMIC_RELAXED);
    (void)tw_sleep(value % 7 * 1000);
    tw_yield();
    (void)tw_promise(number, self.to, value + 1);
}

enum { RELAYS = 300 };

TW_TASK(relay_race, { long *sum; })
{
    static tw_future(number) baton[RELAYS + 1];
    memset(baton, 0, sizeof baton);
    tw_finish {
        for (int i = RELAYS; i-- > 0;)
            tw_async(relay, .from = &baton[i], .to = &baton[i + 1], .sum = self.sum);
        (void)tw_promise(number, &baton[0], 0);
    }
    *self.sum += tw_await(number, &baton[RELAYS]);
}

static void test_wait_every_way_to_wake_is_right(void **state)
{
    (void)state;
    static const char *const ways[] = {"auto", "cur", "last", "lhws"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct tw_options options;
        assert_int_equal(tw_options_init(&options, NULL, 0), 0);
        assert_int_equal(tw_options_set(&options, "wake", ways[i], NULL, 0), 0);
        for (int round = 0; round < test_scaled(10); round++) {
            long sum = 0;
            assert_int_equal(tw_run_with(&options, relay_race, .sum = &sum), 0);
            assert_int_equal(sum, RELAYS * (RELAYS - 1L) / 2 + RELAYS);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wait_until_a_deadline),
        cmocka_unit_test(test_wait_a_promise_meets_the_deadline),
        cmocka_unit_test(test_wait_for_all_of_several),
        cmocka_unit_test(test_wait_for_one_of_several),
        cmocka_unit_test(test_wait_for_one_while_all_are_set),
        cmocka_unit_test(test_wait_for_oneself_is_refused),
        cmocka_unit_test(test_wait_a_job_for_itself_is_refused),
        cmocka_unit_test(test_wait_for_a_job_until),
        cmocka_unit_test(test_wait_yielding_tasks_alternate),
        cmocka_unit_test(test_wait_who_yields_lets_others_start),
        cmocka_unit_test(test_wait_every_way_to_wake_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Cancellation ends waits: every kind of wait, in every way to cancel.
#include "support.h"

#include <string.h>
#include <unistd.h>

#include "patience.h"

enum { MS = 1000000 };

TW_FUTURE(long, number)

enum kind { FUTURE, ANY, ALL, SEMAPHORE, CONDITION, MUTEX, JOB, SLEEP, KINDS };

// What they wait for, none of which ever comes.
struct hall {
    tw_future(number) never, nor_this;
    struct tw_semaphore none;
    struct tw_mutex held, books;
    struct tw_condition silent;
    struct tw_job *job; // waits for `never`
    int is_held, started, ended;
    int error[KINDS];
};

static void hall_init(struct hall *h, struct tw_job *job)
{
    memset(h, 0, sizeof *h);
    h->job = job;
    tw_semaphore_init(&h->none, "none", 0);
    tw_mutex_init(&h->held, "held");
    tw_mutex_init(&h->books, "books");
    tw_condition_init(&h->silent, "silent");
}

static void yield_until(const int *number, int wanted, const char *what)
{
    uint64_t until = patience_until();
    for (int got; (got = __atomic_load_n(number, __ATOMIC_ACQUIRE)) < wanted;) {
        tw_yield();
        patience_yield(until, what, got, wanted);
    }
}

static int wait_here(struct hall *h, enum kind kind)
{
    struct tw_future *list[] = {&h->never.event, &h->nor_this.event};
    int error = -1;
    switch (kind) {
    case FUTURE:
        return tw_future_wait(list[0]);
    case ANY:
        return tw_await_any(list, 2, TW_NEVER);
    case ALL:
        return tw_await_all(list, 2, tw_now_ns() + PATIENCE_NS);
    case SEMAPHORE:
        return tw_semaphore_acquire(&h->none);
    case CONDITION:
        tw_mutex_lock(&h->books);
        error = tw_condition_wait(&h->silent, &h->books);
        tw_mutex_unlock(&h->books);
        return error;
    case MUTEX:
        return tw_mutex_lock_until(&h->held, TW_NEVER);
    case JOB:
        return tw_job_wait_until(h->job, TW_NEVER);
    case SLEEP:
        return tw_sleep(PATIENCE_NS);
    case KINDS:
        break;
    }
    return error;
}

TW_TASK(wait_in_kind, {
    struct hall *hall;
    enum kind kind;
})
{
    __atomic_fetch_add(&self.hall->started, 1, __ATOMIC_RELEASE);
    self.hall->error[self.kind] = wait_here(self.hall, self.kind);
    __atomic_fetch_add(&self.hall->ended, 1, __ATOMIC_RELEASE);
}

// Giving way is no wait, so this ends only after the others did.
TW_TASK(hold_until_all_ended, { struct hall *hall; })
{
    tw_mutex_lock(&self.hall->held);
    __atomic_store_n(&self.hall->is_held, 1, __ATOMIC_RELEASE);
    yield_until(&self.hall->ended, KINDS, "waits that end");
    tw_mutex_unlock(&self.hall->held);
}

static void start_all(struct hall *hall)
{
    for (int kind = 0; kind < KINDS; kind++)
        tw_async(wait_in_kind, .hall = hall, .kind = (enum kind)kind);
}

static void check_hall(struct hall *h)
{
    for (int kind = 0; kind < KINDS; kind++) {
        if (h->error[kind] != TW_ECANCELED)
            print_message("kind %d\n", kind);
        assert_int_equal(h->error[kind], TW_ECANCELED);
    }
    tw_mutex_destroy(&h->held); // nobody is left in a line
    tw_mutex_destroy(&h->books);
    tw_semaphore_destroy(&h->none);
    tw_condition_destroy(&h->silent);
}

// ---- ways to cancel ----

enum way { BY_CANCEL, BY_FAILURE, BY_TIMEOUT, WAYS };

TW_TASK(end_the_attempt, {
    struct hall *hall;
    enum way way;
    uint64_t after_ns;
})
{
    yield_until(&self.hall->started, KINDS, "waits that begin");
    (void)tw_sleep(self.after_ns);
    if (self.way == BY_FAILURE)
        tw_fail(-42);
    else
        tw_cancel();
}

TW_TASK(wait_with_timeout, {
    struct hall *hall;
    enum kind kind;
    struct tw_outcome *outcome;
})
{
    tw_attempt(self.outcome, .timeout_ns = 3 * MS)
    {
        tw_call(wait_in_kind, .hall = self.hall, .kind = self.kind);
    }
}

TW_TASK(cancel_in_a_way, {
    struct hall *hall;
    enum way way;
    uint64_t after_ns;
    struct tw_outcome *outcome; // KINDS of them
})
{
    tw_finish {
        tw_async(hold_until_all_ended, .hall = self.hall);
        yield_until(&self.hall->is_held, 1, "the mutex to be held");
        if (self.way == BY_TIMEOUT) {
            for (int kind = 0; kind < KINDS; kind++)
                tw_async(wait_with_timeout, .hall = self.hall, .kind = (enum kind)kind,
                         .outcome = &self.outcome[kind]);
        } else {
            tw_attempt(self.outcome)
            {
                start_all(self.hall);
                tw_async(end_the_attempt, .hall = self.hall, .way = self.way,
                         .after_ns = self.after_ns);
            }
        }
    }
}

TW_TASK(wait_for_future, { tw_future(number) * future; })
{
    (void)tw_future_wait(&self.future->event);
}

// Another pool has a job that does not end.
static struct tw_pool *start_endless(tw_future(number) * gate, struct tw_job *job)
{
    struct tw_pool *pool;
    assert_int_equal(tw_pool_start(&pool, NULL), 0);
    assert_int_equal(tw_submit(pool, job, wait_for_future, .future = gate), 0);
    return pool;
}

static void stop_endless(struct tw_pool *pool, tw_future(number) * gate)
{
    assert_int_equal(tw_promise(number, gate, 1), 0);
    assert_int_equal(tw_pool_stop(pool), 0);
}

static void test_cancel_ends_every_kind_of_wait(void **state)
{
    (void)state;
    static const int expected[WAYS] = {TW_ECANCELED, -42, TW_ETIMEDOUT};
    tw_future(number) gate = TW_FUTURE_INIT;
    struct tw_job endless;
    struct tw_pool *pool = start_endless(&gate, &endless);
    for (int i = 0; i < test_scaled(30); i++)
        for (int way = 0; way < WAYS; way++) {
            struct hall hall;
            struct tw_outcome outcome[KINDS];
            hall_init(&hall, &endless);
            assert_int_equal(tw_run(cancel_in_a_way, .hall = &hall, .way = (enum way)way,
                                    .after_ns = (uint64_t)(i % 10) * 50000, .outcome = outcome),
                             0);
            for (int kind = 0; kind < (way == BY_TIMEOUT ? KINDS : 1); kind++)
                assert_int_equal(outcome[kind].error, expected[way]);
            check_hall(&hall);
        }
    stop_endless(pool, &gate);
}

TW_TASK(wait_in_all_kinds, { struct hall *hall; })
{
    tw_async(hold_until_all_ended, .hall = self.hall);
    yield_until(&self.hall->is_held, 1, "the mutex to be held");
    start_all(self.hall);
}

static void test_cancel_a_job_ends_its_waits(void **state)
{
    (void)state;
    tw_future(number) gate = TW_FUTURE_INIT;
    struct tw_job endless, job;
    struct tw_pool *pool = start_endless(&gate, &endless);
    for (int i = 0; i < test_scaled(30); i++) {
        struct hall hall;
        hall_init(&hall, &endless);
        assert_int_equal(tw_submit(pool, &job, wait_in_all_kinds, .hall = &hall), 0);
        uint64_t until = patience_until();
        for (int got; (got = __atomic_load_n(&hall.started, __ATOMIC_ACQUIRE)) < KINDS;)
            patience_yield(until, "waits that begin", got, KINDS);
        usleep((useconds_t)(i % 10) * 50);
        tw_job_cancel(&job);
        assert_int_equal(tw_job_wait(&job), TW_ECANCELED);
        check_hall(&hall);
    }
    stop_endless(pool, &gate);
}

TW_TASK(fail_the_run, { struct hall *hall; })
{
    tw_async(hold_until_all_ended, .hall = self.hall);
    yield_until(&self.hall->is_held, 1, "the mutex to be held");
    start_all(self.hall);
    tw_call(end_the_attempt, .hall = self.hall, .way = BY_FAILURE, .after_ns = 100000);
}

static void test_cancel_failing_the_run_ends_its_waits(void **state)
{
    (void)state;
    tw_future(number) gate = TW_FUTURE_INIT;
    struct tw_job endless;
    struct tw_pool *pool = start_endless(&gate, &endless);
    for (int i = 0; i < test_scaled(30); i++) {
        struct hall hall;
        hall_init(&hall, &endless);
        assert_int_equal(tw_run(fail_the_run, .hall = &hall), -42);
        check_hall(&hall);
    }
    stop_endless(pool, &gate);
}

// ---- one inside another ----

TW_TASK(wait_for_number, {
    tw_future(number) * future;
    int *error;
})
{
    *self.error = tw_future_wait_until(&self.future->event, tw_now_ns() + PATIENCE_NS);
}

TW_TASK(cancel_the_inner, {
    int *error;
    struct tw_outcome *o;
})
{
    tw_future(number) inner = TW_FUTURE_INIT, outer = TW_FUTURE_INIT;
    tw_attempt(&self.o[0])
    {
        tw_async(wait_for_number, .future = &outer, .error = &self.error[0]);
        tw_attempt(&self.o[1])
        {
            self.error[2] = 0;
            tw_async(wait_for_number, .future = &inner, .error = &self.error[1]);
            (void)tw_sleep(MS); // dropped or cancelled, as it happens
            tw_cancel();
            self.error[2] = tw_sleep(PATIENCE_NS);
        }
        self.error[3] = tw_sleep(MS);
        (void)tw_promise(number, &outer, 1);
    }
}

static void test_cancel_an_inner_attempt_alone(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(30); i++) {
        int error[4] = {-1, TW_ECANCELED, -1, -1};
        struct tw_outcome o[2];
        assert_int_equal(tw_run(cancel_the_inner, .error = error, .o = o), 0);
        assert_int_equal(error[0], 0);
        assert_int_equal(error[1], TW_ECANCELED);
        assert_int_equal(error[2], TW_ECANCELED);
        assert_int_equal(error[3], 0);
        assert_int_equal(o[0].error, 0);
        assert_int_equal(o[1].error, TW_ECANCELED);
    }
}

// ---- tasks that have not started ----

TW_TASK(count, { int *ran; })
{
    __atomic_fetch_add(self.ran, 1, __ATOMIC_RELAXED);
}

TW_TASK(cancel, {})
{
    tw_cancel();
}

// The first future is set while the attempt is cancelled; the second never is.
TW_TASK(await_never, {
    int *ran;
    int spread;
})
{
    tw_future(number) first = TW_FUTURE_INIT, never = TW_FUTURE_INIT;
    tw_attempt(NULL)
    {
        struct tw_outcome outcome;
        tw_attempt(&outcome)
        {
            for (int i = 0; i < 20; i++)
                tw_async_await(count, (&first.event, &never.event), .ran = self.ran);
            tw_async(cancel);
            if (self.spread)
                tw_yield();
            (void)tw_promise(number, &first, 1);
        }
        tw_async_await(count, (&first.event), .ran = self.ran); // that one is not concerned
    }
}

static void test_cancel_drops_tasks_whose_futures_never_come(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(2000); i++) {
        int ran = 0;
        assert_int_equal(tw_run(await_never, .ran = &ran, .spread = i % 2), 0);
        assert_int_equal(ran, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cancel_ends_every_kind_of_wait),
        cmocka_unit_test(test_cancel_a_job_ends_its_waits),
        cmocka_unit_test(test_cancel_failing_the_run_ends_its_waits),
        cmocka_unit_test(test_cancel_an_inner_attempt_alone),
        cmocka_unit_test(test_cancel_drops_tasks_whose_futures_never_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

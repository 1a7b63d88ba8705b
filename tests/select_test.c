// SPDX-License-Identifier: Apache-2.0
// ctest: timeout=240
// Select: one case happens and no other; which; closed channels, deadlines, cancellation, misuse.
#include "support.h"

#include <string.h>
#include <unistd.h>

#include "channel_numbers.h"
#include "patience.h"

enum { MS = 1000000 };

// ---- without waiting ----

static void test_select_lets_one_case_happen(void **state)
{
    (void)state;
    tw_channel(numbers) a = make(1), b = make(1);
    long from_a = 0, to_b = 5;
    struct tw_case cases[] = {tw_case_receive(numbers, a, &from_a),
                              tw_case_send(numbers, b, &to_b)};
    assert_int_equal(tw_select_try(cases, 2), 1);
    assert_int_equal(cases[1].error, 0);
    assert_int_equal(tw_select_try(cases, 2), TW_ETIMEDOUT);
    assert_int_equal(tw_try_send(numbers, a, 3), 0);
    assert_int_equal(tw_select_try(cases, 2), 0);
    assert_int_equal(from_a, 3);
    assert_int_equal(tw_select_try(cases, 2), TW_ETIMEDOUT);
    assert_int_equal(tw_try_receive(numbers, b, &from_a), 0);
    assert_int_equal(from_a, 5);
    assert_int_equal(tw_try_receive(numbers, b, &from_a), TW_ETIMEDOUT);
    tw_channel_destroy(a.channel);
    tw_channel_destroy(b.channel);
}

static void test_select_closed_channels_and_cases_that_are_off(void **state)
{
    (void)state;
    tw_channel(numbers) a = make(1), b = make(0);
    long got = 0, sent = 1;
    struct tw_case cases[] = {tw_case_receive(numbers, a, &got), tw_case_send(numbers, b, &sent)};
    assert_int_equal(tw_try_send(numbers, a, 8), 0);
    tw_channel_close(a.channel);
    assert_int_equal(tw_select_try(cases, 2), 0);
    assert_int_equal(cases[0].error, 0); // what is left
    assert_int_equal(got, 8);
    assert_int_equal(tw_select_try(cases, 2), 0);
    assert_int_equal(cases[0].error, TW_EPIPE);
    cases[0].channel = NULL;
    assert_int_equal(tw_select_try(cases, 2), TW_ETIMEDOUT);
    tw_channel_close(b.channel);
    assert_int_equal(tw_select_try(cases, 2), 1);
    assert_int_equal(cases[1].error, TW_EPIPE);
    cases[1].channel = NULL;
    assert_int_equal(tw_select_try(cases, 2), TW_EPIPE);
    assert_int_equal(tw_select_try(cases, 0), TW_EPIPE);
    tw_channel_destroy(a.channel);
    tw_channel_destroy(b.channel);
}

// ---- which of several ----

enum { READY = 4, TURNS = 2000 };

struct turns {
    tw_channel(numbers) channel[READY];
    int taken[READY];
    int wrong;
};

static void take_turns(struct turns *t, int waits)
{
    long got[READY];
    struct tw_case cases[READY];
    for (int i = 0; i < READY; i++)
        cases[i] = tw_case_receive(numbers, t->channel[i], &got[i]);
    for (int turn = 0; turn < TURNS; turn++) {
        int i = waits ? tw_select(cases, READY, TW_NEVER) : tw_select_try(cases, READY);
        if (i < 0 || i >= READY || got[i] != i || tw_try_send(numbers, t->channel[i], i) != 0) {
            t->wrong++;
            return;
        }
        t->taken[i]++;
    }
}

TW_TASK(take_turns_waiting, { struct turns *turns; })
{
    take_turns(self.turns, 1);
}

static void test_select_takes_each_that_can(void **state)
{
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        struct turns turns = {.wrong = 0};
        for (int i = 0; i < READY; i++) {
            turns.channel[i] = make(1);
            assert_int_equal(tw_try_send(numbers, turns.channel[i], i), 0);
        }
        if (waits)
            assert_int_equal(tw_run(take_turns_waiting, .turns = &turns), 0);
        else
            take_turns(&turns, 0);
        assert_int_equal(turns.wrong, 0);
        for (int i = 0; i < READY; i++) {
            assert_in_range(turns.taken[i], TURNS / READY / 2, TURNS / READY * 2);
            tw_channel_destroy(turns.channel[i].channel);
        }
    }
}

// ---- waiting ----

enum { CHANNELS = 20, PER_CHANNEL = 200 };

struct gathering {
    tw_channel(numbers) channel[CHANNELS];
    int cases; // how many select at once, each channel several times if need be
    long sum;
    int ended, wrong;
};

TW_TASK(send_and_close, {
    tw_channel(numbers) to;
    long first;
})
{
    for (long i = 0; i < PER_CHANNEL; i++)
        tw_send(numbers, self.to, self.first + i);
    tw_channel_close(self.to.channel);
}

static void gather_all(struct gathering *g)
{
    struct tw_case cases[CHANNELS * 2];
    long got = 0;
    for (int i = 0; i < g->cases; i++)
        cases[i] = tw_case_receive(numbers, g->channel[CHANNELS - 1 - i % CHANNELS], &got);
    for (int i; (i = tw_select(cases, (unsigned)g->cases, TW_NEVER)) != TW_EPIPE;) {
        if (i < 0) {
            g->wrong++;
            return;
        }
        if (cases[i].error == 0) {
            g->sum += got;
        } else {
            cases[i].channel = NULL;
            g->ended++;
        }
    }
}

TW_TASK(gather, { struct gathering *gathering; })
{
    struct gathering *g = self.gathering;
    int used = g->cases < CHANNELS ? g->cases : CHANNELS;
    tw_finish {
        for (int i = 0; i < used; i++)
            tw_async(send_and_close, .to = g->channel[CHANNELS - 1 - i], .first = i * PER_CHANNEL);
        gather_all(g);
    }
}

static void check_gathering(int cases, uint32_t capacity)
{
    struct gathering g = {.cases = cases};
    long n = (cases < CHANNELS ? cases : CHANNELS) * (long)PER_CHANNEL;
    for (int i = 0; i < CHANNELS; i++)
        g.channel[i] = make(capacity);
    assert_int_equal(tw_run(gather, .gathering = &g), 0);
    assert_int_equal(g.wrong, 0);
    assert_int_equal(g.ended, cases);
    assert_int_equal(g.sum, n * (n - 1) / 2);
    for (int i = 0; i < CHANNELS; i++)
        tw_channel_destroy(g.channel[i].channel);
}

static void test_select_waits_for_few_and_for_many(void **state)
{
    (void)state;
    for (uint32_t capacity = 0; capacity < 3; capacity++) {
        check_gathering(1, capacity);
        check_gathering(3, capacity);
        check_gathering(CHANNELS, capacity);
        check_gathering(CHANNELS * 2, capacity);
    }
}

// Both ends select: who sends, and who receives, is decided when they meet.
struct exchange {
    tw_channel(numbers) a, b;
    int tasks;
    long sent, received, wrong;
};

TW_TASK(swap_some, {
    struct exchange *exchange;
    int turned;
})
{
    struct exchange *e = self.exchange;
    for (long i = 0; i < 500; i++) {
        long out = 1, in = 0;
        struct tw_case cases[] = {
            tw_case_send(numbers, self.turned ? e->a : e->b, &out),
            tw_case_receive(numbers, self.turned ? e->b : e->a, &in),
        };
        int which = tw_select(cases, 2, TW_NEVER);
        __atomic_fetch_add(which == 0   ? &e->sent
                           : which == 1 ? &e->received
                                        : &e->wrong,
                           1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&e->wrong, which == 1 && in != 1, __ATOMIC_RELAXED);
    }
}

TW_TASK(swap_all, { struct exchange *exchange; })
{
    tw_finish {
        for (int i = 0; i < self.exchange->tasks; i++)
            tw_async_apart(swap_some, .exchange = self.exchange, .turned = i % 2);
    }
}

static void test_select_meets_select(void **state)
{
    (void)state;
    for (int round = 0; round < test_scaled(5); round++) {
        struct exchange e = {.a = make(0), .tasks = round % 2 ? 2 : 8};
        e.b = round % 2 ? e.a : make(0); // at one channel each may meet each
        assert_int_equal(tw_run(swap_all, .exchange = &e), 0);
        assert_int_equal(e.wrong, 0);
        assert_int_equal(e.sent, e.tasks * 250);
        assert_int_equal(e.received, e.tasks * 250);
        tw_channel_destroy(e.a.channel);
        if (e.b.channel != e.a.channel)
            tw_channel_destroy(e.b.channel);
    }
}

// ---- waits that end early ----

enum kind { SENDS, RECEIVES, SELECTS, KINDS };
enum { EACH = 20 };

struct hall {
    tw_channel(numbers) c, d;
    int started, error[KINDS * EACH];
    uint64_t deadline_ns;
};

static int wait_here(struct hall *h, enum kind kind)
{
    long value = 0, other = 1;
    struct tw_case cases[] = {tw_case_receive(numbers, h->c, &value),
                              tw_case_send(numbers, h->d, &other)};
    switch (kind) {
    case SENDS:
        return tw_send_until(numbers, h->d, h->deadline_ns, 1);
    case RECEIVES:
        return tw_receive_until(numbers, h->c, h->deadline_ns, &value);
    case SELECTS:
    case KINDS:
        break;
    }
    return tw_select(cases, 2, h->deadline_ns);
}

TW_TASK(wait_in_kind, {
    struct hall *hall;
    int number;
})
{
    __atomic_fetch_add(&self.hall->started, 1, __ATOMIC_RELEASE);
    self.hall->error[self.number] = wait_here(self.hall, (enum kind)(self.number % KINDS));
}

TW_TASK(wait_and_cancel, {
    struct hall *hall;
    uint64_t after_ns;
})
{
    struct tw_outcome outcome;
    tw_attempt(&outcome)
    {
        for (int i = 0; i < KINDS * EACH; i++)
            tw_async_apart(wait_in_kind, .hall = self.hall, .number = i);
        while (__atomic_load_n(&self.hall->started, __ATOMIC_ACQUIRE) < KINDS * EACH)
            tw_yield();
        (void)tw_sleep(self.after_ns);
        tw_cancel();
    }
}

TW_TASK(wait_for_the_deadline, { struct hall *hall; })
{
    tw_finish {
        for (int i = 0; i < KINDS * EACH; i++)
            tw_async_apart(wait_in_kind, .hall = self.hall, .number = i);
    }
}

static void check_hall(struct hall *h, int error)
{
    for (int i = 0; i < KINDS * EACH; i++)
        assert_int_equal(h->error[i], error);
    tw_channel_destroy(h->c.channel); // nobody is left in a line
    tw_channel_destroy(h->d.channel);
}

static void test_select_cancellation_ends_waits(void **state)
{
    (void)state;
    for (int round = 0; round < test_scaled(10); round++) {
        struct hall hall = {
            .c = make(0), .d = make(0), .deadline_ns = round % 2 ? TW_NEVER : patience_until()};
        uint64_t after_ns = (uint64_t)(round % 3) * MS;
        assert_int_equal(tw_run(wait_and_cancel, .hall = &hall, .after_ns = after_ns), 0);
        check_hall(&hall, TW_ECANCELED);
    }
}

static void test_select_deadlines_end_waits(void **state)
{
    (void)state;
    for (int round = 0; round < test_scaled(10); round++) {
        struct hall hall = {.c = make(0), .d = make(0)};
        hall.deadline_ns = tw_now_ns() + (uint64_t)(round % 3) * MS;
        // Nobody meets: who sends and who receives are at different channels.
        assert_int_equal(tw_run(wait_for_the_deadline, .hall = &hall), 0);
        check_hall(&hall, TW_ETIMEDOUT);
    }
}

// ---- what waits is listed ----

TW_TASK(list_waits, {
    struct hall *hall;
    int fd;
})
{
    tw_finish {
        for (int i = 0; i < KINDS; i++)
            tw_async_apart(wait_in_kind, .hall = self.hall, .number = i);
        do
            tw_sleep(MS);
        while (tw_dump_tasks(self.fd) < KINDS);
        tw_channel_close(self.hall->c.channel);
        tw_channel_close(self.hall->d.channel);
    }
}

static void test_select_is_listed(void **state)
{
    (void)state;
    static char text[64 * 1024];
    FILE *file = tmpfile();
    struct hall hall = {.c = make(0), .d = make(0), .deadline_ns = TW_NEVER};
    assert_non_null(file);
    assert_int_equal(tw_run(list_waits, .hall = &hall, .fd = fileno(file)), 0);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(text, "room in a channel"));
    assert_non_null(strstr(text, "message of a channel"));
    assert_non_null(strstr(text, "one of several channels"));
    tw_channel_destroy(hall.c.channel);
    tw_channel_destroy(hall.d.channel);
}

static void select_outside(void)
{
    (void)tw_select(NULL, 0, TW_NEVER);
}

static void test_select_outside_a_task(void **state)
{
    (void)state;
    char text[1000];
    assert_true(test_dies(select_outside, text, sizeof text));
    assert_non_null(strstr(text, "tw_select was called outside a task"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_select_lets_one_case_happen),
        cmocka_unit_test(test_select_closed_channels_and_cases_that_are_off),
        cmocka_unit_test(test_select_takes_each_that_can),
        cmocka_unit_test(test_select_waits_for_few_and_for_many),
        cmocka_unit_test(test_select_meets_select),
        cmocka_unit_test(test_select_cancellation_ends_waits),
        cmocka_unit_test(test_select_deadlines_end_waits),
        cmocka_unit_test(test_select_is_listed),
        cmocka_unit_test(test_select_outside_a_task),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Phasers: the three modes, joining and leaving, several at once, barriers. (How waits end early,
// and what happens to tasks that are dropped, is in phaser_cancel_test.c.)
#include "support.h"

#include <string.h>

#include "base/rng.h"

static int load(const int *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static void store(int *word, int value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

// ---- all in step ----

enum { PARTIES = 20, ROUNDS = 50 };

struct steps {
    struct tw_phaser phaser;
    int at[PARTIES + 1]; // how far each has come
    int count;
};

// After phase k all have come to k + 1, and none is past k + 2.
static void check_step(const struct steps *s, int k)
{
    for (int i = 0; i < s->count; i++)
        if (load(&s->at[i]) < k + 1 || load(&s->at[i]) > k + 2)
            tw_fail(1);
}

static void go_in_step(struct steps *s, struct tw_party *me, int i, int split)
{
    for (int k = 0; k < ROUNDS; k++) {
        store(&s->at[i], k + 1);
        if (split)
            tw_phaser_signal(me);
        if ((split ? tw_phaser_wait(me) : tw_phaser_next(me)) != 0)
            tw_fail(2);
        check_step(s, k);
    }
}

TW_TASK(step, {
    struct steps *s;
    int i;
})
{
    go_in_step(self.s, tw_phased(&self.s->phaser), self.i, self.i % 2);
}

// Who starts them is a party as well: none may be run on its stack.
TW_TASK(all_in_step, { struct steps *s; })
{
    struct tw_party me;
    tw_phaser_join(&self.s->phaser, &me, TW_SIGNAL_WAIT);
    tw_finish {
        for (int i = 0; i < PARTIES; i++)
            tw_async_phased(step, ({&self.s->phaser, TW_SIGNAL_WAIT}), .s = self.s, .i = i);
        go_in_step(self.s, &me, PARTIES, 0);
        tw_phaser_drop(&me);
    }
    tw_phaser_destroy(&self.s->phaser);
}

static void test_phaser_all_go_in_step(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(20); i++) {
        struct steps s = {.phaser = TW_PHASER_INIT("step"), .count = PARTIES + 1};
        assert_int_equal(tw_run(all_in_step, .s = &s), 0);
        assert_int_equal(tw_phaser_phase(&s.phaser), ROUNDS);
    }
}

// ---- who makes, and who takes ----

enum { ITEMS = 200, TAKERS = 5 };

struct items {
    struct tw_phaser made;
    int item[ITEMS]; // plain: made before the signal, read after the wait
    long sum[TAKERS];
};

TW_TASK(make, { struct items *items; })
{
    struct tw_party *made = tw_phased(&self.items->made);
    for (int k = 0; k < ITEMS; k++) {
        self.items->item[k] = k + 1;
        tw_phaser_signal(made);
    }
}

TW_TASK(take, {
    struct items *items;
    int i;
})
{
    struct tw_party *made = tw_phased(&self.items->made);
    int error, k = 0;
    for (; (error = tw_phaser_wait(made)) == 0; k++)
        self.items->sum[self.i] += self.items->item[k];
    if (k != ITEMS || error != TW_EPIPE)
        tw_fail(3);
}

// With one worker the newest task starts first: the maker is done before anyone takes.
TW_TASK(make_and_take, { struct items *items; })
{
    struct tw_party all;
    tw_phaser_join(&self.items->made, &all, TW_SIGNAL);
    for (int i = 0; i < TAKERS; i++)
        tw_async_phased(take, ({&self.items->made, TW_WAIT}), .items = self.items, .i = i);
    tw_async_phased(make, ({&self.items->made, TW_SIGNAL}), .items = self.items);
    tw_phaser_drop(&all);
}

static void test_phaser_a_maker_runs_ahead_and_nothing_is_missed(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(50); i++) {
        static struct items items;
        memset(&items, 0, sizeof items);
        tw_phaser_init(&items.made, "made");
        assert_int_equal(tw_run(make_and_take, .items = &items), 0);
        for (int t = 0; t < TAKERS; t++)
            assert_int_equal(items.sum[t], ITEMS * (ITEMS + 1) / 2);
        tw_phaser_destroy(&items.made);
    }
}

// ---- several phasers ----

enum { LINKS = 10 };

struct chain {
    struct tw_phaser phaser[LINKS + 1];
    long value[LINKS + 1];
    long sum;
};

// Each adds one to what the link before has, and takes the next only when it was taken.
TW_TASK(add_link, {
    struct chain *c;
    int i;
})
{
    struct tw_party *in = tw_phased(&self.c->phaser[self.i]);
    struct tw_party *out = tw_phased(&self.c->phaser[self.i + 1]);
    for (int k = 0; k < ROUNDS; k++) {
        if (tw_phaser_next(in) != 0) // what is in value[i] is there
            tw_fail(4);
        self.c->value[self.i + 1] = self.c->value[self.i] + 1;
        if (tw_phaser_next(in) != 0 || tw_phaser_next(out) != 0 || tw_phaser_next(out) != 0)
            tw_fail(5);
    }
}

TW_TASK(run_chain, { struct chain *c; })
{
    struct tw_party first, last;
    tw_finish {
        tw_phaser_join(&self.c->phaser[0], &first, TW_SIGNAL_WAIT);
        tw_phaser_join(&self.c->phaser[LINKS], &last, TW_SIGNAL_WAIT);
        struct tw_party hold[LINKS + 1];
        for (int i = 0; i <= LINKS; i++)
            tw_phaser_join(&self.c->phaser[i], &hold[i], TW_SIGNAL);
        for (int i = 0; i < LINKS; i++)
            tw_async_phased(
                add_link,
                ({&self.c->phaser[i], TW_SIGNAL_WAIT}, {&self.c->phaser[i + 1], TW_SIGNAL_WAIT}),
                .c = self.c, .i = i);
        for (int i = 0; i <= LINKS; i++)
            tw_phaser_drop(&hold[i]);
        for (int k = 0; k < ROUNDS; k++) {
            self.c->value[0] = k;
            if (tw_phaser_next(&first) != 0 || tw_phaser_next(&first) != 0 ||
                tw_phaser_next(&last) != 0)
                tw_fail(6);
            self.c->sum += self.c->value[LINKS];
            if (tw_phaser_next(&last) != 0)
                tw_fail(7);
        }
        tw_phaser_drop(&first);
        tw_phaser_drop(&last);
    }
}

static void test_phaser_a_task_with_two(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(20); i++) {
        static struct chain c;
        memset(&c, 0, sizeof c);
        for (int k = 0; k <= LINKS; k++)
            tw_phaser_init(&c.phaser[k], "link");
        assert_int_equal(tw_run(run_chain, .c = &c), 0);
        assert_int_equal(c.sum, ROUNDS * (ROUNDS - 1) / 2 + ROUNDS * LINKS);
        for (int k = 0; k <= LINKS; k++)
            tw_phaser_destroy(&c.phaser[k]);
    }
}

// ---- leaving ----

TW_TASK(leave_early, {
    struct tw_phaser *phaser;
    int after;
})
{
    struct tw_party *me = tw_phased(self.phaser);
    for (int k = 0; k < self.after; k++)
        if (tw_phaser_next(me) != 0)
            tw_fail(8);
    if (self.after % 2)
        tw_phaser_drop(me); // the others go with the end of their body
}

TW_TASK(stay_longest, { struct tw_phaser *phaser; })
{
    struct tw_party me;
    tw_phaser_join(self.phaser, &me, TW_SIGNAL_WAIT);
    for (int i = 0; i < PARTIES; i++)
        tw_async_phased(leave_early, ({self.phaser, TW_SIGNAL_WAIT}), .phaser = self.phaser,
                        .after = i);
    for (int k = 0; k < ROUNDS; k++)
        if (tw_phaser_next(&me) != 0)
            tw_fail(9);
    tw_phaser_drop(&me);
}

static void test_phaser_who_leaves_is_not_waited_for(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(50); i++) {
        struct tw_phaser phaser = TW_PHASER_INIT("left");
        assert_int_equal(tw_run(stay_longest, .phaser = &phaser), 0);
        assert_int_equal(tw_phaser_phase(&phaser), ROUNDS);
        tw_phaser_destroy(&phaser);
    }
}

// What was signalled by those who have left is complete.
TW_TASK(nobody_left, { struct tw_phaser *phaser; })
{
    struct tw_party one, other, waits;
    tw_phaser_join(self.phaser, &waits, TW_WAIT);
    if (tw_phaser_wait(&waits) != TW_EPIPE)
        tw_fail(10);
    tw_phaser_join(self.phaser, &one, TW_SIGNAL);
    tw_phaser_join(self.phaser, &other, TW_SIGNAL);
    for (int k = 0; k < 3; k++)
        tw_phaser_signal(&one);
    tw_phaser_drop(&one);
    tw_phaser_signal(&other);
    if (tw_phaser_phase(self.phaser) != 1)
        tw_fail(11);
    tw_phaser_drop(&other);
    for (int k = 0; k < 3; k++)
        if (tw_phaser_next(&waits) != 0)
            tw_fail(12);
    if (tw_phaser_next(&waits) != TW_EPIPE || tw_phaser_phase(self.phaser) != 3)
        tw_fail(13);
    tw_phaser_join(self.phaser, &one, TW_SIGNAL_WAIT);
    if (tw_phaser_wait(&one) != TW_EDEADLK || tw_phaser_next(&one) != 0 ||
        tw_phaser_next(&waits) != 0)
        tw_fail(14);
    tw_phaser_drop(&one);
    tw_phaser_drop(&waits);
}

static void test_phaser_phases_that_nobody_is_left_to_signal(void **state)
{
    (void)state;
    struct tw_phaser phaser = TW_PHASER_INIT("left");
    assert_int_equal(tw_run(nobody_left, .phaser = &phaser), 0);
    tw_phaser_destroy(&phaser);
}

// ---- at random ----

enum { TASKS = 16, NOWHERE = -1 };

struct crowd {
    struct tw_phaser phaser;
    int at[TASKS]; // the phase each signaller is in; NOWHERE: it is none, or not known yet
    int steps;
};

// By one who has waited for phase k: a signaller of that phase has said so before it signalled.
static void check_crowd(const struct crowd *c, int k)
{
    if (tw_phaser_phase(&c->phaser) <= (uint64_t)k)
        tw_fail(15);
    for (int i = 0; i < TASKS; i++) {
        int at = load(&c->at[i]);
        if (at != NOWHERE && at <= k)
            tw_fail(16);
    }
}

// 0: there is nobody to wait for.
static int one_step(struct crowd *c, struct tw_party *me, int i)
{
    int k = (int)(me->mode & TW_SIGNAL ? me->signalled : me->waited);
    if (me->mode & TW_SIGNAL)
        store(&c->at[i], k + 1);
    int error = tw_phaser_next(me);
    if (error && !(error == TW_EPIPE && me->mode == TW_WAIT))
        tw_fail(17);
    if (!error && me->mode != TW_SIGNAL)
        check_crowd(c, k);
    __atomic_fetch_add(&c->steps, 1, __ATOMIC_RELAXED);
    return !error;
}

TW_TASK(come_and_go, {
    struct crowd *c;
    int i;
    uint64_t seed;
})
{
    struct twi_rng rng = {.counter = self.seed};
    for (int n = 0; n < 30; n++) {
        struct tw_party me;
        tw_phaser_join(&self.c->phaser, &me, (enum tw_phase_mode)(1 + twi_rng_below(&rng, 3)));
        if (me.mode & TW_SIGNAL)
            store(&self.c->at[self.i], (int)me.signalled);
        for (uint32_t k = twi_rng_below(&rng, 12); k > 0; k--)
            if (!one_step(self.c, &me, self.i))
                break;
        store(&self.c->at[self.i], NOWHERE);
        tw_phaser_drop(&me);
    }
}

TW_TASK(mill_about, {
    struct crowd *c;
    uint64_t seed;
})
{
    for (int i = 0; i < TASKS; i++)
        tw_async_apart(come_and_go, .c = self.c, .i = i, .seed = self.seed * 100 + (uint64_t)i);
}

static void test_phaser_random_joins_and_drops(void **state)
{
    (void)state;
    for (int seed = 1; seed <= test_scaled(60); seed++) {
        struct crowd c = {.phaser = TW_PHASER_INIT("crowd")};
        for (int i = 0; i < TASKS; i++)
            c.at[i] = NOWHERE;
        assert_int_equal(tw_run(mill_about, .c = &c, .seed = (uint64_t)seed), 0);
        assert_true(c.steps > TASKS);
        assert_int_equal(c.phaser.signallers, 0);
        assert_int_equal(tw_phaser_phase(&c.phaser), c.phaser.furthest);
        tw_phaser_destroy(&c.phaser);
    }
}

// ---- barriers ----

struct meeting {
    struct tw_barrier barrier;
    struct steps steps;
};

TW_TASK(meet, {
    struct meeting *m;
    int i;
})
{
    for (int k = 0; k < ROUNDS; k++) {
        store(&self.m->steps.at[self.i], k + 1);
        if (tw_barrier_wait(&self.m->barrier) != 0)
            tw_fail(18);
        check_step(&self.m->steps, k);
    }
}

// Who starts them only waits for their end: plain tasks will do.
TW_TASK(meet_all, { struct meeting *m; })
{
    for (int i = 0; i < PARTIES; i++)
        tw_async(meet, .m = self.m, .i = i);
}

TW_TASK(meet_with_all, { struct meeting *m; })
{
    tw_finish {
        for (int i = 1; i < PARTIES; i++)
            tw_async_apart(meet, .m = self.m, .i = i);
        tw_call(meet, .m = self.m, .i = 0);
    }
}

static void test_phaser_a_barrier(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(20); i++) {
        struct meeting m = {.barrier = TW_BARRIER_INIT("meeting", PARTIES),
                            .steps = {.count = PARTIES}};
        assert_int_equal(tw_run(meet_all, .m = &m), 0);
        tw_barrier_destroy(&m.barrier);
        memset(&m.steps.at, 0, sizeof m.steps.at);
        tw_barrier_init(&m.barrier, "again", PARTIES);
        assert_int_equal(tw_run(meet_with_all, .m = &m), 0);
        tw_barrier_destroy(&m.barrier);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phaser_all_go_in_step),
        cmocka_unit_test(test_phaser_a_maker_runs_ahead_and_nothing_is_missed),
        cmocka_unit_test(test_phaser_a_task_with_two),
        cmocka_unit_test(test_phaser_who_leaves_is_not_waited_for),
        cmocka_unit_test(test_phaser_phases_that_nobody_is_left_to_signal),
        cmocka_unit_test(test_phaser_random_joins_and_drops),
        cmocka_unit_test(test_phaser_a_barrier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

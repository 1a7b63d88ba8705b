// SPDX-License-Identifier: Apache-2.0
// ctest: alone
// Sleeping tasks: never early, in order, many at once, in time although all workers compute, and
// without a processor's time.
#include "support.h"

#include "fib.h"

#include <sys/resource.h>
#include <unistd.h>

#include "base/rng.h"
#include "base/sanitize.h"
#include "patience.h"

enum { MS = 1000000 };

// ---- not early ----

TW_TASK(sleep_well, {
    uint64_t ns;
    int *early;
})
{
    uint64_t begun = tw_now_ns();
    if (tw_sleep(self.ns) != 0 || tw_now_ns() - begun < self.ns)
        __atomic_fetch_add(self.early, 1, __ATOMIC_RELAXED);
}

TW_TASK(sleep_variously, { int *early; })
{
    static const uint64_t lengths[] = {0, 1, 1000, 50000, MS, 3 * MS};
    for (int i = 0; i < 120; i++)
        tw_async(sleep_well, .ns = lengths[i % 6], .early = self.early);
    uint64_t begun = tw_now_ns();
    *self.early += tw_sleep_until(0) != 0; // long past
    *self.early += tw_sleep_until(begun + 2 * MS) != 0 || tw_now_ns() < begun + 2 * MS;
}

static void test_time_no_sleep_ends_early(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(20); i++) {
        int early = 0;
        assert_int_equal(tw_run(sleep_variously, .early = &early), 0);
        assert_int_equal(early, 0);
    }
}

TW_TASK(sleep_and_note, {
    uint64_t until_ns;
    int i;
    int *next, *place;
})
{
    (void)tw_sleep_until(self.until_ns);
    self.place[self.i] = (*self.next)++;
}

enum { SLEEPERS = 12 };

TW_TASK(sleep_in_order, { int *place; })
{
    uint64_t begun = tw_now_ns() + 200 * MS; // all sleep by then, if the machine is late too
    int next = 0;
    tw_finish {
        for (int k = 0; k < SLEEPERS; k++) {
            int i = k * 5 % SLEEPERS;
            tw_async(sleep_and_note, .until_ns = begun + (uint64_t)i * 3 * MS, .i = i,
                     .next = &next, .place = self.place);
        }
    }
}

static int went_on_in_order(const struct tw_options *options)
{
    int place[SLEEPERS], in_order = 1;
    assert_int_equal(tw_run_with(options, sleep_in_order, .place = place), 0);
    for (int i = 0; i < SLEEPERS; i++)
        in_order &= place[i] == i;
    return in_order;
}

// With several workers those that wake together may go on in any order; with one worker they are
// woken by their deadlines. Where the machine stands still for longer than lies between two of
// them, the watch may ring one alarm while the worker rings the next: then it is tried again.
static void test_time_one_worker_wakes_in_order(void **state)
{
    (void)state;
    struct tw_options one;
    int tries = 10;
    assert_int_equal(tw_options_init(&one, NULL, 0), 0);
    one.workers = 1;
    while (!went_on_in_order(&one))
        assert_true(--tries > 0);
}

// ---- many ----

TW_TASK(sleep_at_random, {
    uint64_t seed;
    long *slept;
})
{
    struct twi_rng rng = {.counter = self.seed};
    uint64_t begun = tw_now_ns(), ns = 1 + twi_rng_below(&rng, 20 * MS);
    if (tw_sleep(ns) == 0 && tw_now_ns() - begun >= ns)
        __atomic_fetch_add(self.slept, 1, __ATOMIC_RELAXED);
}

TW_TASK(sleep_by_thousands, {
    long n;
    long *slept;
})
{
    for (long i = 0; i < self.n; i++)
        tw_async(sleep_at_random, .seed = (uint64_t)i, .slept = self.slept);
}

static void test_time_thousands_sleep_at_once(void **state)
{
    (void)state;
    long slept = 0, n = test_scaled(5000);
    assert_int_equal(tw_run(sleep_by_thousands, .n = n, .slept = &slept), 0);
    assert_int_equal(slept, n);
}

// ---- while all compute ----

struct race {
    int computed;     // the computations that have ended
    int seen;         // so many of them when the sleeper went on
    int wanted;       // how many computations there are
    uint64_t ns;      // how long the sleeper sleeps
    uint64_t late_ns; // how late it was
};

// Computes until the sleeper has gone on, but not for ever.
TW_TASK(compute, { struct race *race; })
{
    uint64_t least = tw_now_ns() + 10 * self.race->ns, most = tw_now_ns() + 10000 * (uint64_t)MS;
    while (tw_now_ns() < least ||
           (__atomic_load_n(&self.race->seen, __ATOMIC_RELAXED) < 0 && tw_now_ns() < most))
        (void)tw_call(fib, .n = 18);
    __atomic_fetch_add(&self.race->computed, 1, __ATOMIC_RELEASE);
}

TW_TASK(sleep_a_little, { struct race *race; })
{
    uint64_t until = tw_now_ns() + self.race->ns;
    (void)tw_sleep_until(until);
    self.race->late_ns = tw_now_ns() - until;
    int computed = __atomic_load_n(&self.race->computed, __ATOMIC_ACQUIRE);
    __atomic_store_n(&self.race->seen, computed, __ATOMIC_RELAXED);
}

TW_TASK(compute_and_sleep, { struct race *race; })
{
    tw_finish {
        tw_async(sleep_a_little, .race = self.race);
        tw_yield();
        for (int i = 0; i < self.race->wanted; i++)
            tw_async(compute, .race = self.race);
    }
}

static void race_against_sleep(struct tw_options *options, uint64_t ns)
{
    struct race race = {.wanted = (int)options->workers, .ns = ns, .seen = -1};
    if (race.wanted > 2)
        race.wanted = 2 * race.wanted; // more than there are processors: still none may be needed
    assert_int_equal(tw_run_with(options, compute_and_sleep, .race = &race), 0);
    if (race.seen)
        print_message("%.2f ms late\n", (double)race.late_ns / MS);
    assert_int_equal(race.seen, 0);
}

// The computations spawn, so that a worker comes by the place where it can be asked. In the shorter
// races the alarm rings while some are still looking for a computation, and find one instead.
static void test_time_a_sleeper_goes_on_while_all_compute(void **state)
{
    (void)state;
    struct tw_options options;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    for (int i = 0; i < 20; i++)
        race_against_sleep(&options, MS / 20 + (uint64_t)i * MS / 4);
}

// ---- cancelled ----

TW_TASK(sleep_for_ever, { int *error; })
{
    int error = tw_sleep_until(TW_NEVER);
    if (error == TW_ECANCELED)
        error = tw_sleep(PATIENCE_NS); // at once
    if (error == TW_ECANCELED)
        __atomic_fetch_add(self.error, 1, __ATOMIC_RELAXED);
}

TW_TASK(cancel_sleepers, {
    int *ended;
    struct tw_outcome *outcome;
})
{
    tw_attempt(self.outcome)
    {
        for (int i = 0; i < 100; i++)
            tw_async(sleep_for_ever, .error = self.ended);
        (void)tw_sleep(2 * MS); // the others start
        tw_cancel();
    }
}

static void test_time_cancelled_sleeps_end(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(20); i++) {
        int ended = 0;
        struct tw_outcome outcome;
        uint64_t begun = tw_now_ns();
        assert_int_equal(tw_run(cancel_sleepers, .ended = &ended, .outcome = &outcome), 0);
        assert_int_equal(outcome.error, TW_ECANCELED);
        assert_in_range(ended, 0, 100); // the rest was dropped
        assert_true(tw_now_ns() - begun < PATIENCE_NS);
    }
}

// ---- without a processor's time ----

static double used_seconds(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

TW_TASK(watch_sleepers, { double *per_mille; })
{
    int early = 0;
    tw_finish {
        for (int i = 0; i < 50; i++)
            tw_async(sleep_well, .ns = (uint64_t)600 * MS, .early = &early);
        (void)tw_sleep((uint64_t)100 * MS);
        double before = used_seconds();
        (void)tw_sleep((uint64_t)400 * MS);
        *self.per_mille = (used_seconds() - before) * 1e3 / 0.4;
    }
}

static void test_time_sleepers_use_no_processor(void **state)
{
    (void)state;
    struct tw_machine machine;
    double per_mille = 1000;
    tw_machine_describe(&machine);
#if defined(TWI_ASAN) || defined(TWI_TSAN)
    skip();
#endif
    if (!machine.membarrier)
        skip();
    assert_int_equal(tw_run(watch_sleepers, .per_mille = &per_mille), 0);
    print_message("%.2f thousandths of a processor\n", per_mille);
    assert_true(per_mille < 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_no_sleep_ends_early),
        cmocka_unit_test(test_time_one_worker_wakes_in_order),
        cmocka_unit_test(test_time_thousands_sleep_at_once),
        cmocka_unit_test(test_time_a_sleeper_goes_on_while_all_compute),
        cmocka_unit_test(test_time_cancelled_sleeps_end),
        cmocka_unit_test(test_time_sleepers_use_no_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// ctest: workers=2
// The dormitory with real threads and futexes: at most one is woken at a time, and nobody sleeps on
// while there is work. A wake-up that is lost ends in a message, since every wait here is bounded.
#include "support.h"

#include <pthread.h>
#include <string.h>

#include "base/os.h"
#include "base/rng.h"
#include "patience.h"
#include "sched/sleep.h"

enum { SLEEPERS = 4, PRODUCERS = 2, ALONE = 20000, BURSTS = 3000, TREE = 15 };

static struct twi_bed beds[SLEEPERS];
static struct twi_dormitory house;

static int house_make(void **state)
{
    (void)state;
    memset(beds, 0, sizeof beds);
    house = (struct twi_dormitory){0, beds};
    return 0;
}

// ---- one thread ----

static void lie_down(unsigned me)
{
    twi_search_begin(&house);
    twi_lie_down(&house, me, 0);
}

static void test_sleep_nobody_to_wake(void **state)
{
    (void)state;
    assert_false(twi_someone_sleeps(&house));
    assert_int_equal(twi_wake_one(&house), 0);
    twi_search_begin(&house);
    assert_int_equal(twi_searching(house.state), 1);
    assert_int_equal(twi_wake_one(&house), 0);
    assert_int_equal(twi_search_found(&house), 0);
    assert_int_equal(twi_searching(house.state), 0);
}

static void test_sleep_newest_is_woken_first(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SLEEPERS; i++)
        lie_down(i);
    assert_true(twi_someone_sleeps(&house));
    for (unsigned i = SLEEPERS; i-- > 0;) {
        assert_int_equal(twi_wake_one(&house), 1);
        for (unsigned j = 0; j < SLEEPERS; j++)
            assert_int_equal(beds[j].called, j >= i);
        assert_int_equal(twi_searching(house.state), 1); // the one woken
        assert_int_equal(twi_wake_one(&house), 0);       // it will look
        house.state -= TWI_SEARCHER;
    }
    assert_false(twi_someone_sleeps(&house));
}

static void test_sleep_last_searcher_that_finds_wakes_another(void **state)
{
    (void)state;
    lie_down(0);
    twi_search_begin(&house);
    twi_search_begin(&house);
    assert_int_equal(twi_search_found(&house), 0); // another one still looks
    assert_int_equal(beds[0].called, 0);
    assert_int_equal(twi_search_found(&house), 1);
    assert_int_equal(beds[0].called, 1);
    assert_int_equal(twi_searching(house.state), 1);
}

static void test_sleep_every_change_of_the_stack_leaves_a_trace(void **state)
{
    (void)state;
    lie_down(0);
    uint64_t before = house.state;
    assert_int_equal(twi_wake_one(&house), 1);
    twi_lie_down(&house, 0, 0);
    assert_int_equal((uint32_t)house.state, (uint32_t)before);
    assert_int_not_equal(house.state, before);
}

static void test_sleep_has_a_bound_when_asked(void **state)
{
    (void)state;
    uint64_t begun = twi_now_ns();
    lie_down(1);
    assert_int_equal(twi_sleep(&house, 1, 2000000), 0);
    assert_true(twi_now_ns() - begun >= 2000000);
    assert_int_equal(twi_sleep(&house, 1, 0), 0);
    assert_true(twi_someone_sleeps(&house)); // it lies there still
    assert_int_equal(twi_wake_one(&house), 1);
    assert_int_equal(twi_sleep(&house, 1, 2000000), 1);
    assert_int_equal(beds[1].called, 0);
}

static void test_sleep_called_before_it_falls_asleep(void **state)
{
    (void)state;
    lie_down(2);
    assert_int_equal(twi_wake_one(&house), 1);
    assert_int_equal(twi_sleep(&house, 2, -1), 1);
    assert_int_equal(beds[2].called, 0);
}

// ---- sleepers with work to look for ----

struct work {
    long there;   // pieces visible
    long done;    // pieces taken and done
    long deepest; // with tree: a piece of number n makes 2n and 2n + 1, up to this
    long next;    // with tree: pieces made so far
    long sleeps;
    int stop;
};

struct sleeper {
    pthread_t thread;
    struct work *work;
    unsigned me;
    struct twi_rng rng;
};

static int is_over(struct work *work)
{
    return __atomic_load_n(&work->stop, __ATOMIC_SEQ_CST);
}

static int take(struct work *work)
{
    long there = __atomic_load_n(&work->there, __ATOMIC_SEQ_CST);
    while (there > 0)
        if (__atomic_compare_exchange_n(&work->there, &there, there - 1, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
            return 1;
    return 0;
}

static void make_visible(struct work *work)
{
    __atomic_fetch_add(&work->there, 1, __ATOMIC_SEQ_CST);
    (void)twi_wake_one(&house);
}

static void pause_awhile(struct twi_rng *rng, uint32_t most)
{
    for (uint32_t n = twi_rng_below(rng, most); n > 0; n--)
        twi_relax();
}

// Between the last look and going to sleep: long enough for others to make work just then, also
// where they have to share a processor.
static void hesitate(struct twi_rng *rng)
{
    pause_awhile(rng, 400);
    if (twi_rng_below(rng, 4) == 0)
        sched_yield();
}

// As a worker goes to sleep. 0: it is over.
static int sleep_until_called(struct sleeper *s)
{
    __atomic_fetch_add(&s->work->sleeps, 1, __ATOMIC_RELAXED);
    twi_lie_down(&house, s->me, 0);
    if (is_over(s->work))
        return 0;
    if (__atomic_load_n(&s->work->there, __ATOMIC_SEQ_CST) > 0)
        (void)twi_wake_one(&house);
    twi_sleep(&house, s->me, -1);
    return !is_over(s->work);
}

// 0: it is over.
static int find(struct sleeper *s)
{
    twi_search_begin(&house);
    while (!take(s->work)) {
        hesitate(&s->rng);
        if (!sleep_until_called(s))
            return 0;
    }
    (void)twi_search_found(&house);
    return 1;
}

static void *sleeper_main(void *argument)
{
    struct sleeper *s = argument;
    struct work *work = s->work;
    while (find(s)) {
        for (int child = 0; child < 2; child++)
            if (__atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED) < work->deepest)
                make_visible(work);
        pause_awhile(&s->rng, 100);
        __atomic_fetch_add(&work->done, 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

static void sleepers_start(struct sleeper *sleepers, struct work *work)
{
    for (unsigned i = 0; i < SLEEPERS; i++) {
        sleepers[i] = (struct sleeper){.work = work, .me = i, .rng = {i}};
        assert_int_equal(pthread_create(&sleepers[i].thread, NULL, sleeper_main, &sleepers[i]), 0);
    }
}

static void wait_for_done(struct work *work, long wanted)
{
    uint64_t until = patience_until();
    for (long done; (done = __atomic_load_n(&work->done, __ATOMIC_ACQUIRE)) < wanted;)
        patience_yield(until, "pieces to be done", done, wanted);
}

// Everybody asleep, nobody twice: the stack of sleepers holds each of them.
static void wait_for_quiet(void)
{
    uint64_t until = patience_until();
    unsigned seen = 0, count = 0;
    while (count != SLEEPERS) {
        uint64_t now = __atomic_load_n(&house.state, __ATOMIC_SEQ_CST);
        unsigned at = twi_sleeper(now);
        for (seen = count = 0; at && count <= SLEEPERS; count++) {
            seen |= 1u << (at - 1);
            at = __atomic_load_n(&beds[at - 1].next, __ATOMIC_SEQ_CST);
        }
        if (twi_searching(now) || now != __atomic_load_n(&house.state, __ATOMIC_SEQ_CST))
            count = 0;
        patience_yield(until, "sleepers in the stack", count, SLEEPERS);
    }
    assert_int_equal(seen, (1u << SLEEPERS) - 1);
}

static void sleepers_stop(struct sleeper *sleepers, struct work *work)
{
    __atomic_store_n(&work->stop, 1, __ATOMIC_SEQ_CST);
    for (unsigned i = 0; i < SLEEPERS; i++) {
        __atomic_store_n(&beds[i].called, 1, __ATOMIC_RELEASE);
        twi_futex_wake(&beds[i].called, 1);
    }
    for (unsigned i = 0; i < SLEEPERS; i++)
        pthread_join(sleepers[i].thread, NULL);
    assert_int_equal(work->there, 0);
}

// One call, one sleeper up: the others sleep on.
static void test_sleep_wakes_one_of_many(void **state)
{
    (void)state;
    struct sleeper sleepers[SLEEPERS];
    struct work work = {0};
    sleepers_start(sleepers, &work);
    wait_for_quiet();
    for (int i = 1; i <= 20; i++) {
        long before = __atomic_load_n(&work.sleeps, __ATOMIC_RELAXED);
        make_visible(&work);
        wait_for_done(&work, i);
        wait_for_quiet();
        // The one that found the piece passes the duty to look on to another, no further.
        assert_in_range(__atomic_load_n(&work.sleeps, __ATOMIC_RELAXED) - before, 1, 2);
    }
    sleepers_stop(sleepers, &work);
}

static void test_sleep_stress_pieces_one_by_one(void **state)
{
    (void)state;
    struct sleeper sleepers[SLEEPERS];
    struct work work = {0};
    struct twi_rng rng = {1};
    long pieces = test_scaled(ALONE);
    sleepers_start(sleepers, &work);
    for (long i = 1; i <= pieces; i++) {
        make_visible(&work);
        wait_for_done(&work, i);
        pause_awhile(&rng, 200); // so that they are met in every stage of going to sleep
    }
    wait_for_quiet();
    sleepers_stop(sleepers, &work);
    assert_int_equal(work.done, pieces);
}

static void *producer_main(void *argument)
{
    struct work *work = argument;
    struct twi_rng rng = {7};
    for (int i = 0; i < test_scaled(BURSTS); i++) {
        for (uint32_t n = 0; n < 4; n++)
            make_visible(work);
        pause_awhile(&rng, 3000);
    }
    return NULL;
}

static void test_sleep_stress_bursts_of_several_producers(void **state)
{
    (void)state;
    struct sleeper sleepers[SLEEPERS];
    pthread_t producers[PRODUCERS];
    struct work work = {0};
    long pieces = PRODUCERS * 4L * test_scaled(BURSTS);
    sleepers_start(sleepers, &work);
    for (int i = 0; i < PRODUCERS; i++)
        assert_int_equal(pthread_create(&producers[i], NULL, producer_main, &work), 0);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(producers[i], NULL);
    wait_for_done(&work, pieces);
    wait_for_quiet();
    sleepers_stop(sleepers, &work);
    assert_int_equal(work.done, pieces);
}

static void test_sleep_stress_work_that_makes_work(void **state)
{
    (void)state;
    for (int round = 0; round < test_scaled(100); round++) {
        house_make(NULL);
        struct sleeper sleepers[SLEEPERS];
        struct work work = {.next = 1, .deepest = 1 << TREE >> round % TREE};
        sleepers_start(sleepers, &work);
        make_visible(&work);
        wait_for_done(&work, work.deepest);
        wait_for_quiet();
        sleepers_stop(sleepers, &work);
        assert_int_equal(work.done, work.deepest);
    }
}

#define IN_HOUSE(f) cmocka_unit_test_setup(f, house_make)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_HOUSE(test_sleep_nobody_to_wake),
        IN_HOUSE(test_sleep_newest_is_woken_first),
        IN_HOUSE(test_sleep_last_searcher_that_finds_wakes_another),
        IN_HOUSE(test_sleep_every_change_of_the_stack_leaves_a_trace),
        IN_HOUSE(test_sleep_has_a_bound_when_asked),
        IN_HOUSE(test_sleep_called_before_it_falls_asleep),
        IN_HOUSE(test_sleep_wakes_one_of_many),
        IN_HOUSE(test_sleep_stress_pieces_one_by_one),
        IN_HOUSE(test_sleep_stress_bursts_of_several_producers),
        IN_HOUSE(test_sleep_stress_work_that_makes_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

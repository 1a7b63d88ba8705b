// SPDX-License-Identifier: Apache-2.0
// Mutexes, semaphores and conditions after waits whose time was up: no permit is lost, the mutex is
// free, and those who still wait are served in order.
#include "support.h"

#include <string.h>

#include "base/rng.h"
#include "patience.h"

enum { MS = 1000000, TASKS = 24, ROUNDS = 200, PERMITS = 3 };

static struct tw_options one_worker(void)
{
    struct tw_options options;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.workers = 1;
    return options;
}

static uint64_t soon(struct twi_rng *rng)
{
    return tw_now_ns() + twi_rng_below(rng, 60000);
}

// ---- nothing is lost ----

struct desk {
    struct tw_semaphore permits;
    struct tw_mutex mutex;
    long inside, most, got, late, plain; // `plain`: under the mutex
};

static void use_permit(struct desk *d)
{
    long inside = __atomic_add_fetch(&d->inside, 1, __ATOMIC_ACQ_REL);
    if (inside > PERMITS)
        __atomic_store_n(&d->most, inside, __ATOMIC_RELAXED);
    tw_yield();
    __atomic_sub_fetch(&d->inside, 1, __ATOMIC_ACQ_REL);
    tw_semaphore_release(&d->permits, 1);
}

TW_TASK(acquire_in_time, {
    struct desk *desk;
    uint64_t seed;
})
{
    struct twi_rng rng = {.counter = self.seed};
    for (int i = 0; i < ROUNDS; i++) {
        int error = tw_semaphore_acquire_until(&self.desk->permits, soon(&rng));
        if (!error)
            use_permit(self.desk);
        __atomic_fetch_add(error ? &self.desk->late : &self.desk->got, 1, __ATOMIC_RELAXED);
        if (error && error != TW_ETIMEDOUT)
            tw_fail(error);
    }
}

TW_TASK(lock_in_time, {
    struct desk *desk;
    uint64_t seed;
})
{
    struct twi_rng rng = {.counter = self.seed};
    for (int i = 0; i < ROUNDS; i++) {
        int error = tw_mutex_lock_until(&self.desk->mutex, soon(&rng));
        __atomic_fetch_add(error ? &self.desk->late : &self.desk->got, 1, __ATOMIC_RELAXED);
        if (error && error != TW_ETIMEDOUT)
            tw_fail(error);
        if (error)
            continue;
        self.desk->plain++;
        if (twi_rng_below(&rng, 4) == 0)
            tw_yield();
        tw_mutex_unlock(&self.desk->mutex);
    }
}

TW_TASK(crowd, {
    struct desk *desk;
    int *left;
    uint64_t seed;
})
{
    struct desk *d = self.desk;
    tw_finish {
        for (uint64_t i = 0; i < TASKS; i++)
            if (self.left)
                tw_async(acquire_in_time, .desk = d, .seed = self.seed + i * 1000);
            else
                tw_async(lock_in_time, .desk = d, .seed = self.seed + i * 1000);
    }
    while (self.left && tw_semaphore_try(&d->permits))
        ++*self.left;
    if (!tw_mutex_trylock(&d->mutex))
        tw_fail(3);
    else
        tw_mutex_unlock(&d->mutex);
}

static void desk_init(struct desk *d)
{
    memset(d, 0, sizeof *d);
    tw_semaphore_init(&d->permits, "permits", PERMITS);
    tw_mutex_init(&d->mutex, "mutex");
}

static void test_sync_until_no_permit_is_lost(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(5); i++) {
        struct desk desk;
        int left = 0;
        desk_init(&desk);
        assert_int_equal(tw_run(crowd, .desk = &desk, .left = &left, .seed = (uint64_t)i), 0);
        assert_int_equal(left, PERMITS);
        assert_int_equal(desk.most, 0); // never more than there are
        assert_int_equal(desk.got + desk.late, TASKS * ROUNDS);
        tw_semaphore_destroy(&desk.permits);
    }
}

static void test_sync_until_the_mutex_stays_one(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(5); i++) {
        struct desk desk;
        desk_init(&desk);
        assert_int_equal(tw_run(crowd, .desk = &desk, .left = NULL, .seed = (uint64_t)i), 0);
        assert_int_equal(desk.plain, desk.got);
        assert_int_equal(desk.got + desk.late, TASKS * ROUNDS);
        tw_mutex_destroy(&desk.mutex);
    }
}

// ---- deadlines that have passed, and what is free ----

TW_TASK(hold_mutex, {
    struct tw_mutex *mutex;
    struct tw_semaphore *held, *over;
})
{
    tw_mutex_lock(self.mutex);
    tw_semaphore_release(self.held, 1);
    (void)tw_semaphore_acquire(self.over);
    tw_mutex_unlock(self.mutex);
}

TW_TASK(try_deadlines, { int *error; })
{
    struct tw_mutex mutex = TW_MUTEX_INIT("mutex");
    struct tw_semaphore held = TW_SEMAPHORE_INIT("held", 0), over = TW_SEMAPHORE_INIT("over", 0);
    self.error[0] = tw_mutex_lock_until(&mutex, 0); // it is free, so time does not matter
    tw_mutex_unlock(&mutex);
    self.error[1] = tw_semaphore_acquire_until(&held, 0);
    tw_finish {
        tw_async(hold_mutex, .mutex = &mutex, .held = &held, .over = &over);
        self.error[2] = tw_semaphore_acquire_until(&held, TW_NEVER);
        self.error[3] = tw_mutex_lock_until(&mutex, 0);
        uint64_t begun = tw_now_ns();
        self.error[4] = tw_mutex_lock_until(&mutex, begun + 2 * MS);
        self.error[5] = tw_now_ns() - begun < 2 * MS;
        tw_semaphore_release(&over, 1);
        self.error[6] = tw_mutex_lock_until(&mutex, patience_until());
        tw_mutex_unlock(&mutex);
    }
    tw_mutex_destroy(&mutex);
    tw_semaphore_release(&over, 1);
    self.error[7] = tw_semaphore_acquire_until(&over, 0);
}

static void test_sync_until_a_deadline(void **state)
{
    (void)state;
    static const int expected[8] = {0, TW_ETIMEDOUT, 0, TW_ETIMEDOUT, TW_ETIMEDOUT, 0, 0, 0};
    for (int i = 0; i < test_scaled(20); i++) {
        int error[8];
        assert_int_equal(tw_run(try_deadlines, .error = error), 0);
        for (int k = 0; k < 8; k++)
            assert_int_equal(error[k], expected[k]);
    }
}

// ---- order ----

enum { LINE = 9 };

struct row {
    struct tw_semaphore semaphore;
    struct tw_mutex mutex;
    int next, place[LINE]; // -1: its time was up
};

TW_TASK(stand_in_line, {
    struct row *row;
    int i, by_mutex;
})
{
    struct row *r = self.row;
    uint64_t deadline = self.i % 3 == 1 ? tw_now_ns() + MS : TW_NEVER;
    int error = self.by_mutex ? tw_mutex_lock_until(&r->mutex, deadline)
                              : tw_semaphore_acquire_until(&r->semaphore, deadline);
    r->place[self.i] = error ? -1 : r->next++;
    if (!error && self.by_mutex)
        tw_mutex_unlock(&r->mutex);
}

// With one worker who was started and yielded to has begun to wait.
TW_TASK(serve_in_order, {
    struct row *row;
    int by_mutex;
})
{
    struct row *r = self.row;
    tw_mutex_lock(&r->mutex);
    tw_finish {
        for (int i = 0; i < LINE; i++) {
            tw_async(stand_in_line, .row = r, .i = i, .by_mutex = self.by_mutex);
            tw_yield();
        }
        (void)tw_sleep(5 * MS);
        tw_mutex_unlock(&r->mutex);
        for (int i = 0; i < LINE && !self.by_mutex; i++) {
            tw_semaphore_release(&r->semaphore, 1);
            tw_yield(); // those who were served go on in any order
        }
    }
}

static void test_sync_until_those_left_are_served_in_order(void **state)
{
    (void)state;
    struct tw_options one = one_worker();
    for (int by_mutex = 0; by_mutex < 2; by_mutex++) {
        struct row row = {TW_SEMAPHORE_INIT("row", 0), TW_MUTEX_INIT("row"), 0, {0}};
        assert_int_equal(tw_run_with(&one, serve_in_order, .row = &row, .by_mutex = by_mutex), 0);
        for (int i = 0, next = 0; i < LINE; i++)
            assert_int_equal(row.place[i], i % 3 == 1 ? -1 : next++);
    }
}

// ---- conditions ----

struct shop {
    struct tw_mutex mutex;
    struct tw_condition filled;
    long items, sold, wanted, late;
};

TW_TASK(buy, {
    struct shop *shop;
    uint64_t seed;
})
{
    struct shop *s = self.shop;
    struct twi_rng rng = {.counter = self.seed};
    tw_mutex_lock(&s->mutex);
    while (s->sold < s->wanted) {
        if (s->items) {
            s->items--;
            s->sold++;
            continue;
        }
        int error = tw_condition_wait_until(&s->filled, &s->mutex, soon(&rng));
        s->late += error == TW_ETIMEDOUT; // the mutex is held either way
        if (error && error != TW_ETIMEDOUT)
            tw_fail(error);
    }
    tw_mutex_unlock(&s->mutex);
}

TW_TASK(fill, {
    struct shop *shop;
    long count;
})
{
    for (long i = 0; i < self.count; i++) {
        tw_mutex_lock(&self.shop->mutex);
        self.shop->items++;
        tw_mutex_unlock(&self.shop->mutex);
        if (i % 16 == 0)
            tw_condition_broadcast(&self.shop->filled);
        else
            tw_condition_signal(&self.shop->filled);
        if (i % 8 == 0)
            (void)tw_sleep(20000);
    }
}

TW_TASK(open_shop, { struct shop *shop; })
{
    for (uint64_t i = 0; i < 8; i++)
        tw_async(buy, .shop = self.shop, .seed = i * 77);
    for (int i = 0; i < 4; i++)
        tw_async(fill, .shop = self.shop, .count = self.shop->wanted / 4);
}

static void test_sync_until_conditions_lose_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(5); i++) {
        struct shop shop = {.wanted = 1000};
        tw_mutex_init(&shop.mutex, "shop");
        tw_condition_init(&shop.filled, "filled");
        assert_int_equal(tw_run(open_shop, .shop = &shop), 0);
        assert_int_equal(shop.sold, shop.wanted);
        assert_int_equal(shop.items, 0);
        tw_condition_destroy(&shop.filled);
        tw_mutex_destroy(&shop.mutex);
    }
}

TW_TASK(wait_in_vain, { int *error; })
{
    struct tw_mutex mutex = TW_MUTEX_INIT("mutex");
    struct tw_condition silent = TW_CONDITION_INIT("silent");
    tw_mutex_lock(&mutex);
    uint64_t begun = tw_now_ns();
    self.error[0] = tw_condition_wait_until(&silent, &mutex, begun + 2 * MS);
    self.error[1] = tw_now_ns() - begun < 2 * MS;
    self.error[2] = tw_mutex_trylock(&mutex); // it is held
    self.error[3] = tw_condition_wait_until(&silent, &mutex, 0);
    tw_mutex_unlock(&mutex);
    tw_condition_signal(&silent); // for nobody
    tw_condition_destroy(&silent);
    tw_mutex_destroy(&mutex);
}

static void test_sync_until_a_condition_is_waited_for_in_vain(void **state)
{
    (void)state;
    static const int expected[4] = {TW_ETIMEDOUT, 0, 0, TW_ETIMEDOUT};
    int error[4];
    assert_int_equal(tw_run(wait_in_vain, .error = error), 0);
    for (int k = 0; k < 4; k++)
        assert_int_equal(error[k], expected[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sync_until_no_permit_is_lost),
        cmocka_unit_test(test_sync_until_the_mutex_stays_one),
        cmocka_unit_test(test_sync_until_a_deadline),
        cmocka_unit_test(test_sync_until_those_left_are_served_in_order),
        cmocka_unit_test(test_sync_until_conditions_lose_nothing),
        cmocka_unit_test(test_sync_until_a_condition_is_waited_for_in_vain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

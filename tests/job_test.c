// SPDX-License-Identifier: Apache-2.0
// Jobs of a pool among each other: stolen parts belong to their job, old jobs come first, none is
// kept waiting by tasks that only talk to each other, and urgent tasks are found everywhere.
#include "support.h"

#include <unistd.h>

// ---- stolen parts ----

struct shares {
    int home; // the worker that started the leaves
    int failed;
};

TW_TASK(fail_elsewhere, { struct shares *shares; })
{
    usleep(200);
    if (tw_worker() != self.shares->home && !__atomic_exchange_n(&self.shares->failed, 1, 5))
        tw_fail(42);
}

TW_TASK(start_leaves, { struct shares *shares; })
{
    self.shares->home = tw_worker();
    tw_finish {
        for (int i = 0; i < 30; i++)
            tw_async(fail_elsewhere, .shares = self.shares);
    }
}

TW_TASK(set, { int *to; })
{
    *self.to = 1;
}

static void test_job_a_stolen_part_fails_its_job_alone(void **state)
{
    (void)state;
    struct tw_pool *pool;
    assert_int_equal(tw_pool_start(&pool, NULL), 0);
    for (int i = 0; i < test_scaled(20); i++) {
        struct shares shares = {0, 0};
        struct tw_job job;
        int ran = 0;
        assert_int_equal(tw_submit(pool, &job, start_leaves, .shares = &shares), 0);
        int error = tw_job_wait(&job);
        assert_int_equal(error, shares.failed ? 42 : 0);
        assert_int_equal(tw_submit(pool, &job, set, .to = &ran), 0);
        assert_int_equal(tw_job_wait(&job), 0);
        assert_int_equal(ran, 1);
    }
    assert_int_equal(tw_pool_stop(pool), 0);
}

// ---- order ----

static struct tw_options one_worker(void)
{
    struct tw_options options;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.workers = 1;
    return options;
}

TW_TASK(hold, { int *go; })
{
    while (!__atomic_load_n(self.go, __ATOMIC_ACQUIRE))
        usleep(100);
}

TW_TASK(note, {
    int *next;
    int *place;
})
{
    *self.place = (*self.next)++;
}

static void test_job_the_oldest_comes_first(void **state)
{
    (void)state;
    enum { JOBS = 8 };
    struct tw_pool *pool;
    struct tw_options one = one_worker();
    struct tw_job first, job[JOBS];
    int go = 0, next = 0, place[JOBS];
    assert_int_equal(tw_pool_start(&pool, &one), 0);
    assert_int_equal(tw_submit(pool, &first, hold, .go = &go), 0);
    for (int i = 0; i < JOBS; i++)
        assert_int_equal(tw_submit(pool, &job[i], note, .next = &next, .place = &place[i]), 0);
    __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
    assert_int_equal(tw_pool_stop(pool), 0);
    for (int i = 0; i < JOBS; i++)
        assert_int_equal(place[i], i);
}

// Two tasks that hand a token to each other for ever, until a job ends it.
struct table {
    struct tw_semaphore ping, pong;
    int over;
};

TW_TASK(play, {
    struct table *table;
    struct tw_semaphore *mine, *other;
})
{
    while (!__atomic_load_n(&self.table->over, __ATOMIC_RELAXED)) {
        tw_semaphore_acquire(self.mine);
        tw_semaphore_release(self.other, 1);
    }
}

TW_TASK(play_together, { struct table *table; })
{
    struct table *t = self.table;
    tw_finish {
        tw_async(play, .table = t, .mine = &t->ping, .other = &t->pong);
        tw_async(play, .table = t, .mine = &t->pong, .other = &t->ping);
    }
}

TW_TASK(end_game, { struct table *table; })
{
    __atomic_store_n(&self.table->over, 1, __ATOMIC_RELAXED);
    tw_semaphore_release(&self.table->ping, 2);
    tw_semaphore_release(&self.table->pong, 2);
}

static void test_job_is_not_kept_waiting_by_tasks_that_go_on(void **state)
{
    (void)state;
    struct tw_pool *pool;
    struct tw_options one = one_worker();
    struct tw_job game, end;
    struct table table = {TW_SEMAPHORE_INIT("ping", 1), TW_SEMAPHORE_INIT("pong", 0), 0};
    assert_int_equal(tw_pool_start(&pool, &one), 0);
    assert_int_equal(tw_submit(pool, &game, play_together, .table = &table), 0);
    usleep(2000);
    assert_int_equal(tw_submit(pool, &end, end_game, .table = &table), 0);
    assert_int_equal(tw_job_wait(&end), 0);
    assert_int_equal(tw_job_wait(&game), 0);
    assert_int_equal(tw_pool_stop(pool), 0);
}

// ---- urgent ----

enum { PLODS = 300, PLODS_LATE = 280 };

struct rush {
    int busy, ran, place;
};

TW_TASK(plod, { struct rush *rush; })
{
    usleep(500);
    __atomic_fetch_add(&self.rush->ran, 1, __ATOMIC_RELAXED);
}

static void start_plodding(struct rush *rush)
{
    for (int i = 0; i < PLODS; i++)
        tw_async(plod, .rush = rush);
}

TW_TASK(hurry, { struct rush *rush; })
{
    self.rush->place = __atomic_load_n(&self.rush->ran, __ATOMIC_RELAXED);
}

// The tasks of one worker wait in its bag; another one, which then computes on, starts the urgent.
TW_TASK(fill_bag, { struct rush *rush; })
{
    start_plodding(self.rush);
    __atomic_store_n(&self.rush->busy, 1, __ATOMIC_RELEASE);
}

TW_TASK(start_urgent, { struct rush *rush; })
{
    while (!__atomic_load_n(&self.rush->busy, __ATOMIC_ACQUIRE))
        usleep(100);
    tw_async_urgent(hurry, .rush = self.rush);
    for (uint64_t end = tw_now_ns() + 20000000; tw_now_ns() < end;)
        continue;
}

TW_TASK(rush_hour, { struct rush *rush; })
{
    tw_async(start_urgent, .rush = self.rush);
    tw_async(fill_bag, .rush = self.rush);
}

static void test_job_urgent_tasks_of_others_come_first(void **state)
{
    (void)state;
    struct rush rush = {0, 0, -1};
    assert_int_equal(tw_run(rush_hour, .rush = &rush), 0);
    assert_int_equal(rush.ran, PLODS);
    assert_in_range(rush.place, 0, PLODS_LATE); // far from last, however busy the machine is
}

// ---- pools made by tasks ----

TW_TASK(start_pool, { unsigned *workers; })
{
    struct tw_pool *pool;
    struct tw_stats stats = {.room = 0};
    struct tw_options options;
    if (tw_options_init(&options, NULL, 0))
        return;
    options.workers = 0;
    options.stats = &stats;
    if (tw_pool_start(&pool, &options) == 0 && tw_pool_stop(pool) == 0)
        *self.workers = stats.workers;
}

static void test_job_a_pool_made_by_a_task_is_not_bound_to_its_processor(void **state)
{
    (void)state;
    struct tw_machine machine;
    unsigned workers = 0;
    tw_machine_describe(&machine);
    assert_int_equal(tw_run(start_pool, .workers = &workers), 0);
    assert_int_equal(workers, machine.workers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_job_a_stolen_part_fails_its_job_alone),
        cmocka_unit_test(test_job_the_oldest_comes_first),
        cmocka_unit_test(test_job_is_not_kept_waiting_by_tasks_that_go_on),
        cmocka_unit_test(test_job_urgent_tasks_of_others_come_first),
        cmocka_unit_test(test_job_a_pool_made_by_a_task_is_not_bound_to_its_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// ctest: timeout=240
// Living with others: submitted jobs, pools that come and go, hooks, fork(), signals, priorities.
#include "support.h"

#include "fib.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sanitize.h"

// ---- jobs ----

TW_TASK(fail_late, { int error; })
{
    long out;
    tw_finish {
        tw_async(fib_into, .n = 10, .out = &out);
    }
    tw_fail(self.error);
}

static void test_pool_jobs_and_their_errors(void **state)
{
    (void)state;
    struct tw_pool *pool;
    assert_int_equal(tw_pool_start(&pool, NULL), 0);
    for (int i = 0; i < test_scaled(200); i++) {
        struct tw_job job[4];
        long out[3] = {0, 0, 0};
        for (int k = 0; k < 3; k++)
            assert_int_equal(tw_submit(pool, &job[k], fib_into, .n = 12 + k, .out = &out[k]), 0);
        assert_int_equal(tw_submit(pool, &job[3], fail_late, .error = 33), 0);
        for (int k = 0; k < 3; k++)
            assert_int_equal(tw_job_wait(&job[k]), 0);
        assert_int_equal(tw_job_wait(&job[3]), 33);
        assert_true(tw_job_done(&job[3]));
        assert_string_equal(job[3].outcome.task, "fail_late");
        assert_int_equal(out[0] + out[1] + out[2], 144 + 233 + 377);
    }
    assert_int_equal(tw_pool_stop(pool), 0);
}

enum { THREADS = 4 };

static void *submit_many(void *pool)
{
    for (int i = 0; i < test_scaled(500); i++) {
        struct tw_job job;
        long out = 0;
        if (tw_submit(pool, &job, fib_into, .n = 10, .out = &out) || tw_job_wait(&job) || out != 55)
            abort();
    }
    return NULL;
}

static void test_pool_many_threads_submit(void **state)
{
    (void)state;
    struct tw_pool *pool;
    pthread_t thread[THREADS];
    assert_int_equal(tw_pool_start(&pool, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, submit_many, pool), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(tw_pool_stop(pool), 0);
}

// Tasks of one pool wait for jobs of another, and hold no worker meanwhile: there are more of them
// than workers.
TW_TASK(wait_for_other, {
    struct tw_pool *other;
    long *out;
})
{
    struct tw_job job;
    if (tw_submit(self.other, &job, fib_into, .n = 15, .out = self.out) || tw_job_wait(&job))
        tw_fail(1);
}

TW_TASK(wait_for_others, {
    struct tw_pool *other;
    long *out;
})
{
    for (int i = 0; i < 50; i++)
        tw_async(wait_for_other, .other = self.other, .out = &self.out[i]);
}

static void test_pool_a_task_waits_for_a_job_of_another_pool(void **state)
{
    (void)state;
    struct tw_pool *pool;
    assert_int_equal(tw_pool_start(&pool, NULL), 0);
    for (int i = 0; i < test_scaled(50); i++) {
        long out[50] = {0};
        assert_int_equal(tw_run(wait_for_others, .other = pool, .out = out), 0);
        for (int k = 0; k < 50; k++)
            assert_int_equal(out[k], 610);
    }
    assert_int_equal(tw_pool_stop(pool), 0);
}

TW_TASK(until_cancelled, { int unused; })
{
    while (!tw_cancelled())
        usleep(100);
}

TW_TASK(stop_own_pool, {
    struct tw_pool *pool;
    int *error;
})
{
    *self.error = tw_pool_stop(self.pool);
}

static void test_pool_cancel_and_misuse(void **state)
{
    (void)state;
    struct tw_pool *pool;
    struct tw_job job;
    int error = 0;
    assert_int_equal(tw_pool_start(&pool, NULL), 0);
    assert_int_equal(tw_submit(pool, &job, until_cancelled, .unused = 0), 0);
    tw_job_cancel(&job);
    assert_int_equal(tw_job_wait(&job), TW_ECANCELED);
    assert_int_equal(tw_submit(pool, &job, stop_own_pool, .pool = pool, .error = &error), 0);
    assert_int_equal(tw_job_wait(&job), 0);
    assert_int_equal(error, TW_EINVAL);
    assert_int_equal(tw_submit_task(pool, &job, &tw_type_fib, NULL), TW_EINVAL);
    assert_int_equal(tw_pool_stop(pool), 0);
    struct tw_options bad;
    assert_int_equal(tw_options_init(&bad, NULL, 0), 0);
    bad.workers = TW_WORKERS_MAX + 1;
    assert_int_equal(tw_pool_start(&pool, &bad), TW_EINVAL);
}

// Nobody waits for these; stopping does.
TW_TASK(count_slowly, { int *count; })
{
    usleep(1000);
    __atomic_fetch_add(self.count, 1, __ATOMIC_RELAXED);
}

static void test_pool_stop_waits_for_what_was_submitted(void **state)
{
    (void)state;
    struct tw_pool *pool;
    struct tw_job job[20];
    struct tw_stats stats = {.room = 0};
    struct tw_options options;
    int count = 0;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.stats = &stats;
    assert_int_equal(tw_pool_start(&pool, &options), 0);
    for (int i = 0; i < 20; i++)
        assert_int_equal(tw_submit(pool, &job[i], count_slowly, .count = &count), 0);
    assert_int_equal(tw_pool_stop(pool), 0);
    assert_int_equal(count, 20);
    assert_int_equal(stats.sum.pieces, 20);
}

// Tasks of several runs wait for each other at one mutex.
static struct tw_mutex shared_mutex = TW_MUTEX_INIT("shared");
static long shared_count;

TW_TASK(count_shared, { int unused; })
{
    tw_mutex_lock(&shared_mutex);
    shared_count++;
    tw_mutex_unlock(&shared_mutex);
}

TW_TASK(count_shared_often, { int times; })
{
    for (int i = 0; i < self.times; i++)
        tw_async(count_shared, .unused = 0);
}

static void *run_count_shared(void *times)
{
    for (int i = 0; i < 20; i++)
        if (tw_run(count_shared_often, .times = *(int *)times) != 0)
            return times;
    return NULL;
}

static void test_pool_runs_share_a_mutex(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    int times = test_scaled(500);
    shared_count = 0;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_count_shared, &times), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(thread[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(shared_count, 20 * THREADS * times);
}

// ---- start and stop ----

static long resident_pages(void)
{
    long total, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &total, &resident), 2);
    fclose(file);
    return resident;
}

static void cycle(int i)
{
    long out = 0;
    if (i % 2) {
        assert_int_equal(tw_run(fib_into, .n = 5, .out = &out), 0);
    } else {
        struct tw_pool *pool;
        struct tw_job job;
        assert_int_equal(tw_pool_start(&pool, NULL), 0);
        assert_int_equal(tw_submit(pool, &job, fib_into, .n = 5, .out = &out), 0);
        assert_int_equal(tw_job_wait(&job), 0);
        assert_int_equal(tw_pool_stop(pool), 0);
    }
    assert_int_equal(out, 5);
}

static void test_pool_ten_thousand_cycles_leak_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(1000); i++)
        cycle(i);
    long before = resident_pages();
    for (int i = 0; i < test_scaled(9000); i++)
        cycle(i);
#if !defined(TWI_ASAN) && !defined(TWI_TSAN) // their own memory grows; ASan finds leaks itself
    if (!test_is_emulated())
        assert_in_range(resident_pages(), 0, before + 500);
#else
    (void)before;
#endif
}

// ---- hooks ----

static int started, stopped;

static void on_start(void *context, unsigned worker)
{
    __atomic_fetch_add((int *)context, (int)worker, __ATOMIC_RELAXED);
    __atomic_fetch_add(&started, 1, __ATOMIC_RELAXED);
}

static void on_stop(void *context, unsigned worker)
{
    __atomic_fetch_sub((int *)context, (int)worker, __ATOMIC_RELAXED);
    __atomic_fetch_add(&stopped, 1, __ATOMIC_RELAXED);
}

static void test_pool_hooks_once_for_each_worker(void **state)
{
    (void)state;
    struct tw_options options;
    struct tw_stats stats = {.room = 0};
    int balance = 0;
    long out;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.hooks = (struct tw_hooks){on_start, on_stop, &balance};
    options.stats = &stats;
    started = stopped = 0;
    assert_int_equal(tw_run_with(&options, fib_into, .n = 5, .out = &out), 0);
    assert_int_equal(started, stats.workers);
    assert_int_equal(stopped, stats.workers);
    assert_int_equal(balance, 0);
}

// ---- fork() ----

TW_TASK(fork_and_run, { int *status; })
{
    pid_t child = fork();
    if (child == 0) {
        long out = 0;
        alarm(60);
        _exit(tw_worker() == -1 && tw_run(fib_into, .n = 15, .out = &out) == 0 && out == 610 ? 7
                                                                                             : 1);
    }
    waitpid(child, self.status, 0);
}

static void test_pool_a_forked_child_has_runs_of_its_own(void **state)
{
    (void)state;
#if defined(TWI_ASAN) || defined(TWI_TSAN)
    skip(); // their own locks may be held by a thread that the child does not have
#endif
    if (test_is_emulated())
        skip(); // the emulator's threads do not survive a fork()
    for (int i = 0; i < test_scaled(20); i++) {
        int status = 0;
        assert_int_equal(tw_run(fork_and_run, .status = &status), 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
}

TW_TASK(go_on_in_child, { int unused; })
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        tw_cancel();
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        abort(); // as the child did, so that its message is looked at
}

static void run_go_on_in_child(void)
{
    tw_run(go_on_in_child, .unused = 0);
}

static void test_pool_a_task_that_goes_on_in_a_child_is_told(void **state)
{
    (void)state;
    char text[4096];
    assert_true(test_dies(run_go_on_in_child, text, sizeof text));
    assert_non_null(strstr(text, "outside tw_run"));
}

// ---- signals ----

TW_TASK(look_at_mask, { int *blocked; })
{
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    *self.blocked = sigismember(&mask, SIGTERM) && sigismember(&mask, SIGUSR1) &&
                    !sigismember(&mask, SIGSEGV) && !sigismember(&mask, SIGPROF);
}

static void test_pool_signals_are_for_the_programs_own_threads(void **state)
{
    (void)state;
    struct tw_pool *pool;
    struct tw_job job;
    int blocked = 0;
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    assert_int_equal(tw_pool_start(&pool, NULL), 0);
    assert_int_equal(tw_submit(pool, &job, look_at_mask, .blocked = &blocked), 0);
    assert_int_equal(tw_job_wait(&job), 0);
    assert_int_equal(tw_pool_stop(pool), 0);
    assert_true(blocked);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    assert_int_equal(sigismember(&before, SIGTERM), sigismember(&after, SIGTERM));
}

// ---- priorities ----

struct order {
    int next;
    int place[3];
};

TW_TASK(note_place, {
    struct order *order;
    int who;
})
{
    self.order->place[self.who] = __atomic_fetch_add(&self.order->next, 1, __ATOMIC_RELAXED);
}

static void start_normally(struct order *order)
{
    tw_async(note_place, .order = order, .who = 1);
}

TW_TASK(three_kinds, { struct order *order; })
{
    tw_async_idle(note_place, .order = self.order, .who = 2);
    start_normally(self.order);
    tw_async_urgent(note_place, .order = self.order, .who = 0);
}

static void test_pool_urgent_first_idle_last(void **state)
{
    (void)state;
    struct tw_options one;
    struct order order = {0, {-1, -1, -1}};
    assert_int_equal(tw_options_init(&one, NULL, 0), 0);
    one.workers = 1;
    assert_int_equal(tw_run_with(&one, three_kinds, .order = &order), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(order.place[i], i);
    order.next = 0;
    assert_int_equal(tw_run(three_kinds, .order = &order), 0);
    assert_int_equal(order.next, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool_jobs_and_their_errors),
        cmocka_unit_test(test_pool_many_threads_submit),
        cmocka_unit_test(test_pool_a_task_waits_for_a_job_of_another_pool),
        cmocka_unit_test(test_pool_cancel_and_misuse),
        cmocka_unit_test(test_pool_stop_waits_for_what_was_submitted),
        cmocka_unit_test(test_pool_runs_share_a_mutex),
        cmocka_unit_test(test_pool_ten_thousand_cycles_leak_nothing),
        cmocka_unit_test(test_pool_hooks_once_for_each_worker),
        cmocka_unit_test(test_pool_a_forked_child_has_runs_of_its_own),
        cmocka_unit_test(test_pool_a_task_that_goes_on_in_a_child_is_told),
        cmocka_unit_test(test_pool_signals_are_for_the_programs_own_threads),
        cmocka_unit_test(test_pool_urgent_first_idle_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

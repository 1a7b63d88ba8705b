// SPDX-License-Identifier: Apache-2.0
// A task that waits may go on in another thread. Twill itself never mixes them up: whatever a task
// asks after a wait is answered for the thread that it is in. What belongs to a thread, errno for
// instance, stays there: the program has to read it before the next wait.
#include "support.h"

#include <errno.h>
#include <unistd.h>

#include "base/rng.h"

enum { TASKS = 64, WAITS = 200, WORKERS_MOST = 64 };

struct places {
    pid_t thread[WORKERS_MOST]; // of each worker, by the hook
    long wrong, moved, lost_errno;
    struct tw_semaphore baton;
};

static _Thread_local int worker_here = -1;

// Not inlined: the address of what belongs to a thread must not be kept over a wait.
__attribute__((noinline)) static int own_worker(void)
{
    return worker_here;
}

__attribute__((noinline)) static void set_errno(int number)
{
    errno = number;
}

__attribute__((noinline)) static int get_errno(void)
{
    return errno;
}

static void note_worker(void *context, unsigned worker)
{
    struct places *p = context;
    p->thread[worker] = gettid();
    worker_here = (int)worker;
}

static void forget_worker(void *context, unsigned worker)
{
    (void)context, (void)worker;
    worker_here = -1;
}

TW_TASK(nothing, {})
{
}

static void wait_for_baton(struct places *p, uint64_t deadline_ns)
{
    if (tw_semaphore_acquire_until(&p->baton, deadline_ns) != 0)
        return;
    tw_yield();
    tw_semaphore_release(&p->baton, 1);
}

TW_TASK(wait_somehow, {
    struct places *places;
    struct twi_rng *rng;
})
{
    switch (twi_rng_below(self.rng, 4)) {
    case 0:
        (void)tw_sleep(twi_rng_below(self.rng, 30000));
        break;
    case 1:
        wait_for_baton(self.places, TW_NEVER);
        break;
    case 2:
        wait_for_baton(self.places, tw_now_ns() + 10000);
        break;
    default:
        tw_finish {
            tw_async(nothing);
            tw_yield();
        }
    }
}

static void add(long *to, int one)
{
    if (one)
        __atomic_fetch_add(to, 1, __ATOMIC_RELAXED);
}

TW_TASK(wander, {
    struct places *places;
    uint64_t seed;
})
{
    struct places *p = self.places;
    struct twi_rng rng = {.counter = self.seed};
    for (int i = 0; i < WAITS; i++) {
        pid_t before = gettid();
        set_errno(1000 + i);
        tw_call(wait_somehow, .places = p, .rng = &rng);
        int worker = tw_worker();
        pid_t after = gettid();
        add(&p->wrong, worker < 0 || own_worker() != worker || p->thread[worker] != after);
        add(&p->moved, before != after);
        add(&p->lost_errno, get_errno() != 1000 + i);
    }
}

TW_TASK(wander_all, { struct places *places; })
{
    for (uint64_t i = 0; i < TASKS; i++)
        tw_async(wander, .places = self.places, .seed = i * 1000);
}

static void test_migrate_a_task_knows_its_worker(void **state)
{
    (void)state;
    struct places places = {.wrong = 0};
    struct tw_options options;
    tw_semaphore_init(&places.baton, "baton", 2);
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.hooks = (struct tw_hooks){note_worker, forget_worker, &places};
    assert_in_range(options.workers, 0, WORKERS_MOST);
    assert_int_equal(tw_run_with(&options, wander_all, .places = &places), 0);
    print_message("%ld of %d waits went on in another thread, %ld found another errno\n",
                  places.moved, TASKS * WAITS, places.lost_errno);
    assert_int_equal(places.wrong, 0);
    if (options.workers == 1)
        assert_int_equal(places.moved, 0);
}

// A call that fails after a wait leaves its errno where the task is now.
TW_TASK(fail_here, { long *wrong; })
{
    for (int i = 0; i < WAITS; i++) {
        (void)tw_sleep(1000);
        set_errno(0);
        (void)close(-1);
        add(self.wrong, get_errno() != EBADF);
    }
}

TW_TASK(fail_everywhere, { long *wrong; })
{
    for (int i = 0; i < TASKS; i++)
        tw_async(fail_here, .wrong = self.wrong);
}

static void test_migrate_errno_is_that_of_the_last_call(void **state)
{
    (void)state;
    long wrong = 0;
    assert_int_equal(tw_run(fail_everywhere, .wrong = &wrong), 0);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_migrate_a_task_knows_its_worker),
        cmocka_unit_test(test_migrate_errno_is_that_of_the_last_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Waits that give up, and a list of what waits: a kitchen with one stove, and a guest who does not
// stay for ever.
#include <stdio.h>
#include <stdlib.h>

#include <twill/twill.h>

#ifdef TWILL_SERIAL
int main(void)
{
    return 77; // sequentially nobody would ever come back
}
#else

enum { MILLISECOND = 1000000 };

static struct tw_mutex stove = TW_MUTEX_INIT("stove");
static struct tw_semaphore lit = TW_SEMAPHORE_INIT("lit", 0);
static struct tw_semaphore done = TW_SEMAPHORE_INIT("done", 0);
static struct tw_semaphore plates = TW_SEMAPHORE_INIT("plates", 0);
static struct tw_condition served = TW_CONDITION_INIT("served");
static struct tw_mutex table = TW_MUTEX_INIT("table");

static uint64_t in_ms(uint64_t ms)
{
    return tw_now_ns() + ms * MILLISECOND;
}

static void expect(int got, int wanted, const char *what)
{
    if (got == wanted)
        return;
    printf("%s: %s, not %s\n", what, tw_strerror(got), tw_strerror(wanted));
    exit(1);
}

// Has the stove until told that it is done.
TW_TASK(cook_slowly, { int unused; })
{
    tw_mutex_lock(&stove);
    tw_semaphore_release(&lit, 1);
    tw_semaphore_acquire(&done);
    tw_mutex_unlock(&stove);
}

TW_TASK(ring, { int unused; })
{
    tw_semaphore_release(&done, 1);
}

TW_TASK(cook_if_free, { int unused; })
{
    expect(tw_mutex_lock_until(&stove, in_ms(2)), TW_ETIMEDOUT, "the stove");
    expect(tw_semaphore_acquire_until(&plates, in_ms(2)), TW_ETIMEDOUT, "a plate");
}

TW_TASK(wait_for_food, { int unused; })
{
    tw_mutex_lock(&table);
    expect(tw_condition_wait_until(&served, &table, in_ms(10)), TW_ETIMEDOUT, "the food");
    tw_mutex_unlock(&table);
}

// What waits, listed while the cook has nothing else to do.
static int list_waiting(FILE *list)
{
    int listed;
    while ((listed = tw_dump_tasks(fileno(list))) == 0)
        tw_sleep(MILLISECOND);
    return listed;
}

TW_TASK(evening, { FILE *list; })
{
    int listed = 0;
    tw_finish {
        tw_async_apart(cook_slowly);
        tw_semaphore_acquire(&lit);
        tw_finish {
            tw_async_apart(cook_if_free);
            tw_async_apart(wait_for_food);
            listed = list_waiting(self.list);
        }
        tw_call(ring);
    }
    if (listed < 1)
        tw_fail(1);
    printf("%d tasks waited; the deepest stack was of %zu KiB\n", listed, tw_stack_peak() / 1024);
}

// A thread that does not wait for ever for a job.
static void call_a_taxi(void)
{
    struct tw_pool *pool;
    struct tw_job job, bell;
    expect(tw_pool_start(&pool, NULL), 0, "a pool");
    expect(tw_submit(pool, &job, cook_slowly), 0, "a job");
    expect(tw_job_wait_until(&job, in_ms(1)), TW_ETIMEDOUT, "the taxi");
    expect(tw_submit(pool, &bell, ring), 0, "the bell");
    expect(tw_job_wait(&bell), 0, "the bell's end");
    expect(tw_job_wait(&job), 0, "the job");
    expect(tw_pool_stop(pool), 0, "the end");
}

int main(void)
{
    FILE *list = tmpfile();
    if (!list)
        return 1;
    expect(tw_run(evening, .list = list), 0, "the evening");
    fclose(list);
    call_a_taxi();
    return 0;
}
#endif

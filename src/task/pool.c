// SPDX-License-Identifier: Apache-2.0
// Long-lived pools and what is submitted to them (include/twill/pool.h).
//
// A job has a scope of its own, whose end fills in the outcome and wakes who waits. The job may be
// freed by then: who waits takes the job's lock once more after it has seen `done`, and so comes
// after the last piece's last touch.
//
// [P1] done: the last piece's release; the waiting thread's acquire.
#include <stdlib.h>
#include <string.h>

#include <twill/pool.h>

#include "base/os.h"
#include "sched/attempt.h"
#include "task/task.h"

struct tw_pool {
    struct twi_pool inner; // first
    uint32_t next;         // the worker that the next job is laid before. writers: any thread
};

// A task that waits; on its own stack.
struct waiter {
    struct waiter *next;
    struct tw_fiber *fiber;
    struct twi_pool *pool;
    struct tw_job *job;
};

static struct twi_lock *lock_of(struct tw_job *job)
{
    return (struct twi_lock *)&job->lock;
}

static int is_done(struct tw_job *job)
{
    return TWI_LOAD(&job->done, TWI_ACQUIRE) != 0; // [P1]
}

// ---- the end of a job ----

static void wake_tasks(struct waiter *waiter)
{
    while (waiter) {
        struct waiter *next = waiter->next; // gone once its task runs
        twi_ready_in(waiter->pool, waiter->fiber);
        waiter = next;
    }
}

static void job_over(struct tw_scope *scope)
{
    struct tw_job *job = (struct tw_job *)scope;
    struct twi_pool *pool = &job->pool->inner;
    twi_lock_take(lock_of(job));
    TWI_WRITE(job->outcome, twi_attempt_outcome(pool, &job->attempt));
    struct waiter *waiters = job->waiters;
    TWI_STORE(&job->done, 1u, TWI_RELEASE); // [P1]
    uint32_t *bell = &job->done;            // an address only: waking a stranger harms nobody
    twi_lock_drop(lock_of(job));
    TWI_FETCH_SUB(&pool->attempts.open, 1u, TWI_RELAXED); // hint: more harms nobody
    twi_futex_wake(bell, INT32_MAX);
    wake_tasks(waiters);
    if (twi_scope_done(&pool->root.scope))
        pool->root.over(&pool->root.scope);
}

// ---- submitting ----

static void job_init(struct tw_job *job, struct tw_pool *pool)
{
    memset(job, 0, sizeof *job);
    job->pool = pool;
    job->scope.pending = 1;
    job->over = job_over;
    twi_attempt_init(&job->attempt);
}

// It is done, and has done nothing.
static int refuse(struct tw_job *job, int error)
{
    job->outcome = twi_outcome_none();
    job->outcome.error = error;
    job->done = 1;
    return error;
}

int tw_submit_task(struct tw_pool *pool, struct tw_job *job, const struct tw_task_type *type,
                   const void *args)
{
    job_init(job, pool);
    if (type->result_size)
        return refuse(job, TW_EINVAL);
    struct twi_detached *task = twi_detach(type);
    if (!task)
        return refuse(job, TW_ENOMEM);
    twi_pack(task->slot.payload, args, type->args_size, type->args_align);
    task->slot.scope = &job->scope;
    task->attempt = &job->attempt;
    twi_visit_enter(&pool->inner);
    TWI_FETCH_ADD(&pool->inner.attempts.open, 1u, TWI_RELAXED); // relaxed: the bag's lock brings it
    twi_scope_add(&pool->inner.root.scope);
    uint32_t turn = TWI_FETCH_ADD(&pool->next, 1u, TWI_RELAXED); // relaxed: any worker will do
    twi_bag_append(&pool->inner.workers[turn % pool->inner.count].bag[TWI_NORMAL], task);
    twi_announce_in(&pool->inner);
    twi_visit_leave(&pool->inner);
    return 0;
}

// ---- waiting ----

static void publish_waiter(void *argument)
{
    struct waiter *waiter = argument;
    struct tw_job *job = waiter->job;
    twi_lock_take(lock_of(job));
    int late = is_done(job);
    if (!late) {
        waiter->next = job->waiters;
        job->waiters = waiter;
    }
    twi_lock_drop(lock_of(job));
    if (late)
        twi_ready(waiter->fiber);
}

static void wait_in_task(struct tw_job *job, struct twi_worker *w)
{
    struct waiter waiter = {NULL, w->active, w->pool, job};
    if (!is_done(job))
        twi_park(publish_waiter, &waiter);
}

static void wait_in_thread(struct tw_job *job)
{
    while (!is_done(job))
        twi_futex_wait(&job->done, 0, -1);
}

int tw_job_wait(struct tw_job *job)
{
    struct twi_worker *w = twi_worker_maybe();
    if (w)
        wait_in_task(job, w);
    else
        wait_in_thread(job);
    twi_lock_take(lock_of(job));
    twi_lock_drop(lock_of(job));
    return TWI_READ(job->outcome.error);
}

int tw_job_done(struct tw_job *job)
{
    return is_done(job);
}

void tw_job_cancel(struct tw_job *job)
{
    twi_lock_take(lock_of(job));
    if (!is_done(job))
        twi_attempt_cancel(&job->pool->inner, &job->attempt, TW_ECANCELED);
    twi_lock_drop(lock_of(job));
}

// ---- pools ----

int tw_pool_start(struct tw_pool **made, const struct tw_options *options)
{
    struct tw_options granted;
    int error = options ? 0 : tw_options_init(&granted, NULL, 0);
    if (options)
        granted = *options;
    if (!error)
        error = twi_options_settle(&granted);
    if (error)
        return error;
    struct tw_pool *pool = aligned_alloc(64, sizeof *pool);
    if (!pool)
        return TW_ENOMEM;
    pool->next = 0;
    error = twi_pool_open(&pool->inner, &granted);
    if (error)
        free(pool);
    else
        *made = pool;
    return error;
}

int tw_pool_stop(struct tw_pool *pool)
{
    struct twi_worker *w = twi_worker_maybe();
    if (w && w->pool == &pool->inner)
        return TW_EINVAL;
    twi_pool_close(&pool->inner);
    free(pool);
    return 0;
}

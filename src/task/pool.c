// SPDX-License-Identifier: Apache-2.0
// Long-lived pools and what is submitted to them (include/twill/pool.h).
//
// A job has a scope of its own, whose end fills in the outcome and wakes who waits. The job may be
// freed by then: who waits takes the guard of its line once more after it has seen `done`, and so
// comes after the last piece's last touch.
//
// [P1] done: the last piece's release; the waiting thread's acquire.
#include <stdlib.h>
#include <string.h>

#include <twill/pool.h>

#include "base/os.h"
#include "sched/attempt.h"
#include "sched/wait.h"
#include "task/task.h"

struct tw_pool {
    struct twi_pool inner; // first
    uint32_t next;         // the worker that the next job is laid before. writers: any thread
};

static int is_done(struct tw_job *job)
{
    return TWI_LOAD(&job->done, TWI_ACQUIRE) != 0; // [P1]
}

// ---- the end of a job ----

static void job_over(struct tw_scope *scope)
{
    struct tw_job *job = (struct tw_job *)scope;
    struct twi_pool *pool = &job->pool->inner;
    twi_line_lock(&job->line);
    TWI_WRITE(job->outcome, twi_attempt_outcome(pool, &job->attempt));
    struct twi_waiter *waiter = twi_line_pop_all(&job->line), *next;
    TWI_STORE(&job->done, 1u, TWI_RELEASE); // [P1]
    uint32_t *bell = &job->done;            // an address only: waking a stranger harms nobody
    twi_line_unlock(&job->line);
    TWI_FETCH_SUB(&pool->attempts.open, 1u, TWI_RELAXED); // hint: more harms nobody
    twi_futex_wake(bell, INT32_MAX);
    for (; waiter; waiter = next) {
        next = waiter->next; // gone once its task runs
        twi_ready_anywhere(waiter->fiber);
    }
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

struct job_wait {
    struct twi_wait wait; // first
    struct twi_waiter waiter;
    struct tw_job *job;
};

static int enlist(struct twi_wait *wait)
{
    struct job_wait *this = (struct job_wait *)wait;
    struct tw_job *job = this->job;
    twi_line_lock(&job->line);
    int waits = !is_done(job) && twi_wait_arm(wait);
    if (waits) {
        twi_waiter_init(&this->waiter, wait);
        twi_line_append(&job->line, &this->waiter);
    }
    twi_line_unlock(&job->line);
    return waits;
}

// Nothing but the end of the job ends this wait.
static void publish_waiter(void *argument)
{
    struct job_wait *wait = argument;
    struct tw_fiber *fiber = wait->waiter.fiber;
    struct tw_job *job = wait->job;
    twi_line_lock(&job->line);
    int late = is_done(job);
    if (!late)
        twi_line_append(&job->line, &wait->waiter);
    twi_line_unlock(&job->line);
    if (late)
        twi_ready(fiber);
}

static void wait_in_thread(struct tw_job *job, uint64_t deadline_ns)
{
    while (!is_done(job)) {
        uint64_t now = twi_now_ns();
        if (now >= deadline_ns)
            return;
        twi_futex_wait(&job->done, 0, deadline_ns == TW_NEVER ? -1 : (int64_t)(deadline_ns - now));
    }
}

static int is_inside(const struct tw_job *job, struct twi_worker *w)
{
    const struct tw_attempt *attempt = twi_attempt_current(twi_fiber_of(w->active));
    while (attempt && attempt != &job->attempt)
        attempt = attempt->outer;
    return attempt != NULL;
}

static int job_error(struct tw_job *job)
{
    twi_line_lock(&job->line);
    twi_line_unlock(&job->line);
    return TWI_READ(job->outcome.error);
}

int tw_job_wait(struct tw_job *job)
{
    struct twi_worker *w = twi_worker_maybe();
    if (!w) {
        wait_in_thread(job, TW_NEVER);
    } else if (!is_done(job)) {
        if (is_inside(job, w))
            return TW_EDEADLK;
        struct job_wait wait = {.waiter = {.fiber = w->active}, .job = job};
        twi_park_for("job", job, publish_waiter, &wait);
    }
    return job_error(job);
}

int tw_job_wait_until(struct tw_job *job, uint64_t deadline_ns)
{
    struct twi_worker *w = twi_worker_maybe();
    if (!w) {
        wait_in_thread(job, deadline_ns);
        return is_done(job) ? job_error(job) : TW_ETIMEDOUT;
    }
    if (is_done(job))
        return job_error(job);
    if (is_inside(job, w))
        return TW_EDEADLK;
    struct job_wait wait = {
        .wait = {.what = "job", .on = job, .deadline_ns = deadline_ns, .enlist = enlist},
        .job = job};
    enum twi_waits how = twi_wait_for(&wait.wait);
    if (how == TWI_DONE)
        return job_error(job);
    (void)twi_line_leave(&job->line, &wait.waiter);
    return twi_wait_error(how);
}

int tw_job_done(struct tw_job *job)
{
    return is_done(job);
}

void tw_job_cancel(struct tw_job *job)
{
    twi_line_lock(&job->line);
    if (!is_done(job))
        twi_attempt_cancel(&job->pool->inner, &job->attempt, TW_ECANCELED);
    twi_line_unlock(&job->line);
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

// SPDX-License-Identifier: Apache-2.0
// Jobs and visitors (the real src/task/pool.c): who waits for a job sees its outcome, and neither
// the job nor a pool is touched any more once it may be freed.
#include <sched.h>
#define sched_yield() ((void)0)

#include "fibers.h"

#include "sched/attempt.c"
#include "task/pool.c"

#include "internal.h" // mc.running: which thread calls

enum { FREED = 77, ERROR = 5 };

static struct tw_pool pool;
static struct tw_job job;
static uint32_t visible; // stands for what a visitor makes visible
static uint32_t memory;  // of the pool: plain

// ---- what the real code calls ----

struct twi_worker *twi_worker_maybe(void)
{
    return NULL;
}

struct twi_worker *twi_worker_here(void)
{
    return NULL;
}

static void not_here(void)
{
    model_assert_failed("not reached", __FILE__, __LINE__, "a stub was called");
}

void twi_ready(struct tw_fiber *fiber)
{
    (void)fiber;
    not_here();
}

void twi_ready_anywhere(struct tw_fiber *fiber)
{
    (void)fiber;
    not_here();
}

void twi_park_for(const char *what, const void *on, void (*publish)(void *), void *argument)
{
    (void)what, (void)on, (void)publish, (void)argument;
    not_here();
}

enum twi_waits twi_wait_for(struct twi_wait *wait)
{
    (void)wait;
    not_here();
    return TWI_DONE;
}

int twi_wait_error(enum twi_waits how)
{
    return (int)how;
}

void twi_waits_cancel(struct twi_pool *of)
{
    (void)of;
}

uint64_t twi_now_ns(void)
{
    return 0;
}

void twi_announce_in(struct twi_pool *in)
{
    (void)in;
    TWI_WRITE(memory, 1);
}

struct twi_detached *twi_detach(const struct tw_task_type *type)
{
    (void)type;
    return NULL;
}

struct twi_fiber *twi_fiber_of_slot(const struct twi_arena *arena, const struct tw_slot *slot)
{
    (void)arena, (void)slot;
    return NULL;
}

int twi_options_settle(struct tw_options *options)
{
    (void)options;
    return 0;
}

int tw_options_init(struct tw_options *options, char *message, size_t size)
{
    (void)options, (void)message, (void)size;
    return 0;
}

int twi_pool_open(struct twi_pool *opened, const struct tw_options *options)
{
    (void)opened, (void)options;
    return 0;
}

void twi_pool_close(struct twi_pool *closed)
{
    (void)closed;
}

void twi_pool_stop(struct twi_pool *stopped)
{
    (void)stopped;
}

void *tw_spill(const void *args, size_t size, size_t align)
{
    (void)args, (void)size, (void)align;
    return NULL;
}

void tw_spill_free(void *spilled)
{
    (void)spilled;
}

// ---- programs ----

static void setup(void)
{
    memset(&pool, 0, sizeof pool);
    job_init(&job, &pool);
    job.attempt.first.error = ERROR;
    pool.inner.root.scope.pending = 2;
    visible = memory = 0;
    model_name(&job.done, "done");
    model_name(&job.line.guard, "lock");
    model_name(&job.outcome, "outcome");
    model_name(&pool.inner.visitors, "visitors");
    model_name(&visible, "visible");
    model_name(&memory, "memory");
}

static void wait_and_free(int id)
{
    if (id == 0) {
        job_over(&job.scope);
        return;
    }
    model_assert(tw_job_wait(&job) == ERROR, "the outcome is not there");
    TWI_STORE(&job.line.guard, (uint32_t)FREED, TWI_RELAXED);
    TWI_STORE(&job.done, (uint32_t)FREED, TWI_RELAXED);
}

static void check_job(void)
{
    model_assert(job.line.guard == FREED && job.done == FREED,
                 "a job was touched that had been freed");
}

static void visit_and_free(int id)
{
    if (id == 0) {
        twi_visit_enter(&pool.inner);
        TWI_STORE(&visible, 1u, TWI_RELEASE);
        twi_announce_in(&pool.inner);
        twi_visit_leave(&pool.inner);
        return;
    }
    while (!TWI_LOAD(&visible, TWI_ACQUIRE))
        TWI_PAUSE();
    twi_visits_await(&pool.inner);
    TWI_WRITE(memory, FREED);
}

static void check_pool(void)
{
    model_assert(memory == FREED, "a pool was touched that had been freed");
}

#define PROGRAM(test, after)                                                                       \
    {                                                                                              \
        .name = #test, .threads = 2, .setup = setup, .thread = test, .check = after,               \
        .ghost = &ghost, .ghost_size = sizeof ghost,                                               \
    }

static const struct model_program programs[] = {
    PROGRAM(wait_and_free, check_job),
    PROGRAM(visit_and_free, check_pool),
};

int main(int argc, char **argv)
{
    return model_main(programs, sizeof programs / sizeof *programs, argc, argv);
}

// SPDX-License-Identifier: Apache-2.0
// Futures (include/twill/wait.h).
//
// Who waits is in a list under the future's guard, a lock held for a few instructions and never
// across a switch. Setting takes the whole list and drops the guard before it wakes anyone: nothing
// of the future is touched after that, for who is woken may free it. Who finds the future set
// without having waited may come while the guard is still held, and so takes it once more.
//
// Edges:
//  [F1] state release/acquire: see wait.h.
#include <stdlib.h>
#include <string.h>

#include <twill/wait.h>

#include "task/task.h"

// Something that waits: a fiber, on its stack, or a task on the heap.
struct twi_awaiting {
    struct twi_awaiting *next;
    void (*wake)(struct twi_awaiting *self);
    struct twi_pool *pool;
};

static struct twi_lock *guard_of(struct tw_future *f)
{
    return (struct twi_lock *)&f->guard;
}

static int is_set(struct tw_future *f)
{
    return TWI_LOAD(&f->state, TWI_ACQUIRE) == TWI_FUTURE_SET; // [F1]
}

// 1: it is in the list; 0: the future is set.
static int enlist(struct tw_future *f, struct twi_awaiting *waiter)
{
    TWI_WRITE(waiter->next, (struct twi_awaiting *)NULL);
    twi_lock_take(guard_of(f));
    int waits = !is_set(f);
    if (waits) {
        struct twi_awaiting *last = TWI_READ(f->last);
        if (last)
            TWI_WRITE(last->next, waiter);
        else
            TWI_WRITE(f->first, waiter);
        TWI_WRITE(f->last, waiter);
    }
    twi_lock_drop(guard_of(f));
    return waits;
}

// ---- setting ----

int tw_future_claim(struct tw_future *f)
{
    uint32_t state = 0;
    return TWI_CAS(&f->state, &state, (uint32_t)TWI_FUTURE_CLAIMED, TWI_RELAXED, // [F1] is later
                   TWI_RELAXED)
               ? 0
               : TW_EALREADY;
}

void tw_future_set(struct tw_future *f, int error)
{
    TWI_WRITE(f->error, error);
    twi_lock_take(guard_of(f));
    struct twi_awaiting *waiter = TWI_READ(f->first);
    TWI_STORE(&f->state, (uint32_t)TWI_FUTURE_SET, TWI_RELEASE); // [F1]
    twi_lock_drop(guard_of(f));
    while (waiter) {
        struct twi_awaiting *next = TWI_READ(waiter->next); // gone once it is woken
        TWI_READ(waiter->wake)(waiter);
        waiter = next;
    }
}

// ---- a fiber waits ----

struct fiber_waits {
    struct twi_awaiting awaiting; // first
    struct tw_fiber *fiber;
    struct tw_future *future;
};

static void wake_fiber(struct twi_awaiting *self)
{
    twi_ready_in(TWI_READ(self->pool), TWI_READ(((struct fiber_waits *)self)->fiber));
}

static void publish_waits(void *argument)
{
    struct fiber_waits *waits = argument;
    struct tw_fiber *fiber = TWI_READ(waits->fiber);
    if (!enlist(TWI_READ(waits->future), &waits->awaiting))
        twi_ready(fiber);
}

int tw_future_wait(struct tw_future *f)
{
    struct tw_fiber *fiber = twi_fiber_here(NULL);
    if (!is_set(f)) {
        struct fiber_waits waits;
        TWI_WRITE(waits.awaiting.wake, wake_fiber);
        TWI_WRITE(waits.awaiting.pool, twi_worker_here()->pool);
        TWI_WRITE(waits.fiber, fiber);
        TWI_WRITE(waits.future, f);
        twi_park(publish_waits, &waits);
    }
    twi_lock_take(guard_of(f)); // whoever set it has dropped it
    twi_lock_drop(guard_of(f));
    return TWI_READ(f->error);
}

// ---- a task waits ----

struct task_waits {
    struct twi_awaiting awaiting; // first
    struct twi_detached *task;
    unsigned next, count;
    struct tw_future *futures[];
};

// From any thread: the pool cannot end before the task has run.
static void start_task(struct twi_pool *pool, struct twi_detached *task)
{
    struct twi_worker *w = twi_worker_maybe();
    if (!w || w->pool != pool)
        w = &pool->workers[0];
    twi_visit_enter(pool);
    twi_bag_put(&w->bag[TWI_NORMAL], task);
    twi_announce_in(pool);
    twi_visit_leave(pool);
}

// Waits for one future after the other; starts the task when all are set.
static void task_goes_on(struct twi_awaiting *self)
{
    struct task_waits *waits = (struct task_waits *)self;
    while (waits->next < waits->count)
        if (enlist(waits->futures[waits->next++], self))
            return;
    start_task(self->pool, waits->task);
    free(waits);
}

void tw_task_await(const struct tw_task_type *type, const void *args,
                   struct tw_future *const *futures, unsigned count)
{
    struct tw_fiber *f = twi_fiber_here(NULL);
    struct twi_detached *task = twi_detach_here(f, type);
    struct task_waits *waits = malloc(sizeof *waits + count * sizeof *futures);
    if (!waits)
        tw_misuse("no memory is left for a task", type->name);
    waits->awaiting.wake = task_goes_on;
    waits->awaiting.pool = twi_worker_here()->pool;
    waits->task = task;
    waits->next = 0;
    waits->count = count;
    memcpy(waits->futures, futures, count * sizeof *futures);
    twi_pack(task->slot.payload, args, type->args_size, type->args_align);
    twi_scope_add(f->scope);
    task_goes_on(&waits->awaiting);
}

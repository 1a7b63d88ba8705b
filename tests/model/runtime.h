// SPDX-License-Identifier: Apache-2.0
// The real task.c, join.c and loop.c without a scheduler underneath: a worker and a fiber for each
// thread of the model. A fiber that parks spins until it is readied.
#ifndef MODEL_RUNTIME_H
#define MODEL_RUNTIME_H

#include <sched.h>
#define sched_yield() ((void)0)

#include "fibers.h"

#include "sched/loop.c"
#include "task/join.c"
#include "task/task.c"

#include "internal.h" // mc.running: which thread calls
#include "uncancelled.h"

static struct twi_worker workers[FIBERS];
static uint32_t readied[FIBERS]; // stands for the mailbox

static void runtime_reset(void)
{
    fibers_reset();
    memset(workers, 0, sizeof workers);
    memset(readied, 0, sizeof readied);
    for (int i = 0; i < FIBERS; i++) {
        workers[i].index = (unsigned)i;
        model_name(&readied[i], "readied[%d]", i);
    }
}

// ---- what the real code calls ----

struct twi_worker *twi_worker_here(void)
{
    return &workers[mc.running];
}

struct tw_fiber *tw_fiber_current(void)
{
    return &fibers[mc.running].fiber.deque;
}

void twi_ready(struct tw_fiber *fiber)
{
    int i = 0;
    while (&fibers[i].fiber.deque != fiber)
        i++;
    TWI_STORE(&readied[i], 1u, TWI_RELEASE);
}

void twi_park(void (*publish)(void *), void *argument)
{
    uint32_t *mine = &readied[mc.running];
    (void)twi_deque_share_all(tw_fiber_current());
    publish(argument);
    while (!TWI_LOAD(mine, TWI_ACQUIRE))
        TWI_PAUSE();
    TWI_STORE(mine, 0u, TWI_RELAXED);
}

void twi_park_for(const char *what, const void *on, void (*publish)(void *), void *argument)
{
    (void)what, (void)on;
    twi_park(publish, argument);
}

void twi_give_way(struct twi_worker *worker)
{
    (void)worker;
}

void twi_announce(struct twi_worker *worker)
{
    (void)worker;
}

static void not_here(const char *what)
{
    model_assert_failed("not reached", __FILE__, __LINE__, "%s", what);
}

void tw_misuse(const char *what, const char *task)
{
    not_here(what);
    __builtin_unreachable();
    (void)task;
}

void twi_park_behind(struct twi_detached *piece)
{
    (void)piece;
    not_here("no slot is left");
}

struct twi_found twi_find(struct twi_worker *worker)
{
    (void)worker;
    return (struct twi_found){NULL, NULL, NULL};
}

void twi_pool_stop(struct twi_pool *pool)
{
    (void)pool;
    not_here("a scope without a fiber");
}

void twi_count_spawned(struct twi_worker *worker, struct twi_fiber *fiber)
{
    (void)worker, (void)fiber;
}

void twi_activate(struct twi_worker *worker, struct twi_fiber *fiber)
{
    (void)worker, (void)fiber;
}

void twi_switch(struct twi_worker *worker, struct twi_fiber *self, struct twi_fiber *next)
{
    (void)worker, (void)self, (void)next;
}

void twi_arrive(struct twi_fiber *self)
{
    (void)self;
}

struct twi_fiber *twi_idle_take(struct twi_worker *worker)
{
    (void)worker;
    return NULL;
}

void twi_idle_give(struct twi_worker *worker, struct twi_fiber *fiber)
{
    (void)worker, (void)fiber;
}

void twi_context_switch(struct twi_context *from, const struct twi_context *to)
{
    (void)from, (void)to;
}

#endif

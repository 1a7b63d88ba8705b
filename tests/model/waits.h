// SPDX-License-Identifier: Apache-2.0
// The real sched/wait.c without a scheduler underneath: a fiber and a worker for each thread. A
// fiber that parks spins until it is readied. Alarms are not kept: a thread that stands for time
// decides a wait as a ringing alarm would.
#ifndef MODEL_WAITS_H
#define MODEL_WAITS_H

#include <sched.h>
#define sched_yield() TWI_PAUSE()

#include "fibers.h"

#include "sched/wait.c"

#include "internal.h" // mc.running: which thread calls

static struct twi_pool wait_pool;
static struct twi_worker workers[FIBERS];
static uint32_t readied[FIBERS]; // stands for the mailbox
static unsigned parks[FIBERS];   // of each thread
static uint32_t cancelled;       // what all tasks are inside of was
static uint32_t alarm_is_set;    // fiber 0's

enum { PARKED = 100 };

static void waits_reset(void)
{
    fibers_reset();
    memset(&wait_pool, 0, sizeof wait_pool);
    memset(workers, 0, sizeof workers);
    memset(readied, 0, sizeof readied);
    memset(parks, 0, sizeof parks);
    cancelled = 0;
    alarm_is_set = 0;
    model_name(&alarm_is_set, "alarm");
    wait_pool.membarrier = 1;
    model_name(&cancelled, "cancelled");
    model_name(&wait_pool.attempts.cancels, "cancels");
    for (int i = 0; i < FIBERS; i++) {
        workers[i].pool = &wait_pool;
        workers[i].active = &fibers[i].fiber.deque;
        fibers[i].fiber.pool = &wait_pool;
        model_name(&readied[i], "readied[%d]", i);
        model_name(&fibers[i].fiber.waits, "waits[%d]", i);
    }
}

// ---- what the real code calls ----

struct twi_worker *twi_worker_here(void)
{
    return &workers[mc.running];
}

struct twi_worker *twi_worker_maybe(void)
{
    return &workers[mc.running];
}

struct tw_fiber *tw_fiber_current(void)
{
    return &fibers[mc.running].fiber.deque;
}

uint64_t twi_now_ns(void)
{
    return 1;
}

uint64_t twi_now_roughly_ns(void)
{
    return 0;
}

uint64_t tw_now_ns(void)
{
    return 1;
}

void twi_ready(struct tw_fiber *fiber)
{
    int i = 0;
    while (&fibers[i].fiber.deque != fiber)
        i++;
    model_assert(TWI_LOAD(&readied[i], TWI_RELAXED) == 0, "a fiber was readied twice");
    TWI_STORE(&readied[i], 1u, TWI_RELEASE);
}

void twi_ready_anywhere(struct tw_fiber *fiber)
{
    twi_ready(fiber);
}

void twi_ready_chain(struct twi_pool *pool, const struct twi_chain *chain)
{
    (void)pool, (void)chain;
}

// Once it is published a task goes on in the same way, however that came.
void twi_park(void (*publish)(void *), void *argument)
{
    uint32_t *mine = &readied[mc.running];
    publish(argument);
    model_forget(PARKED + parks[mc.running]++);
    while (!TWI_LOAD(mine, TWI_ACQUIRE))
        TWI_PAUSE();
    TWI_STORE(mine, 0u, TWI_RELAXED);
}

void twi_park_for(const char *what, const void *on, void (*publish)(void *), void *argument)
{
    (void)what, (void)on;
    twi_park(publish, argument);
}

int twi_pool_cancelled(struct twi_pool *pool, const struct tw_attempt *attempt)
{
    (void)pool, (void)attempt;
    return TWI_LOAD(&cancelled, TWI_ACQUIRE) != 0;
}

void twi_attempt_cancel(struct twi_pool *pool, struct tw_attempt *attempt, int error)
{
    (void)pool, (void)attempt, (void)error;
}

size_t twi_arena_made(struct twi_arena *arena)
{
    (void)arena;
    return 2;
}

struct twi_fiber *twi_arena_fiber(struct twi_arena *arena, size_t n)
{
    (void)arena;
    return &fibers[n].fiber;
}

int twi_alarms_reserve(struct twi_alarms *alarms)
{
    (void)alarms;
    return 0;
}

void twi_alarm_set(struct twi_alarms *alarms, struct tw_alarm *alarm)
{
    (void)alarms, (void)alarm;
    TWI_STORE(&alarm_is_set, 1u, TWI_RELEASE);
}

int twi_alarm_take_back(struct tw_alarm *alarm)
{
    (void)alarm;
    return 0;
}

struct tw_alarm *twi_alarms_pop_due(struct twi_alarms *alarms, uint64_t now_ns)
{
    (void)alarms, (void)now_ns;
    return NULL;
}

void twi_watch_begin(struct twi_worker *worker)
{
    (void)worker;
}

void tw_misuse(const char *what, const char *task)
{
    model_assert_failed("tw_misuse", __FILE__, __LINE__, "%s %s", what, task);
    __builtin_unreachable();
}

// ---- what threads of a program do ----

// As sched/attempt.c does it.
static void cancel_all_waits(void)
{
    TWI_STORE(&cancelled, 1u, TWI_RELEASE);
    TWI_FETCH_ADD(&wait_pool.attempts.cancels, 1u, TWI_SEQ_CST);
    twi_membarrier(); // as sched/attempt.c
    twi_waits_cancel(&wait_pool);
}

// The alarm of fiber 0's first wait rings.
static void ring_first_wait(void)
{
    struct twi_fiber *fiber = &fibers[0].fiber;
    uint64_t ticket = TWI_WAITS_MASK + 1;
    if (twi_waits_decide(&fiber->waits, ticket, TWI_LATE) == TWI_DECIDED)
        twi_ready(&fiber->deque);
}

static void ring_when_set(void)
{
    while (!TWI_LOAD(&alarm_is_set, TWI_ACQUIRE))
        TWI_PAUSE();
    ring_first_wait();
}

#endif

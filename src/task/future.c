// SPDX-License-Identifier: Apache-2.0
// Futures (include/twill/wait.h).
//
// Who waits stands in the future's line. Setting takes all out and drops the guard before it wakes
// anyone: nothing of the future is touched after that, for who is woken may free it. Who finds the
// future set without having waited may come while the guard is still held, and so takes it once
// more.
//
// Edges:
//  [F1] state release/acquire: see wait.h.
#include <stdlib.h>

#include <twill/wait.h>

#include "core/line.h"
#include "sched/wait.h"
#include "task/pending.h"
#include "task/task.h"

static int is_set(struct tw_future *f)
{
    return TWI_LOAD(&f->state, TWI_ACQUIRE) == TWI_FUTURE_SET; // [F1]
}

// ---- setting ----

int tw_future_claim(struct tw_future *f)
{
    uint32_t state = 0;
    if (!TWI_CAS(&f->state, &state, (uint32_t)TWI_FUTURE_CLAIMED, TWI_RELAXED, // [F1] is later
                 TWI_RELAXED))
        return TW_EALREADY;
    TWI_STORE(&f->claimer, tw_fiber_current(), TWI_RELAXED); // relaxed: for the claimer itself
    return 0;
}

void tw_future_set(struct tw_future *f, int error)
{
    TWI_WRITE(f->error, error);
    twi_line_lock(&f->line);
    struct twi_waiter *waiter = twi_line_pop_all(&f->line), *next;
    TWI_STORE(&f->state, (uint32_t)TWI_FUTURE_SET, TWI_RELEASE); // [F1]
    twi_line_unlock(&f->line);
    for (; waiter; waiter = next) {
        next = TWI_READ(waiter->next); // gone once it is woken
        struct tw_fiber *fiber = TWI_READ(waiter->fiber);
        if (fiber)
            twi_ready_anywhere(fiber);
        else
            twi_pended_goes_on(waiter);
    }
}

// ---- a fiber waits ----

struct future_wait {
    struct twi_wait wait; // first
    struct twi_waiter waiter;
    struct tw_future *future;
};

static int enlist(struct twi_wait *wait)
{
    struct future_wait *this = (struct future_wait *)wait;
    struct tw_future *f = this->future;
    twi_line_lock(&f->line);
    int waits = !is_set(f) && twi_wait_arm(wait);
    if (waits) {
        twi_waiter_init(&this->waiter, wait);
        twi_line_append(&f->line, &this->waiter);
    }
    twi_line_unlock(&f->line);
    return waits;
}

// Only the claimer itself can find its own name there.
static int waits_for_itself(struct tw_future *f)
{
    return TWI_LOAD(&f->state, TWI_RELAXED) == TWI_FUTURE_CLAIMED &&   // rechecked by [F1]
           TWI_LOAD(&f->claimer, TWI_RELAXED) == twi_fiber_here(NULL); // relaxed: one's own
}

// Field by field: to clear all of it costs more than to wait.
static int park_for(struct tw_future *f, uint64_t deadline_ns)
{
    struct future_wait wait;
    wait.wait.what = "future";
    wait.wait.on = f;
    wait.wait.deadline_ns = deadline_ns;
    wait.wait.enlist = enlist;
    wait.wait.outside = 0;
    TWI_WRITE(wait.waiter.line, (struct tw_line *)NULL);
    wait.future = f;
    enum twi_waits how = twi_wait_for(&wait.wait);
    if (how == TWI_DONE)
        return TWI_READ(f->error);
    (void)twi_line_leave(&f->line, &wait.waiter);
    return twi_wait_error(how);
}

int tw_future_wait_until(struct tw_future *f, uint64_t deadline_ns)
{
    if (!is_set(f))
        return waits_for_itself(f) ? (int)TW_EDEADLK : park_for(f, deadline_ns);
    twi_line_lock(&f->line); // whoever set it has dropped it
    twi_line_unlock(&f->line);
    return TWI_READ(f->error);
}

int tw_future_wait(struct tw_future *f)
{
    (void)twi_fiber_here(NULL);
    return tw_future_wait_until(f, TW_NEVER);
}

int tw_await_all(struct tw_future *const *futures, unsigned count, uint64_t deadline_ns)
{
    int first = 0;
    for (unsigned i = 0; i < count; i++) {
        int error = tw_future_wait_until(futures[i], deadline_ns);
        if (error == TW_ETIMEDOUT || error == TW_ECANCELED || error == TW_EDEADLK)
            return error;
        if (!first)
            first = error;
    }
    return first;
}

// ---- waiting for one of several ----

enum { FEW = 8 }; // for which the stack has room

struct any_wait {
    struct twi_wait wait; // first
    struct tw_future *const *futures;
    struct twi_waiter *waiters;
    unsigned count;
};

// Those before it may decide the wait while it enters the next line.
static int enlist_all(struct twi_wait *wait)
{
    struct any_wait *this = (struct any_wait *)wait;
    for (unsigned i = 0; i < this->count; i++) {
        struct tw_future *f = this->futures[i];
        twi_line_lock(&f->line);
        int set = is_set(f);
        if (!set) {
            twi_waiter_init(&this->waiters[i], wait);
            twi_line_append(&f->line, &this->waiters[i]);
        }
        twi_line_unlock(&f->line);
        if (set)
            return 0;
    }
    return twi_waits_arm(&twi_fiber_of(wait->fiber)->waits, wait->ticket);
}

static int first_set(struct tw_future *const *futures, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (is_set(futures[i])) {
            twi_line_lock(&futures[i]->line); // whoever set it has dropped it
            twi_line_unlock(&futures[i]->line);
            return (int)i;
        }
    return -1;
}

int tw_await_any(struct tw_future *const *futures, unsigned count, uint64_t deadline_ns)
{
    (void)twi_fiber_here(NULL);
    if (count == 0)
        return TW_EINVAL;
    int set = first_set(futures, count);
    if (set >= 0)
        return set;
    struct twi_waiter few[FEW] = {{NULL, NULL, NULL, NULL, 0, NULL}}, *waiters = few;
    if (count > FEW && !(waiters = calloc(count, sizeof *waiters)))
        return TW_ENOMEM;
    struct any_wait wait = {.wait = {.what = "any of several futures",
                                     .on = futures,
                                     .deadline_ns = deadline_ns,
                                     .enlist = enlist_all},
                            .futures = futures,
                            .waiters = waiters,
                            .count = count};
    enum twi_waits how = twi_wait_for(&wait.wait);
    for (unsigned i = 0; i < count; i++)
        (void)twi_line_leave(&futures[i]->line, &waiters[i]);
    if (waiters != few)
        free(waiters);
    return how == TWI_DONE ? first_set(futures, count) : twi_wait_error(how);
}

// ---- a task waits ----

// Waits for one future after the other; starts the task when all are set.
void twi_pended_goes_on(struct twi_waiter *waiter)
{
    struct twi_pended *pended = twi_pended_of(waiter);
    while (pended->next < pended->count) {
        struct tw_future *f = pended->futures[pended->next++];
        waiter->ticket = twi_waits_begin(&pended->word);
        twi_line_lock(&f->line);
        int waits = !is_set(f);
        if (waits) {
            twi_line_append(&f->line, waiter);
            twi_waits_arm_alone(&pended->word, waiter->ticket);
        }
        twi_line_unlock(&f->line);
        if (waits)
            return;
    }
    twi_pended_start(pended);
}

void tw_task_await(const struct tw_task_type *type, const void *args,
                   struct tw_future *const *futures, unsigned count)
{
    struct tw_fiber *f = twi_fiber_here(NULL);
    struct twi_pended *pended = twi_pended_make(f, type, args, futures, count);
    if (pended)
        twi_pended_goes_on(&pended->task.waiter);
}

void tw_yield(void)
{
    struct twi_worker *w = twi_worker_maybe();
    if (!w)
        tw_misuse("tw_yield was called outside a task", "");
    twi_yield(w);
}

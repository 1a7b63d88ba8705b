// SPDX-License-Identifier: Apache-2.0
// Parking with a ticket, and what ends it from outside: alarms and cancellation.
#include "sched/wait.h"

#include "core/alarm.h"
#include "core/attempt.h"
#include "sched/attempt.h"
#include "sched/watch.h"

// Attempts that one look at a heap cancels; the rest is for the next.
enum { ATTEMPTS_AT_ONCE = 16 };

// ---- cancelling ----

// Ends the wait of a fiber if what it is inside of was cancelled.
static void cancel_wait(struct twi_pool *pool, struct tw_fiber *fiber)
{
    uint64_t *word = &twi_fiber_of(fiber)->waits;
    uint64_t ticket = twi_waits_hold(word);
    if (!ticket)
        return;
    if (!twi_pool_cancelled(pool, twi_attempt_current(twi_fiber_of(fiber)))) {
        twi_waits_release(word, ticket, TWI_WAITING);
        return;
    }
    twi_waits_release(word, ticket, TWI_CANCELLED);
    twi_ready_anywhere(fiber);
}

// After a membarrier [Y2]; where there is none, who waits has a fence of its own.
void twi_waits_cancel(struct twi_pool *pool)
{
    size_t made = twi_arena_made(&pool->arena);
    for (size_t n = 0; n < made; n++)
        cancel_wait(pool, &twi_arena_fiber(&pool->arena, n)->deque);
    twi_lock_take(&pool->pending.lock);
    void (*cancel_pending)(struct twi_pool *) = pool->pending.cancel;
    twi_lock_drop(&pool->pending.lock);
    if (cancel_pending)
        cancel_pending(pool);
}

// ---- alarms ----

static struct tw_attempt *attempt_of(struct tw_alarm *alarm)
{
    return (struct tw_attempt *)((char *)alarm - offsetof(struct tw_attempt, alarm));
}

static void time_out(struct twi_pool *pool, struct tw_alarm *alarm)
{
    twi_attempt_cancel(pool, attempt_of(alarm), TW_ETIMEDOUT);
    TWI_STORE(&alarm->ringing, 0u, TWI_RELEASE); // [Q2]
}

void twi_alarms_ring(struct twi_pool *pool, struct twi_alarms *alarms, uint64_t now_ns)
{
    struct tw_alarm *attempts[ATTEMPTS_AT_ONCE], *alarm;
    unsigned count = 0;
    struct twi_chain ready = {NULL, NULL};
    if (!twi_lock_try(&alarms->lock))
        return; // someone is at it
    while (count < ATTEMPTS_AT_ONCE && (alarm = twi_alarms_pop_due(alarms, now_ns)) != NULL) {
        struct tw_fiber *f = alarm->fiber;
        if (!f) {
            TWI_STORE(&alarm->ringing, 1u, TWI_RELAXED); // relaxed: under the lock
            attempts[count++] = alarm;
        } else if (twi_waits_decide(&twi_fiber_of(f)->waits, alarm->ticket, TWI_LATE) ==
                   TWI_DECIDED) {
            twi_chain_append(&ready, &twi_fiber_of(f)->mail);
        }
    }
    twi_lock_drop(&alarms->lock);
    if (ready.first)
        twi_ready_chain(pool, &ready);
    for (unsigned i = 0; i < count; i++)
        time_out(pool, attempts[i]);
}

int twi_alarm_start(struct tw_alarm *alarm)
{
    struct twi_worker *w = twi_worker_here();
    if (twi_alarms_reserve(&w->alarms) != 0)
        return TW_ENOMEM;
    twi_alarm_set(&w->alarms, alarm);
    twi_watch_begin(w);
    return 0;
}

// ---- waiting ----

static int is_cancelled(struct twi_worker *w)
{
    return twi_pool_cancelled(w->pool, twi_attempt_current(twi_fiber_of(w->active)));
}

static void set_alarm(struct twi_wait *wait)
{
    wait->alarm = (struct tw_alarm){
        .deadline_ns = wait->deadline_ns, .fiber = wait->fiber, .ticket = wait->ticket};
    twi_alarm_set(&twi_worker_here()->alarms, &wait->alarm);
}

// Once it is armed the wait may be over, and `wait` gone.
static void publish(void *argument)
{
    struct twi_wait *wait = argument;
    struct tw_fiber *fiber = wait->fiber;
    struct twi_pool *pool = wait->pool;
    uint64_t ticket = wait->ticket;
    int timed = wait->deadline_ns != TW_NEVER;
    int watched = timed || wait->outside;
    if (timed)
        set_alarm(wait);
    if (!wait->enlist(wait)) {
        (void)twi_waits_decide(&twi_fiber_of(fiber)->waits, ticket, TWI_DONE);
        twi_ready(fiber);
        return;
    }
    if (pool->membarrier)
        TWI_COMPILER_FENCE(); // [Y2] the canceller calls membarrier
    else
        TWI_FENCE(TWI_SEQ_CST);                         // [Y2]
    if (TWI_LOAD(&pool->attempts.cancels, TWI_RELAXED)) // [Y2]
        cancel_wait(pool, fiber);
    if (watched)
        twi_watch_begin(twi_worker_here());
}

enum twi_waits twi_wait_for(struct twi_wait *wait)
{
    struct twi_worker *w = twi_worker_here();
    struct twi_fiber *self = twi_fiber_of(w->active);
    int timed = wait->deadline_ns != TW_NEVER;
    if (is_cancelled(w))
        return TWI_CANCELLED;
    if (timed && wait->deadline_ns <= twi_now_ns())
        return TWI_LATE;
    if (timed && twi_alarms_reserve(&w->alarms) != 0)
        return TWI_RUNNING;
    wait->fiber = &self->deque;
    wait->pool = w->pool;
    wait->ticket = twi_waits_begin(&self->waits);
    twi_says_it_waits(self, wait->what, wait->on, twi_now_roughly_ns());
    twi_park(publish, wait);
    enum twi_waits how = twi_waits_decided(&self->waits);
    twi_says_it_runs(self);
    if (timed && how != TWI_LATE)
        (void)twi_alarm_take_back(&wait->alarm);
    return how;
}

int twi_wait_error(enum twi_waits how)
{
    switch (how) {
    case TWI_DONE:
        return 0;
    case TWI_LATE:
        return TW_ETIMEDOUT;
    case TWI_CANCELLED:
        return TW_ECANCELED;
    case TWI_RUNNING:
    case TWI_ARMING:
    case TWI_WAITING:
    case TWI_HELD:
        break;
    }
    return TW_ENOMEM;
}

// SPDX-License-Identifier: Apache-2.0
// The one way to wait. Waking is in ready.c.
//
// Edges:
//  [A1] active: a fiber that becomes active is stored as active, then reads the dormitory's state,
//       and asks itself if someone sleeps; a worker lying down enters that state, calls membarrier,
//       then reads active and asks there. Forbidden: both miss, for then the fiber's tasks would go
//       unnoticed by the sleeper.
#include "base/os.h"
#include "core/attempt.h"
#include "sched/sched.h"

#include <twill/inline.h>
enum {
    IDLE_KEEP = 64,  // fibers kept by each worker
    IDLE_MOVED = 32, // from and to the pool at once
};

void twi_announce(struct twi_worker *w)
{
    TWI_FENCE(TWI_SEQ_CST); // [W1] what was made visible comes before the look for sleepers
    twi_woke(w, twi_wake_one(&w->pool->dormitory));
}

void twi_announce_in(struct twi_pool *pool)
{
    TWI_FENCE(TWI_SEQ_CST); // [W1]
    (void)twi_wake_one(&pool->dormitory);
}

// ---- idle fibers ----

// Atomic, for a taker of a mailbox may still look at the link of a fiber that was taken before it.
static void mail_link(struct twi_fiber *fiber, struct twi_fiber *next)
{
    TWI_STORE(&fiber->mail.next, next ? &next->mail : NULL, TWI_RELAXED); // relaxed: owner-only
}

static struct twi_fiber *mail_next(struct twi_fiber *fiber)
{
    struct twi_mail *next = TWI_LOAD(&fiber->mail.next, TWI_RELAXED); // relaxed: owner-only
    return next ? twi_fiber_of_mail(next) : NULL;
}

// ---- batches of idle fibers, linked by their first ----

static void batch_push(struct twi_fiber **list, struct twi_fiber *batch)
{
    batch->batch_next = *list;
    *list = batch;
}

static struct twi_fiber *batch_pop(struct twi_fiber **list)
{
    struct twi_fiber *batch = *list;
    if (batch)
        *list = batch->batch_next;
    return batch;
}

// A batch of the pool's, those used last before those that were trimmed. Its fibers may be far
// away: they are not looked at before they are needed.
static void idle_fetch(struct twi_worker *w)
{
    struct twi_pool *pool = w->pool;
    if (TWI_LOAD(&pool->spare_count, TWI_RELAXED) == 0) // hint
        return;
    twi_lock_take(&pool->spare_lock);
    w->idle = batch_pop(pool->spare ? &pool->spare : &pool->trimmed);
    w->idle_count = w->idle ? IDLE_MOVED : 0;
    TWI_STORE(&pool->spare_count, pool->spare_count - (w->idle != NULL), TWI_RELAXED); // hint
    twi_lock_drop(&pool->spare_lock);
}

// The older half of what the worker keeps.
static void idle_return(struct twi_worker *w)
{
    struct twi_pool *pool = w->pool;
    struct twi_fiber *last = w->idle;
    for (int i = 1; i < IDLE_KEEP - IDLE_MOVED; i++)
        last = mail_next(last);
    struct twi_fiber *batch = mail_next(last);
    mail_link(last, NULL);
    w->idle_count -= IDLE_MOVED;
    twi_lock_take(&pool->spare_lock);
    batch_push(&pool->spare, batch);
    TWI_STORE(&pool->spare_count, pool->spare_count + 1, TWI_RELAXED); // hint
    twi_lock_drop(&pool->spare_lock);
}

int twi_idle_trim(struct twi_pool *pool, int now)
{
    twi_lock_take(&pool->spare_lock);
    struct twi_fiber *batch = now ? batch_pop(&pool->spare) : NULL;
    int left = pool->spare != NULL;
    twi_lock_drop(&pool->spare_lock);
    if (!batch)
        return left;
    for (struct twi_fiber *fiber = batch; fiber; fiber = mail_next(fiber))
        twi_fiber_trim(fiber);
    twi_lock_take(&pool->spare_lock);
    batch_push(&pool->trimmed, batch);
    twi_lock_drop(&pool->spare_lock);
    return left;
}

struct twi_fiber *twi_idle_take(struct twi_worker *w)
{
    if (!w->idle)
        idle_fetch(w);
    struct twi_fiber *fiber = w->idle;
    if (fiber) {
        w->idle = mail_next(fiber);
        w->idle_count--;
        if (w->idle)
            twi_fiber_prefetch(w->idle);
        return fiber;
    }
    fiber = twi_fiber_make(&w->pool->arena, twi_loop);
    w->stats.stacks += fiber != NULL;
    if (fiber) {
        fiber->pool = w->pool;
        fiber->deque.checks_locks = w->pool->checks_locks;
    }
    return fiber;
}

void twi_idle_give(struct twi_worker *w, struct twi_fiber *fiber)
{
    if (w->idle_count >= IDLE_KEEP)
        idle_return(w);
    mail_link(fiber, w->idle);
    w->idle = fiber;
    w->idle_count++;
}

// ---- switching ----

// Someone sleeps. A fiber that goes on brings its tasks from one worker's stock to another's active
// fiber: a worker that lies down may have looked at the second before and at the first after. So it
// is called.
static __attribute__((noinline)) void activate_for_sleepers(struct twi_worker *w,
                                                            struct tw_fiber *f)
{
    TWI_STORE(&f->limit, (struct tw_slot *)NULL, TWI_RELAXED); // relaxed: to oneself
    twi_fiber_of(f)->is_asked = 1;
    if (twi_low(TWI_LOAD_OWN(&f->head)) >
        twi_word_ends(TWI_LOAD(&f->word, TWI_RELAXED)).top) // hint
        twi_woke(w, twi_wake_one(&w->pool->dormitory));
}

// A request to share from an earlier time stays: then one push is slow for nothing.
void twi_activate(struct twi_worker *w, struct twi_fiber *fiber)
{
    struct tw_fiber *f = &fiber->deque;
    twi_attention_arrive(f, &w->active, &w->pool->attempts.cancels, w->pool->membarrier); // [A1]
    if (TWI_UNLIKELY(twi_someone_sleeps(&w->pool->dormitory)) &&                          // [A1]
        (!fiber->is_asked || TWI_LOAD_OWN(&f->head) != fiber->slots))
        activate_for_sleepers(w, f);
}

void twi_count_spawned(struct twi_worker *w, struct twi_fiber *fiber)
{
    if (fiber->deque.spawned) {
        w->stats.tasks += fiber->deque.spawned;
        fiber->deque.spawned = 0;
    }
}

void twi_switch(struct twi_worker *w, struct twi_fiber *self, struct twi_fiber *next)
{
    twi_count_spawned(w, self);
    twi_activate(w, next);
    twi_sanitize_leave(&self->sanitize, &next->sanitize);
    twi_context_switch(&self->context, &next->context);
    twi_arrive(self);
}

// Not inlined: the worker must be looked up anew, since the thread may be another one now.
__attribute__((noinline)) void twi_arrive(struct twi_fiber *self)
{
    struct twi_worker *w = twi_worker_here();
    twi_sanitize_enter(&self->sanitize, self->fresh);
    self->fresh = 0;
    if (self->running)
        twi_trace(w->ring, TWI_EVENT_GO_ON, &self->deque, self->running);
    struct twi_after after = w->after;
    w->after.run = NULL;
    if (after.run)
        after.run(after.argument);
}

static struct twi_fiber *idle_need(struct twi_worker *w)
{
    struct twi_fiber *fiber = twi_idle_take(w);
    if (!fiber)
        tw_misuse("no memory is left for another stack: raise the limit on address space or lower "
                  "TWILL_STACK_SIZE",
                  "");
    return fiber;
}

struct twi_fiber *twi_next(struct twi_worker *w)
{
    if (w->resumed + 1 >= TWI_RESUMED_MOST)
        return idle_need(w); // which looks further
    struct twi_fiber *ready = twi_ready_take(w);
    w->resumed += ready != NULL;
    return ready ? ready : idle_need(w);
}

// What is in the deque of a fiber that waits can be taken by all.
static __attribute__((noinline)) void put_in_stock(struct twi_worker *w, struct twi_fiber *self)
{
    if (twi_deque_share_all(&self->deque)) {
        twi_stock_add(&w->stock, self);
        twi_announce(w);
    }
}

static __attribute__((noinline)) void leave_stock(struct twi_fiber *self)
{
    twi_stock_remove(self);
}

void twi_leave_for(struct twi_worker *w, struct twi_fiber *self, struct twi_fiber *next)
{
    self->home = w->index;
    twi_trace(w->ring, TWI_EVENT_PARK, &self->deque, self->running);
    if (TWI_UNLIKELY(TWI_LOAD_OWN(&self->deque.head) != self->slots))
        put_in_stock(w, self);
    twi_switch(w, self, next);
    if (TWI_UNLIKELY(TWI_LOAD(&self->stock, TWI_ACQUIRE) != NULL)) // [K1]
        leave_stock(self);
}

void twi_park(void (*publish)(void *), void *argument)
{
    twi_park_on(twi_worker_here(), publish, argument);
}

void twi_park_for(const char *what, const void *on, void (*publish)(void *), void *argument)
{
    struct twi_fiber *self = twi_fiber_of(twi_worker_here()->active);
    twi_says_it_waits(self, what, on, twi_now_roughly_ns());
    twi_park(publish, argument);
    twi_says_it_runs(self);
}

static void publish_ready(void *fiber)
{
    twi_ready(fiber);
}

void twi_park_behind(struct twi_detached *piece)
{
    struct twi_worker *w = twi_worker_here();
    struct twi_fiber *next = idle_need(w);
    w->stats.overflows++;
    twi_trace(w->ring, TWI_EVENT_OVERFLOW, w->active, NULL);
    w->errand = piece;
    w->after = (struct twi_after){publish_ready, w->active};
    twi_leave_for(w, twi_fiber_of(w->active), next);
}

// ---- giving way ----

static void turns_unlock(void *turns)
{
    twi_lock_drop(&((struct twi_turns *)turns)->lock);
}

static void publish_turn(void *fiber)
{
    struct twi_worker *w = twi_worker_here();
    twi_turns_put(&w->turns, &twi_fiber_of(fiber)->mail);
    twi_announce(w);
}

static int has_tasks_of_its_own(struct twi_fiber *self)
{
    struct tw_fiber *f = &self->deque;
    return twi_low(TWI_LOAD_OWN(&f->head)) >
           twi_word_ends(TWI_LOAD(&f->word, TWI_RELAXED)).top; // hint
}

// Behind what is there, started or not: by way of the loop, which looks everywhere.
static void yield_to_all(struct twi_worker *w, struct twi_fiber *self)
{
    w->resumed = TWI_RESUMED_MOST;
    w->after = (struct twi_after){publish_turn, self};
    twi_leave_for(w, self, idle_need(w));
}

void twi_yield(struct twi_worker *w)
{
    struct twi_fiber *self = twi_fiber_of(w->active);
    if (++w->resumed >= TWI_RESUMED_MOST || has_tasks_of_its_own(self)) {
        yield_to_all(w, self);
        return;
    }
    struct twi_mail *next = twi_turns_swap(&w->turns, &self->mail);
    if (!next) {
        yield_to_all(w, self);
        return;
    }
    self->home = w->index;
    w->after = (struct twi_after){turns_unlock, &w->turns};
    twi_switch(w, self, twi_fiber_of_mail(next));
}

void twi_give_way(struct twi_worker *w)
{
    struct twi_fiber *ready = twi_ready_take(w);
    if (!ready)
        return;
    struct twi_fiber *self = twi_fiber_of(w->active);
    w->after = (struct twi_after){publish_turn, self};
    twi_leave_for(w, self, ready);
}

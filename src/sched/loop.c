// SPDX-License-Identifier: Apache-2.0
// The worker's loop, and how a piece that came from elsewhere is run.
//
// A piece runs under a proxy scope of its own on its new fiber, which waits for all it started;
// then it takes one off the scope it came from. So a count is only ever changed by its own pieces.
// A forked function reports its result as soon as it has returned; if it left tasks behind, whoever
// joins it adopts their proxy (core/scope.h).
#include <stdlib.h>

#include "core/scope.h"
#include "sched/attempt.h"

// Whoever the end of a piece made ready goes on here, at once.
static void hand_over(struct tw_fiber *woken)
{
    struct twi_worker *w = twi_worker_here();
    if (w->handed)
        twi_ready(&w->handed->deque);
    w->handed = twi_fiber_of(woken);
}

static void report(struct tw_scope *scope)
{
    struct tw_fiber *owner = scope->fiber;
    if (!twi_scope_done(scope))
        return;
    if (owner)
        hand_over(owner);
    else
        ((struct twi_root *)scope)->over(scope);
}

static int left_tasks(struct twi_fiber *self, const struct tw_scope *proxy)
{
    return twi_scope_busy(proxy) ||
           twi_word_ends(TWI_LOAD(&self->deque.word, TWI_RELAXED)).top != // relaxed: only thieves
               twi_low(self->slots);                                      // of this fiber raise it
}

static void run_fork(struct twi_fiber *self, struct tw_slot *slot, struct tw_scope *proxy)
{
    slot->type->run(&self->deque, self->slots, slot->payload, slot->payload);
    if (!left_tasks(self, proxy)) {
        self->deque.scope = NULL;
        struct tw_fiber *waiter = twi_fork_finish(slot, NULL);
        if (waiter)
            hand_over(waiter);
        return;
    }
    twi_scope_add(proxy); // taken off by the adoption
    struct tw_fiber *waiter = twi_fork_finish(slot, proxy);
    if (waiter)
        twi_ready(waiter);
    twi_scope_close(proxy, &self->deque);
    report(TWI_READ(proxy->parent));
}

static void drop(const struct twi_found *found)
{
    twi_worker_here()->stats.dropped++;
    twi_slot_drop(found->piece);
    if (twi_detached_forgoes(found->detached))
        found->detached->forgo(found->detached);
}

static void run_async(struct twi_fiber *self, const struct twi_found *found, struct tw_scope *proxy)
{
    struct tw_slot *slot = found->piece;
    struct tw_scope *scope = TWI_READ(slot->scope);
    const struct tw_task_type *type = slot->type;
    if (twi_pool_cancelled(twi_worker_here()->pool, self->inherited))
        drop(found);
    else
        type->run(&self->deque, self->slots, slot->payload, (void *)type);
    twi_scope_close(proxy, &self->deque);
    report(scope);
}

static void dispose(struct twi_detached *task)
{
    struct twi_worker *w = twi_worker_here();
    if (task && twi_detached_is_cell(task))
        twi_cell_give(&w->cells, &w->pool->cells, task);
    else
        free(task);
}

static void run_piece(struct twi_fiber *self, const struct twi_found *found)
{
    struct tw_slot *slot = found->piece;
    int is_fork = slot->type->result_size != 0;
    struct tw_scope proxy;
    self->deque.scope = NULL;
    self->running = slot->type->name;
    TWI_STORE(&self->type, slot->type, TWI_RELAXED); // hint: for who lists what waits
    struct twi_worker *w = twi_worker_here();
    w->stats.pieces++;
    w->stats.tasks++;
    twi_trace(w->ring, TWI_EVENT_START, &self->deque, self->running);
    self->inherited = twi_attempt_of_piece(w->pool, found);
    twi_scope_open(&proxy, &self->deque, self->slots);
    if (is_fork)
        run_fork(self, slot, &proxy);
    else
        run_async(self, found, &proxy);
    twi_trace(twi_worker_here()->ring, TWI_EVENT_STOP, &self->deque, self->running);
    self->running = NULL;
    self->type = NULL;
    self->inherited = NULL;
    if (!is_fork)
        dispose(found->detached);
    twi_deque_reset(&self->deque, self->slots);
}

static void give_back(void *fiber)
{
    twi_idle_give(twi_worker_here(), fiber);
}

// Ends the worker: the thread goes on where it entered.
static void leave(struct twi_worker *w, struct twi_fiber *self)
{
    twi_count_spawned(w, self);
    twi_sanitize_leave(&self->sanitize, &w->thread_sanitize);
    twi_context_switch(&self->context, &w->thread);
}

void twi_loop(void *fiber)
{
    struct twi_fiber *self = fiber;
    twi_arrive(self);
    for (;;) {
        struct twi_worker *w = twi_worker_here();
        struct twi_found found = twi_find(w);
        if (found.piece) {
            run_piece(self, &found);
        } else if (found.fiber) {
            w->after = (struct twi_after){give_back, self};
            twi_switch(w, self, found.fiber);
        } else {
            leave(w, self);
        }
    }
}

void twi_worker_enter(struct twi_worker *w)
{
    struct twi_fiber *first = twi_idle_take(w);
    twi_activate(w, first);
    twi_sanitize_leave(&w->thread_sanitize, &first->sanitize);
    twi_context_switch(&w->thread, &first->context);
    twi_sanitize_enter(&w->thread_sanitize, 0);
}

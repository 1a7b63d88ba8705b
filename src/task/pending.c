// SPDX-License-Identifier: Apache-2.0
#include "task/pending.h"

#include <twill/wait.h>

#include <sched.h>
#include <stdlib.h>
#include <string.h>

static void list_add(struct twi_pended *pended)
{
    struct twi_pending *list = &pended->pool->pending;
    pended->newer = NULL;
    pended->older = list->first;
    if (list->first)
        list->first->newer = pended;
    list->first = pended;
}

static void list_remove(struct twi_pended *pended)
{
    struct twi_pending *list = &pended->pool->pending;
    if (pended->newer)
        pended->newer->older = pended->older;
    else
        list->first = pended->older;
    if (pended->older)
        pended->older->newer = pended->newer;
}

// From any thread: the pool cannot end before the task has run, or was dropped.
static void put_in_bag(struct twi_pended *pended)
{
    struct twi_pool *pool = pended->pool;
    struct twi_worker *w = twi_worker_maybe();
    if (!w || w->pool != pool)
        w = &pool->workers[0];
    twi_visit_enter(pool);
    twi_bag_put(&w->bag[TWI_NORMAL], &pended->task);
    twi_announce_in(pool);
    twi_visit_leave(pool);
}

void twi_pended_start(struct twi_pended *pended)
{
    struct twi_pending *list = &pended->pool->pending;
    twi_waits_release(&pended->word, 0, TWI_DONE);
    twi_lock_take(&list->lock);
    list_remove(pended);
    twi_lock_drop(&list->lock);
    put_in_bag(pended);
}

// ---- cancelling ----

// Under the list's lock. 1: it was taken out, and shall start, to be dropped.
static int give_up(struct twi_pended *pended)
{
    uint64_t ticket;
    while (!(ticket = twi_waits_hold(&pended->word))) {
        uint64_t word = TWI_LOAD(&pended->word, TWI_RELAXED); // rechecked by [Y1]
        if (twi_waits_state(word) != TWI_ARMING && twi_waits_state(word) != TWI_WAITING)
            return 0; // it starts anyway
        sched_yield(); // it enters a line just now
    }
    if (!twi_pool_cancelled(pended->pool, pended->task.attempt)) {
        twi_waits_release(&pended->word, ticket, TWI_WAITING);
        return 0;
    }
    struct tw_future *future = pended->futures[pended->next - 1];
    twi_waits_release(&pended->word, ticket, TWI_CANCELLED);
    (void)twi_line_leave(&future->line, &pended->task.waiter);
    list_remove(pended);
    return 1;
}

static void cancel_all(struct twi_pool *pool)
{
    struct twi_pended *pended, *older, *given_up = NULL;
    twi_lock_take(&pool->pending.lock);
    for (pended = pool->pending.first; pended; pended = older) {
        older = pended->older;
        if (give_up(pended)) {
            pended->newer = given_up;
            given_up = pended;
        }
    }
    twi_lock_drop(&pool->pending.lock);
    for (pended = given_up; pended; pended = older) {
        older = pended->newer;
        put_in_bag(pended);
    }
}

// ---- making ----

static struct twi_pended *allocate(const struct tw_task_type *type, unsigned count)
{
    size_t size = sizeof(struct twi_pended) + count * sizeof(struct tw_future *);
    struct twi_pended *pended = aligned_alloc(_Alignof(struct twi_pended), size);
    if (!pended)
        tw_misuse("no memory is left for a task", type->name);
    memset(pended, 0, sizeof *pended);
    return pended;
}

struct twi_pended *twi_pended_make(struct tw_fiber *f, const struct tw_task_type *type,
                                   const void *args, struct tw_future *const *futures,
                                   unsigned count)
{
    struct twi_pool *pool = twi_worker_here()->pool;
    struct twi_pended *pended = allocate(type, count);
    pended->pool = pool;
    pended->count = count;
    pended->word = TWI_ARMING;
    pended->task.slot.type = type;
    pended->task.slot.scope = f->scope;
    pended->task.attempt = twi_attempt_current(twi_fiber_of(f));
    pended->task.waiter.word = &pended->word;
    memcpy(pended->futures, futures, count * sizeof *futures);
    twi_pack(pended->task.slot.payload, args, type->args_size, type->args_align);
    twi_lock_take(&pool->pending.lock);
    pool->pending.cancel = cancel_all;
    int cancelled = twi_pool_cancelled(pool, pended->task.attempt);
    if (!cancelled)
        list_add(pended);
    twi_lock_drop(&pool->pending.lock);
    if (cancelled) {
        twi_worker_here()->stats.dropped++;
        twi_slot_drop(&pended->task.slot);
        free(pended);
        return NULL;
    }
    twi_scope_add(f->scope);
    return pended;
}

// SPDX-License-Identifier: Apache-2.0
#include "task/pending.h"

#include <twill/wait.h>

#include <sched.h>
#include <stdlib.h>
#include <string.h>

static size_t size_with(unsigned count)
{
    return offsetof(struct twi_pended, futures) + count * sizeof(struct tw_future *);
}

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
    pended->task.waiter.ticket =
        size_with(pended->count) <= TWI_CELL_SIZE ? TWI_OF_A_CELL : TWI_OF_THE_HEAP;
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

enum answer { STAYS, GIVEN_UP, MOVES };

// Under the list's lock. Given up: it was taken out, and shall start, to be dropped. Moves: who has
// set one of its futures is about to let it wait for the next; perhaps after it has had the lock
// for another one, so that it is not waited for here.
static enum answer give_up(struct twi_pended *pended)
{
    uint64_t ticket;
    if (!twi_pool_cancelled(pended->pool, pended->task.attempt))
        return STAYS;
    while (!(ticket = twi_waits_hold(&pended->word))) {
        uint64_t word = TWI_LOAD(&pended->word, TWI_RELAXED); // rechecked by [Y1]
        if (twi_waits_state(word) == TWI_DONE)
            return twi_waits_ticket(word) ? MOVES : STAYS; // or it starts anyway
        sched_yield();                                     // it enters a line just now
    }
    struct tw_future *future = pended->futures[pended->next - 1];
    twi_waits_release(&pended->word, ticket, TWI_CANCELLED);
    (void)twi_line_leave(&future->line, &pended->task.waiter);
    list_remove(pended);
    return GIVEN_UP;
}

// One look at all. 0: some are on the move.
static int cancel_some(struct twi_pool *pool, struct twi_pended **given_up)
{
    struct twi_pended *pended, *older;
    int moving = 0;
    twi_lock_take(&pool->pending.lock);
    for (pended = pool->pending.first; pended; pended = older) {
        older = pended->older;
        enum answer answer = give_up(pended);
        moving |= answer == MOVES;
        if (answer == GIVEN_UP) {
            pended->newer = *given_up;
            *given_up = pended;
        }
    }
    twi_lock_drop(&pool->pending.lock);
    return !moving;
}

static void cancel_all(struct twi_pool *pool)
{
    struct twi_pended *pended, *next, *given_up = NULL;
    while (!cancel_some(pool, &given_up))
        sched_yield();
    for (pended = given_up; pended; pended = next) {
        next = pended->newer;
        put_in_bag(pended);
    }
}

// ---- making ----

static struct twi_pended *allocate(const struct tw_task_type *type, unsigned count)
{
    struct twi_worker *w = twi_worker_here();
    void *pended = NULL;
    if (size_with(count) <= TWI_CELL_SIZE)
        pended = twi_cell_take(&w->cells, &w->pool->cells);
    else if (posix_memalign(&pended, _Alignof(struct twi_pended), size_with(count)) != 0)
        pended = NULL;
    if (!pended)
        tw_misuse("no memory is left for a task", type->name);
    memset(pended, 0, offsetof(struct twi_pended, futures));
    return pended;
}

static void deallocate(struct twi_pended *pended)
{
    struct twi_worker *w = twi_worker_here();
    if (size_with(pended->count) <= TWI_CELL_SIZE)
        twi_cell_give(&w->cells, &w->pool->cells, pended);
    else
        free(pended);
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
        deallocate(pended);
        return NULL;
    }
    twi_scope_add(f->scope);
    return pended;
}

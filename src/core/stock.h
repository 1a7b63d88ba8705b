// SPDX-License-Identifier: Apache-2.0
// The fibers of a worker that wait with tasks in their deques, all of it shared. Any worker may
// take a task from them; the fiber leaves the list when it goes on, or when its deque is found
// empty.
//
// [K1] stock: the release of who takes a fiber off the list; the fiber's acquire when it goes on,
// so that nobody touches its links any more.
#ifndef TWI_STOCK_H
#define TWI_STOCK_H

#include "core/deque.h"
#include "core/fiber.h"

struct twi_stock {
    struct twi_lock lock;
    uint32_t count;          // writer: under the lock; readers: anyone, as a hint or by [W1]
    struct twi_fiber *first; // newest. under the lock
};

static inline void twi_stock_unlink(struct twi_stock *stock, struct twi_fiber *fiber)
{
    struct twi_fiber *next = TWI_READ(fiber->stock_next), *before = TWI_READ(fiber->stock_before);
    if (before)
        TWI_WRITE(before->stock_next, next);
    else
        TWI_WRITE(stock->first, next);
    if (next)
        TWI_WRITE(next->stock_before, before);
    TWI_STORE(&stock->count, stock->count - 1, TWI_RELAXED);         // hint: fewer harms nobody
    TWI_STORE(&fiber->stock, (struct twi_stock *)NULL, TWI_RELEASE); // [K1]
}

static inline void twi_stock_add(struct twi_stock *stock, struct twi_fiber *fiber)
{
    twi_lock_take(&stock->lock);
    struct twi_fiber *first = TWI_READ(stock->first);
    TWI_WRITE(fiber->stock_before, (struct twi_fiber *)NULL);
    TWI_WRITE(fiber->stock_next, first);
    if (first)
        TWI_WRITE(first->stock_before, fiber);
    TWI_WRITE(stock->first, fiber);
    TWI_STORE(&fiber->stock, stock, TWI_RELAXED); // relaxed: read after [M1] or under the lock
    TWI_STORE(&stock->count, stock->count + 1, TWI_SEQ_CST); // [W1]
    twi_lock_drop(&stock->lock);
}

// The fiber goes on. [K1]: a thief may have unlinked it meanwhile.
static inline void twi_stock_remove(struct twi_fiber *fiber)
{
    struct twi_stock *stock = TWI_LOAD(&fiber->stock, TWI_ACQUIRE); // [K1]
    if (!stock)
        return;
    twi_lock_take(&stock->lock);
    if (TWI_LOAD(&fiber->stock, TWI_RELAXED)) // relaxed: under the lock
        twi_stock_unlink(stock, fiber);
    twi_lock_drop(&stock->lock);
}

static inline int twi_stock_empty(struct twi_stock *stock)
{
    return TWI_LOAD(&stock->count, TWI_SEQ_CST) == 0; // [W1]
}

// A task from the newest fiber that has one; NULL also when another worker holds the list.
static inline struct tw_slot *twi_stock_steal(struct twi_stock *stock)
{
    if (TWI_LOAD(&stock->count, TWI_RELAXED) == 0 || !twi_lock_try(&stock->lock)) // hint
        return NULL;
    struct tw_slot *taken = NULL;
    struct twi_fiber *first;
    while (!taken && (first = TWI_READ(stock->first)) != NULL) {
        enum twi_steal answer = twi_deque_steal(&first->deque, &taken);
        if (answer == TWI_STEAL_EMPTY)
            twi_stock_unlink(stock, first);
        else if (answer == TWI_STEAL_LOST)
            break;
    }
    twi_lock_drop(&stock->lock);
    return taken;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Tasks in no fiber's deque: those that a plain function, or a TW_FUNCTION, started for a finish it
// is not inside of. (In the deque they would stand above a caller that keeps its head in a
// register.) Any worker may take one; newest first, but jobs of a pool in their order.
#ifndef TWI_BAG_H
#define TWI_BAG_H

#include <twill/inline.h>

#include "base/lock.h"
#include "core/line.h"

// A slot on the heap.
struct twi_detached {
    struct tw_slot slot;        // first: known by it
    struct twi_detached *next;  // in a bag
    struct tw_attempt *attempt; // the innermost around it
    union {                     // two lines of a cache are enough for all
        // `word` is set: it waits, or has waited, to be put in a bag (task/pending.c), and the
        // ticket says at its end whether it is a cell's.
        struct twi_waiter waiter;
        // `word` is not set: called instead of a run, for what is not the slot's own; or NULL.
        void (*forgo)(struct twi_detached *task);
    };
};

enum { TWI_OF_THE_HEAP, TWI_OF_A_CELL };

static inline int twi_detached_is_cell(const struct twi_detached *task)
{
    return task->waiter.word && task->waiter.ticket == TWI_OF_A_CELL;
}

static inline int twi_detached_forgoes(const struct twi_detached *task)
{
    return task && !task->waiter.word && task->forgo;
}

// Bags of a worker, in the order in which they are looked at. TWI_STOLEN: from another place, and
// may leave again.
enum { TWI_HIGH, TWI_NORMAL, TWI_STOLEN, TWI_LOW, TWI_BAGS };

struct twi_bag {
    struct twi_lock lock;
    uint32_t count;             // writer: under the lock; readers: anyone, as a hint or by [W1]
    struct twi_detached *first; // under the lock, like the next
    struct twi_detached *last;
};

static inline void twi_bag_put(struct twi_bag *bag, struct twi_detached *task)
{
    twi_lock_take(&bag->lock);
    task->next = bag->first;
    bag->first = task;
    if (!task->next)
        bag->last = task;
    TWI_STORE(&bag->count, bag->count + 1, TWI_SEQ_CST); // [W1]
    twi_lock_drop(&bag->lock);
}

// To be taken after all that is there.
static inline void twi_bag_append(struct twi_bag *bag, struct twi_detached *task)
{
    twi_lock_take(&bag->lock);
    task->next = NULL;
    if (bag->first)
        bag->last->next = task;
    else
        bag->first = task;
    bag->last = task;
    TWI_STORE(&bag->count, bag->count + 1, TWI_SEQ_CST); // [W1]
    twi_lock_drop(&bag->lock);
}

static inline struct twi_detached *twi_bag_take(struct twi_bag *bag)
{
    if (TWI_LOAD(&bag->count, TWI_RELAXED) == 0) // hint
        return NULL;
    twi_lock_take(&bag->lock);
    struct twi_detached *task = bag->first;
    if (task) {
        bag->first = task->next;
        TWI_STORE(&bag->count, bag->count - 1, TWI_RELAXED); // hint: fewer harms nobody
    }
    twi_lock_drop(&bag->lock);
    return task;
}

static inline int twi_bag_empty(struct twi_bag *bag)
{
    return TWI_LOAD(&bag->count, TWI_SEQ_CST) == 0; // [W1]
}

#endif

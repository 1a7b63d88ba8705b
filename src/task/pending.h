// SPDX-License-Identifier: Apache-2.0
// Tasks that wait for futures and have no stack yet: a slot on the heap, in one line after the
// other, and in a list of the pool's where a cancellation finds them.
#ifndef TWI_PENDING_H
#define TWI_PENDING_H

#include "task/task.h"

struct twi_pended {
    struct twi_detached task; // first: freed by who runs it
    uint64_t word;            // of its wait (core/wait.h)
    struct twi_pool *pool;
    struct twi_pended *newer, *older; // in the pool's list, under its lock
    unsigned next, count;             // futures it has still to wait for
    struct tw_future *futures[];
};

static inline struct twi_pended *twi_pended_of(struct twi_waiter *waiter)
{
    return (struct twi_pended *)((char *)waiter - offsetof(struct twi_pended, task.waiter));
}

// A task of the innermost scope and attempt, known to the pool. NULL: the attempt is cancelled, and
// there is nothing to start.
struct twi_pended *twi_pended_make(struct tw_fiber *f, const struct tw_task_type *type,
                                   const void *args, struct tw_future *const *futures,
                                   unsigned count);

// All futures are set: the task can start. From any thread.
void twi_pended_start(struct twi_pended *pended);

// One of its futures was set (task/future.c).
void twi_pended_goes_on(struct twi_waiter *waiter);

#endif

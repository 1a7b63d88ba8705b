// SPDX-License-Identifier: Apache-2.0
// In which order mutexes are taken (the setting lock-check).
//
// A graph of all mutexes that were ever locked under the check: an edge from a to b when some task
// waited, or could have waited, for b while it held a. A cycle is a deadlock that may happen, even
// if it did not this time. The graph is the process's, as mutexes are: runs come and go.
//
// Mutexes are known by numbers given out here, not by their addresses, which are used again.
#ifndef TWI_ORDER_H
#define TWI_ORDER_H

#include <twill/sync.h>

// Some task is about to lock `wanted` while it holds `held` and all below it. Ends the program with
// a message when that makes a cycle. Any thread.
void twi_order_add(struct tw_mutex *wanted, struct tw_mutex *held);

// The mutex is used no more.
void twi_order_forget(struct tw_mutex *mutex);

// Around a fork(): nobody is in the middle of either.
void twi_order_hold(void);
void twi_order_release(void);

// The list of mutexes that a fiber holds, newest first. By the fiber.
static inline void twi_held_push(struct tw_mutex **held, struct tw_mutex *mutex)
{
    mutex->below = *held;
    *held = mutex;
}

static inline void twi_held_remove(struct tw_mutex **held, struct tw_mutex *mutex)
{
    while (*held && *held != mutex)
        held = &(*held)->below;
    if (*held)
        *held = mutex->below;
}

#endif

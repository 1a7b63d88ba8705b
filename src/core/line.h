// SPDX-License-Identifier: Apache-2.0
// Lines of waiting fibers, and of tasks that have no stack yet.
//
// A fiber stands in a line with a node on its own stack. It leaves the line in one of two ways: it
// is popped by who gives it what it waits for, or it goes on for another reason and removes itself.
// Both happen under the guard, and who pops also decides the wait there (core/wait.h): so a node
// that was popped and won stays where it is until its fiber is made ready.
#ifndef TWI_LINE_H
#define TWI_LINE_H

#include <twill/line.h>

#include "base/lock.h"
#include "core/fiber.h"
#include "core/wait.h"

struct twi_waiter {
    struct twi_waiter *next, *before; // in the line, under its guard
    struct tw_line *line;             // it stands in, or NULL. likewise
    uint64_t *word;                   // of its wait; NULL: only what it waits for can end it
    uint64_t ticket;
    struct tw_fiber *fiber; // NULL: a task without a stack
};

static inline void twi_line_lock(struct tw_line *line)
{
    twi_lock_take((struct twi_lock *)&line->guard);
}

static inline void twi_line_unlock(struct tw_line *line)
{
    twi_lock_drop((struct twi_lock *)&line->guard);
}

// The next three under the guard.
static inline int twi_line_empty(const struct tw_line *line)
{
    return !TWI_READ(line->first);
}

static inline void twi_line_append(struct tw_line *line, struct twi_waiter *waiter)
{
    struct twi_waiter *last = TWI_READ(line->last);
    TWI_WRITE(waiter->next, (struct twi_waiter *)NULL);
    TWI_WRITE(waiter->before, last);
    TWI_WRITE(waiter->line, line);
    if (last)
        TWI_WRITE(last->next, waiter);
    else
        TWI_WRITE(line->first, waiter);
    TWI_WRITE(line->last, waiter);
}

static inline void twi_line_unlink(struct tw_line *line, struct twi_waiter *waiter)
{
    struct twi_waiter *next = TWI_READ(waiter->next), *before = TWI_READ(waiter->before);
    if (before)
        TWI_WRITE(before->next, next);
    else
        TWI_WRITE(line->first, next);
    if (next)
        TWI_WRITE(next->before, before);
    else
        TWI_WRITE(line->last, before);
    TWI_WRITE(waiter->line, (struct tw_line *)NULL);
}

// Takes out the oldest whose wait is not over, and decides it. NULL: none. *early: it is not to be
// made ready, since it is still being published (only where it stands in several lines).
static inline struct twi_waiter *twi_line_pop(struct tw_line *line, int *early)
{
    struct twi_waiter *waiter;
    while ((waiter = TWI_READ(line->first)) != NULL) {
        twi_line_unlink(line, waiter);
        uint64_t *word = TWI_READ(waiter->word);
        enum twi_decision decision =
            word ? twi_waits_decide(word, TWI_READ(waiter->ticket), TWI_DONE) : TWI_DECIDED;
        *early = decision == TWI_EARLY;
        if (decision != TWI_NOT_DECIDED)
            return waiter;
    }
    return NULL;
}

// All of them, in order, as a list by `next`; those that are early are left out.
static inline struct twi_waiter *twi_line_pop_all(struct tw_line *line)
{
    struct twi_waiter *first = NULL, *last = NULL, *waiter;
    int early;
    while ((waiter = twi_line_pop(line, &early)) != NULL) {
        if (early)
            continue;
        TWI_WRITE(waiter->next, (struct twi_waiter *)NULL);
        if (last)
            TWI_WRITE(last->next, waiter);
        else
            first = waiter;
        last = waiter;
    }
    return first;
}

// By a fiber that went on: it stands in the line no more. 1: it still did.
static inline int twi_line_leave(struct tw_line *line, struct twi_waiter *waiter)
{
    twi_line_lock(line);
    int there = TWI_READ(waiter->line) == line;
    if (there)
        twi_line_unlink(line, waiter);
    twi_line_unlock(line);
    return there;
}

#endif

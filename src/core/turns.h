// SPDX-License-Identifier: Apache-2.0
// A worker's fibers that gave way to others and wait for their turn, the oldest first. Any worker
// may take one.
//
// A fiber may be put in while it still runs, if the lock is kept until it has left its stack: so a
// fiber that yields to another costs one exchange.
#ifndef TWI_TURNS_H
#define TWI_TURNS_H

#include "base/lock.h"
#include "core/mailbox.h"

struct twi_turns {
    struct twi_lock lock;
    uint32_t count;         // writer: under the lock; readers: anyone, as a hint or by [W1]
    struct twi_chain chain; // under the lock
};

// Under the lock.
static inline void twi_turns_append(struct twi_turns *turns, struct twi_mail *mail)
{
    TWI_STORE(&mail->next, (struct twi_mail *)NULL, TWI_RELAXED); // relaxed: under the lock
    twi_chain_append(&turns->chain, mail);
}

// Under the lock; there is one.
static inline struct twi_mail *twi_turns_shift(struct twi_turns *turns)
{
    struct twi_mail *mail = turns->chain.first;
    turns->chain.first = TWI_LOAD(&mail->next, TWI_RELAXED); // relaxed: under the lock
    if (!turns->chain.first)
        turns->chain.last = NULL;
    return mail;
}

static inline void twi_turns_put(struct twi_turns *turns, struct twi_mail *mail)
{
    twi_lock_take(&turns->lock);
    twi_turns_append(turns, mail);
    TWI_STORE(&turns->count, turns->count + 1, TWI_SEQ_CST); // [W1]
    twi_lock_drop(&turns->lock);
}

// The oldest goes, `mail` comes in its place. The lock is held at the return, if there was one.
static inline struct twi_mail *twi_turns_swap(struct twi_turns *turns, struct twi_mail *mail)
{
    if (TWI_LOAD(&turns->count, TWI_RELAXED) == 0) // hint
        return NULL;
    twi_lock_take(&turns->lock);
    if (!turns->chain.first) {
        twi_lock_drop(&turns->lock);
        return NULL;
    }
    twi_turns_append(turns, mail);
    return twi_turns_shift(turns);
}

// The oldest, or NULL; also when another worker holds the lock and `wait` is 0.
static inline struct twi_mail *twi_turns_take(struct twi_turns *turns, int wait)
{
    struct twi_mail *mail = NULL;
    if (TWI_LOAD(&turns->count, TWI_RELAXED) == 0) // hint
        return NULL;
    if (wait)
        twi_lock_take(&turns->lock);
    else if (!twi_lock_try(&turns->lock))
        return NULL;
    if (turns->chain.first) {
        mail = twi_turns_shift(turns);
        TWI_STORE(&turns->count, turns->count - 1, TWI_RELAXED); // hint: fewer harms nobody
    }
    twi_lock_drop(&turns->lock);
    return mail;
}

static inline int twi_turns_empty(struct twi_turns *turns)
{
    return TWI_LOAD(&turns->count, TWI_SEQ_CST) == 0; // [W1]
}

#endif

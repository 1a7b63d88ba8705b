// SPDX-License-Identifier: Apache-2.0
// Between the files of this layer: what a channel is, and how a message changes hands.
//
// Invariants, under the channel's guard:
//  - A receiver waits only while the ring is empty, a sender only while it is full; nobody waits
//    for a closed channel. So a message overtakes none of its own channel, and nobody who comes
//    later gets in before who waits.
//  - A party in a line has been armed: who pops it, and so decides its wait, makes its fiber ready.
//    Between the two the party and its message stay where they are, also when the guard is dropped.
//  - Nothing of a channel is touched between the drop of its guard and the wake-up: who is woken
//    may destroy it.
#ifndef TWI_CHANNEL_H
#define TWI_CHANNEL_H

#include <stdint.h>
#include <string.h>

#include <twill/channel.h>

#include "core/line.h"

struct tw_channel {
    struct tw_line receivers; // who waits for a message; its guard is the channel's
    struct tw_line senders;   // who waits for room; its own guard is not used
    const char *name;
    uint32_t size, capacity; // of a message, of the ring. constant
    uint32_t head, count;    // the oldest message of the ring; how many there are
    uint32_t closed;
    _Alignas(8) unsigned char ring[];
};

// A case that waits, on the stack of its task or beside the others of its select.
struct twi_party {
    struct twi_waiter waiter; // first
    void *message;            // taken from here, or put here. writer: who serves it
    int outcome;              // TWI_WOULD_WAIT until it is served, then 0 or TW_EPIPE. likewise
};

enum { TWI_WOULD_WAIT = 1 };

// What is left to do when the guard has been dropped.
struct twi_deal {
    struct twi_party *partner; // to be made ready, or NULL: nothing is left
    void *to;                  // NULL: the message was moved under the guard
    const void *from;
    size_t size;
};

static inline void twi_channel_lock(struct tw_channel *c)
{
    twi_line_lock(&c->receivers);
}

static inline void twi_channel_unlock(struct tw_channel *c)
{
    twi_line_unlock(&c->receivers);
}

// Under the guard: sends, or receives, if that means no wait. 0, TW_EPIPE or TWI_WOULD_WAIT.
int twi_channel_step(struct tw_channel *c, int sends, void *message, struct twi_deal *deal);

// After the guard. deal->partner was NULL before the step.
void twi_deal_finish(const struct twi_deal *deal);

// A tw_select of one case, which could not happen a moment ago; `what` is for tw_dump_tasks.
int twi_select_one(struct tw_case *only, const char *what, uint64_t deadline_ns);

#endif

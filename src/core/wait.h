// SPDX-License-Identifier: Apache-2.0
// The word in a fiber's header that says whether the fiber waits, and how its wait was decided.
//
// A wait can end in several ways: it gets what it waits for, its time is up, it is cancelled. Each
// of them has a ticket, and the first to decide the word wins; the winner, and nobody else, makes
// the fiber ready. A ticket of a wait that is over decides nothing, so whatever still knows of one
// does no harm: the word stays where it is as long as the pool lives.
//
//      state       who changes it     to
//      running     the owner          arming, with a new ticket
//      arming      who publishes it   waiting
//                  a decider          decided; who publishes it makes the fiber ready
//      waiting     a decider          decided, and makes the fiber ready
//                  a holder           held: the fiber stays parked, others may look at it
//      held        the holder         waiting, or decided
//      decided     the owner          arming
//
// Edges:
//  [Y1] word release/acquire: a holder sees what the fiber wrote before it parked; a decider or an
//       owner sees what was written before by who changed the word.
//  [Y2] waiting is stored, then the number of cancellations read; a canceller counts up, then looks
//       at the words. Forbidden: both miss, for then the wait is never cancelled.
#ifndef TWI_WAIT_WORD_H
#define TWI_WAIT_WORD_H

#include <stdint.h>

#include <twill/atomic.h>

#include "base/os.h"

enum twi_waits {
    TWI_RUNNING,
    TWI_ARMING,
    TWI_WAITING,
    TWI_HELD,
    TWI_DONE, // this and the next: decided
    TWI_LATE,
    TWI_CANCELLED,
};

#define TWI_WAITS_BITS 3
#define TWI_WAITS_MASK (((uint64_t)1 << TWI_WAITS_BITS) - 1)

static inline enum twi_waits twi_waits_state(uint64_t word)
{
    return (enum twi_waits)(word & TWI_WAITS_MASK);
}

static inline uint64_t twi_waits_ticket(uint64_t word)
{
    return word & ~TWI_WAITS_MASK;
}

// By the owner: a new wait. Returns its ticket, never 0.
static inline uint64_t twi_waits_begin(uint64_t *word)
{
    uint64_t before = TWI_LOAD(word, TWI_RELAXED); // relaxed: owner-only until the next wait
    uint64_t ticket = twi_waits_ticket(before) + TWI_WAITS_MASK + 1;
    TWI_STORE(word, ticket | TWI_ARMING, TWI_RELAXED); // relaxed: nobody has the ticket yet
    return ticket;
}

// By who publishes the wait, when others have the ticket already. 0: it was decided meanwhile.
static inline int twi_waits_arm(uint64_t *word, uint64_t ticket)
{
    uint64_t arming = ticket | TWI_ARMING;
    return TWI_CAS(word, &arming, ticket | TWI_WAITING, TWI_SEQ_CST, TWI_ACQUIRE); // [Y1] [Y2]
}

// The same when nobody has it, or only under a lock that the caller holds.
static inline void twi_waits_arm_alone(uint64_t *word, uint64_t ticket)
{
    TWI_STORE(word, ticket | TWI_WAITING, TWI_RELEASE); // [Y1]
}

enum twi_decision {
    TWI_NOT_DECIDED, // someone else was first
    TWI_DECIDED,     // and the caller makes the fiber ready
    TWI_EARLY,       // and who publishes the wait does
};

static inline enum twi_decision twi_waits_decide(uint64_t *word, uint64_t ticket,
                                                 enum twi_waits how)
{
    uint64_t seen = TWI_LOAD(word, TWI_RELAXED); // rechecked by [Y1]
    for (;;) {
        enum twi_waits state = twi_waits_state(seen);
        if (twi_waits_ticket(seen) != ticket || state >= TWI_DONE || state == TWI_RUNNING)
            return TWI_NOT_DECIDED;
        if (state == TWI_HELD) { // for a few instructions
            twi_relax();
            seen = TWI_LOAD(word, TWI_RELAXED); // rechecked by [Y1]
        } else if (TWI_CAS(word, &seen, ticket | how, TWI_ACQ_REL, TWI_RELAXED)) { // [Y1]
            return state == TWI_ARMING ? TWI_EARLY : TWI_DECIDED;
        }
    }
}

// Keeps a fiber that waits from going on. Its ticket, or 0: it does not wait.
static inline uint64_t twi_waits_hold(uint64_t *word)
{
    uint64_t seen = TWI_LOAD(word, TWI_SEQ_CST); // [Y2]
    for (;;) {
        uint64_t ticket = twi_waits_ticket(seen);
        enum twi_waits state = twi_waits_state(seen);
        if (state == TWI_HELD) { // by another, who may not have seen what the caller has
            twi_relax();
            seen = TWI_LOAD(word, TWI_SEQ_CST); // [Y2]
        } else if (state != TWI_WAITING) {
            return 0;
        } else if (TWI_CAS(word, &seen, ticket | TWI_HELD, TWI_ACQUIRE, TWI_RELAXED)) { // [Y1]
            return ticket;
        }
    }
}

// By the holder: it waits on, or was decided and the caller makes it ready.
static inline void twi_waits_release(uint64_t *word, uint64_t ticket, enum twi_waits how)
{
    TWI_STORE(word, ticket | how, TWI_RELEASE); // [Y1]
}

// By the owner, when the fiber has gone on.
static inline enum twi_waits twi_waits_decided(uint64_t *word)
{
    return twi_waits_state(TWI_LOAD(word, TWI_ACQUIRE)); // [Y1]
}

#endif

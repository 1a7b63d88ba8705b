// SPDX-License-Identifier: Apache-2.0
// A worker's own queue of fibers that can go on: taken from the front, put at the back by who
// wants them served in turn, at the front by who wants the newest first.
//
// The owner uses plain loads and stores, without a fence. Others ask for some (`claim` is
// TWI_ASKED), and the owner gives at its next use; when it computes for long it does not come by,
// and they take by a claim: the owner is kept out by the two halves of an asymmetric fence.
//
//      claim      who changes it     to
//      free       a thief            asked
//      asked      the owner          free, when it has given
//                 a thief            claimed; free, when it has found something else
//      claimed    the same thief     free
//
// Edges:
//  [B1] the owner stores busy, then reads claim; a thief claims, calls membarrier, then reads busy.
//       Forbidden: both miss, for then both change the queue.
//  [B2] claim release/acquire: the owner sees what a thief that is done left behind.
//  [B3] busy release/acquire: a thief sees what the owner left behind.
//  [B4] the owner puts a fiber in, then looks for sleepers; a worker that lies down enters their
//       stack, calls membarrier, then reads `count`. Forbidden: both miss (sched/sleep.h).
#ifndef TWI_QUEUE_H
#define TWI_QUEUE_H

#include "base/lock.h"
#include "base/os.h"
#include "core/mailbox.h"

#ifdef TWI_MODEL
#define TWI_QUEUE_MOST 4u
#else
#define TWI_QUEUE_MOST 1024u // a power of two
#endif

enum twi_claim { TWI_FREE, TWI_ASKED, TWI_CLAIMED };

struct twi_queue {
    // Read by thieves.
    uint32_t claim;  // enum twi_claim. writers: thieves, the owner
    uint32_t lined;  // whether any wait, as a hint. writer: the owner, or who has claimed
    uint32_t pace;   // nanoseconds that one of them runs, about; 0: not known. writers: the owner,
                     // who naps
    uint32_t looked; // `first` when someone last looked after it. writer: who naps
    // The owner's, or that of who has claimed.
    uint32_t busy __attribute__((aligned(64))); // writer: the owner
    uint32_t count;                             // readers: who lies down
    uint32_t first; // the place in the ring of the one to be taken next. readers: who naps
    struct twi_mail *ring[TWI_QUEUE_MOST];
};

// ---- inside a use by the owner, or a claim ----

static inline struct twi_mail **twi_queue_place(struct twi_queue *q, uint32_t n)
{
    return &q->ring[(TWI_LOAD(&q->first, TWI_RELAXED) + n) % TWI_QUEUE_MOST]; // relaxed: ours
}

static inline void twi_queue_turn(struct twi_queue *q, uint32_t by)
{
    uint32_t first = TWI_LOAD(&q->first, TWI_RELAXED); // relaxed: ours
    TWI_STORE(&q->first, (first + by) % TWI_QUEUE_MOST,
              TWI_RELAXED); // hint: for who looks after it
}

static inline void twi_queue_resize(struct twi_queue *q, uint32_t count)
{
    TWI_STORE(&q->count, count, TWI_RELAXED);                      // [B4]
    if (TWI_LOAD(&q->lined, TWI_RELAXED) != (count != 0))          // hint
        TWI_STORE(&q->lined, (uint32_t)(count != 0), TWI_RELAXED); // hint
}

// Takes up to half of them out, the last first, `most` at most. Returns how many.
static inline uint32_t twi_queue_split(struct twi_queue *q, uint32_t most, struct twi_chain *chain)
{
    uint32_t count = TWI_LOAD(&q->count, TWI_RELAXED), give = (count + 1) / 2; // relaxed: ours
    if (give > most)
        give = most;
    for (uint32_t i = 0; i < give; i++)
        twi_chain_append(chain, TWI_READ(*twi_queue_place(q, count - 1 - i)));
    if (give)
        twi_queue_resize(q, count - give);
    return give;
}

// ---- the owner ----

// Begins a use. 0: it may not, and nothing is to be ended.
static inline int twi_queue_enter(struct twi_queue *q)
{
    TWI_STORE(&q->busy, 1u, TWI_RELAXED);                                       // [B1]
    TWI_COMPILER_FENCE();                                                       // [B1]
    if (__builtin_expect(TWI_LOAD(&q->claim, TWI_ACQUIRE) == TWI_CLAIMED, 0)) { // [B1] [B2]
        TWI_STORE(&q->busy, 0u, TWI_RELEASE);                                   // [B3]
        return 0;
    }
    return 1;
}

static inline void twi_queue_leave(struct twi_queue *q)
{
    TWI_STORE(&q->busy, 0u, TWI_RELEASE); // [B3]
}

// Puts a fiber at the back or the front. 0: there is no room, or a thief is at it.
static inline int twi_queue_put(struct twi_queue *q, struct twi_mail *mail, int at_front)
{
    if (!twi_queue_enter(q))
        return 0;
    uint32_t count = TWI_LOAD(&q->count, TWI_RELAXED); // relaxed: ours
    int fits = count < TWI_QUEUE_MOST;
    if (__builtin_expect(fits, 1)) {
        if (at_front)
            twi_queue_turn(q, TWI_QUEUE_MOST - 1);
        TWI_WRITE(*twi_queue_place(q, at_front ? 0 : count), mail);
        twi_queue_resize(q, count + 1);
    }
    twi_queue_leave(q);
    return fits;
}

// The one at the front, or NULL: none, or a thief is at it.
static inline struct twi_mail *twi_queue_take(struct twi_queue *q)
{
    if (!twi_queue_enter(q))
        return NULL;
    struct twi_mail *mail = NULL;
    uint32_t count = TWI_LOAD(&q->count, TWI_RELAXED); // relaxed: ours
    if (count) {
        mail = TWI_READ(*twi_queue_place(q, 0));
        twi_queue_turn(q, 1);
        twi_queue_resize(q, count - 1);
    }
    twi_queue_leave(q);
    return mail;
}

// Whether someone asked for some.
static inline int twi_queue_asked(struct twi_queue *q)
{
    return __builtin_expect(TWI_LOAD(&q->claim, TWI_RELAXED) == TWI_ASKED, 0); // hint
}

// Gives up to half of them, `most` at most, to be put where others can take them. How many.
static inline uint32_t twi_queue_answer(struct twi_queue *q, uint32_t most, struct twi_chain *chain)
{
    uint32_t asked = TWI_ASKED, given = 0;
    if (!TWI_CAS(&q->claim, &asked, (uint32_t)TWI_FREE, TWI_RELAXED, TWI_RELAXED)) // hint
        return 0;
    if (twi_queue_enter(q)) {
        given = twi_queue_split(q, most, chain);
        twi_queue_leave(q);
    }
    return given;
}

// The fiber that will be taken after `n` others, or NULL; as a hint.
static inline struct twi_mail *twi_queue_peek(struct twi_queue *q, uint32_t n)
{
    if (TWI_LOAD(&q->count, TWI_RELAXED) <= n) // hint
        return NULL;
    return TWI_LOAD(twi_queue_place(q, n), TWI_RELAXED); // hint
}

// ---- thieves ----

static inline uint32_t twi_queue_pace(struct twi_queue *q)
{
    return TWI_LOAD(&q->pace, TWI_RELAXED); // hint
}

static inline int twi_queue_lined(struct twi_queue *q)
{
    return TWI_LOAD(&q->lined, TWI_RELAXED) != 0; // hint
}

// After a membarrier that the caller's entry among the sleepers came before.
static inline int twi_queue_empty(struct twi_queue *q)
{
    return TWI_LOAD(&q->count, TWI_RELAXED) == 0; // [B4]
}

static inline void twi_queue_ask(struct twi_queue *q)
{
    uint32_t is_free = TWI_FREE;
    if (TWI_LOAD(&q->claim, TWI_RELAXED) == TWI_FREE)                                      // hint
        (void)TWI_CAS(&q->claim, &is_free, (uint32_t)TWI_ASKED, TWI_RELAXED, TWI_RELAXED); // hint
}

// Whoever asked has found something else.
static inline void twi_queue_ask_no_more(struct twi_queue *q)
{
    uint32_t asked = TWI_ASKED;
    if (TWI_LOAD(&q->claim, TWI_RELAXED) == TWI_ASKED)                                  // hint
        (void)TWI_CAS(&q->claim, &asked, (uint32_t)TWI_FREE, TWI_RELAXED, TWI_RELAXED); // hint
}

// Takes some though the owner does not answer. How many; 0 also when another thief is at it. Calls
// membarrier.
static inline uint32_t twi_queue_rob(struct twi_queue *q, uint32_t most, struct twi_chain *chain)
{
    uint32_t before = TWI_LOAD(&q->claim, TWI_RELAXED), taken = 0; // rechecked by the swap
    if (before == TWI_CLAIMED ||
        !TWI_CAS(&q->claim, &before, (uint32_t)TWI_CLAIMED, TWI_SEQ_CST, TWI_RELAXED)) // [B1]
        return 0;
    twi_membarrier(); // [B1]
    unsigned turns = 0;
    while (TWI_LOAD(&q->busy, TWI_ACQUIRE)) // [B1] [B3]
        twi_wait_turn(&turns);
    taken = twi_queue_split(q, most, chain);
    TWI_STORE(&q->claim, (uint32_t)TWI_FREE, TWI_RELEASE); // [B2]
    return taken;
}

#endif

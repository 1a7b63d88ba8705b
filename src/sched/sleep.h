// SPDX-License-Identifier: Apache-2.0
// Who searches, who sleeps, and how at most one is woken. docs/sleep.md has the proof.
//
// One word holds the number of searching workers and a stack of sleeping ones, newest first; its
// tag counts changes of the stack. A worker that makes work visible wakes one sleeper, but only
// when nobody searches: the searchers will find it. The last searcher that finds work wakes
// another, for what it may have left behind. A worker lies down in this order:
//
//      enter the stack; ask every active fiber to share (limit = 0); membarrier; look everywhere;
//      if there is work, wake one (perhaps itself); sleep until taken off the stack
//
// Edges:
//  [W1] state: lying down (read-modify-write), then looking for work, against making work visible,
//       then reading the state. Forbidden: both miss. Sequentially consistent at both.
//  [W2] bed: the waker's release, the sleeper's acquire.
//  [W3] state release/acquire: a popper of the stack sees `next` of the worker it pops.
//  [D4] the request: see include/twill/inline.h.
#ifndef TWI_SLEEP_H
#define TWI_SLEEP_H

#include <stdint.h>

#include <twill/atomic.h>

#include "base/os.h"

// One for each worker, on a line of its own.
struct twi_bed {
    uint32_t called; // 1: get up. writers: the waker, the sleeper
    uint32_t next;   // number + 1 of the worker below in the stack; 0: none
} __attribute__((aligned(64)));

struct twi_dormitory {
    uint64_t state; // {tag:32, searching:16, newest sleeper + 1:16}
    struct twi_bed *beds;
} __attribute__((aligned(64)));

#define TWI_SEARCHER ((uint64_t)1 << 16)

static inline unsigned twi_searching(uint64_t state)
{
    return (unsigned)(state >> 16 & 0xffff);
}

static inline unsigned twi_sleeper(uint64_t state)
{
    return (unsigned)(state & 0xffff);
}

static inline uint64_t twi_dormitory_state(uint64_t before, unsigned searching, unsigned sleeper)
{
    return ((before >> 32) + 1) << 32 | (uint64_t)searching << 16 | sleeper;
}

// Whether anyone sleeps; after making a fiber visible.
static inline int twi_someone_sleeps(struct twi_dormitory *d)
{
    return twi_sleeper(TWI_LOAD(&d->state, TWI_SEQ_CST)) != 0; // [W1]
}

// Takes the newest sleeper off the stack, as a searcher, unless someone searches. Its number, or
// -1.
static inline int twi_sleeper_pop(struct twi_dormitory *d)
{
    uint64_t state = TWI_LOAD(&d->state, TWI_SEQ_CST); // [W1] [W3]
    for (;;) {
        unsigned newest = twi_sleeper(state);
        if (!newest || twi_searching(state))
            return -1;
        uint32_t next = TWI_LOAD(&d->beds[newest - 1].next, TWI_RELAXED); // rechecked by the tag
        if (TWI_CAS(&d->state, &state, twi_dormitory_state(state, 1, next), TWI_SEQ_CST,
                    TWI_SEQ_CST)) // [W1] [W3]
            return (int)newest - 1;
    }
}

// Work is visible: sees to it that someone looks. 1 when a sleeper was woken.
static inline int twi_wake_one(struct twi_dormitory *d)
{
    int sleeper = twi_sleeper_pop(d);
    if (sleeper < 0)
        return 0;
    TWI_STORE(&d->beds[sleeper].called, 1u, TWI_RELEASE); // [W2]
    twi_futex_wake(&d->beds[sleeper].called, 1);
    return 1;
}

static inline void twi_search_begin(struct twi_dormitory *d)
{
    TWI_FETCH_ADD(&d->state, TWI_SEARCHER, TWI_SEQ_CST); // [W1]
}

// The caller found work. Passes the duty to look on when it was the last to search. 1 when it woke
// a sleeper.
static inline int twi_search_found(struct twi_dormitory *d)
{
    uint64_t before = TWI_FETCH_SUB(&d->state, TWI_SEARCHER, TWI_SEQ_CST); // [W1]
    if (twi_searching(before) == 1 && twi_sleeper(before))
        return twi_wake_one(d);
    return 0;
}

// From searcher to sleeper. The caller then asks, fences, looks once more, and sleeps.
static inline void twi_lie_down(struct twi_dormitory *d, unsigned me)
{
    uint64_t state = TWI_LOAD(&d->state, TWI_RELAXED); // rechecked by [W1]
    do
        TWI_STORE(&d->beds[me].next, twi_sleeper(state), TWI_RELAXED); // published by [W3]
    while (!TWI_CAS(&d->state, &state, twi_dormitory_state(state, twi_searching(state) - 1, me + 1),
                    TWI_SEQ_CST,
                    TWI_RELAXED)); // [W1] [W3]
}

// Sleeps until called (1), after which the caller counts as a searcher, or until timeout_ns have
// passed (0); negative: without limit.
static inline int twi_sleep(struct twi_dormitory *d, unsigned me, int64_t timeout_ns)
{
    uint32_t *called = &d->beds[me].called;
    while (!TWI_LOAD(called, TWI_ACQUIRE)) { // [W2]
        twi_futex_wait(called, 0u, timeout_ns);
        if (timeout_ns >= 0 && !TWI_LOAD(called, TWI_ACQUIRE)) // [W2]
            return 0;
    }
    TWI_STORE(called, 0u, TWI_RELAXED); // relaxed: nobody calls again before [W3]
    return 1;
}

#endif

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
// While something waits for time or for the system, the first to lie down is the keeper: it stands
// beside the stack and gets up by itself (src/sched/watch.c).
//
// Edges:
//  [W1] state: lying down (read-modify-write), then looking for work, against making work visible,
//       then reading the state. Forbidden: both miss. Sequentially consistent at both.
//  [W2] bed: the waker's release, the sleeper's acquire.
//  [W3] state release/acquire: a popper of the stack sees `next` of the worker it pops.
//  [W4] called is stored, then polls read; a sleeper stores polls, then reads called. Forbidden:
//       both miss, for then the futex is woken and the sleeper waits for its bell.
//  [D4] the request: see include/twill/inline.h.
#ifndef TWI_SLEEP_H
#define TWI_SLEEP_H

#include <stdint.h>

#include <twill/atomic.h>

#include "base/os.h"

// One for each worker, on a line of its own.
struct twi_bed {
    uint32_t called; // TWI_GET_UP or TWI_LOOK_AGAIN. writers: who calls, the sleeper
    uint32_t next;   // number + 1 of the worker below in the stack; 0: none
    uint32_t polls;  // it waits for its bell too (io/reactor.c). writer: the sleeper
    int bell;        // a descriptor, if it polls
} __attribute__((aligned(64)));

enum { TWI_GET_UP = 1, TWI_LOOK_AGAIN = 2 };

struct twi_dormitory {
    uint64_t state; // {tag:31, keeper + 1:11, searching:11, newest sleeper + 1:11}
    struct twi_bed *beds;
} __attribute__((aligned(64)));

#define TWI_SEARCHER ((uint64_t)1 << 11)

static inline unsigned twi_sleeper(uint64_t state)
{
    return (unsigned)(state & 0x7ff);
}

static inline unsigned twi_searching(uint64_t state)
{
    return (unsigned)(state >> 11 & 0x7ff);
}

static inline unsigned twi_keeper(uint64_t state)
{
    return (unsigned)(state >> 22 & 0x7ff);
}

static inline uint64_t twi_dormitory_state(uint64_t before, unsigned keeper, unsigned searching,
                                           unsigned sleeper)
{
    return ((before >> 33) + 1) << 33 | (uint64_t)keeper << 22 | (uint64_t)searching << 11 |
           sleeper;
}

// Whether anyone sleeps; after making a fiber visible.
static inline int twi_someone_sleeps(struct twi_dormitory *d)
{
    uint64_t state = TWI_LOAD(&d->state, TWI_SEQ_CST); // [W1]
    return twi_sleeper(state) || twi_keeper(state);
}

// Takes the newest sleeper off the stack, or the keeper if there is no other, as a searcher, unless
// someone searches. Its number, or -1.
static inline int twi_sleeper_pop(struct twi_dormitory *d)
{
    uint64_t state = TWI_LOAD(&d->state, TWI_SEQ_CST); // [W1] [W3]
    for (;;) {
        unsigned newest = twi_sleeper(state), keeper = twi_keeper(state), next = 0;
        if ((!newest && !keeper) || twi_searching(state))
            return -1;
        if (newest)
            next = TWI_LOAD(&d->beds[newest - 1].next, TWI_RELAXED); // rechecked by the tag
        if (TWI_CAS(&d->state, &state, twi_dormitory_state(state, newest ? keeper : 0, 1, next),
                    TWI_SEQ_CST, TWI_SEQ_CST)) // [W1] [W3]
            return (int)(newest ? newest : keeper) - 1;
    }
}

// Someone in bed has been given a reason to look up.
static inline void twi_bed_call(struct twi_bed *bed)
{
    if (TWI_LOAD(&bed->polls, TWI_SEQ_CST)) // [W4]
        twi_bell_ring(bed->bell);
    else
        twi_futex_wake(&bed->called, 1);
}

// Work is visible: sees to it that someone looks. 1 when a sleeper was woken.
static inline int twi_wake_one(struct twi_dormitory *d)
{
    int sleeper = twi_sleeper_pop(d);
    if (sleeper < 0)
        return 0;
    struct twi_bed *bed = &d->beds[sleeper];
    TWI_STORE(&bed->called, (uint32_t)TWI_GET_UP, TWI_SEQ_CST); // [W2] [W4]
    twi_bed_call(bed);
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
    if (twi_searching(before) == 1 && (twi_sleeper(before) || twi_keeper(before)))
        return twi_wake_one(d);
    return 0;
}

// From searcher to sleeper, or to keeper if that is wanted and there is none. The caller then asks,
// fences, looks once more, and sleeps. 1: as the keeper.
static inline int twi_lie_down(struct twi_dormitory *d, unsigned me, int keep)
{
    uint64_t state = TWI_LOAD(&d->state, TWI_RELAXED), after; // rechecked by [W1]
    int keeps;
    do {
        unsigned keeper = twi_keeper(state), searching = twi_searching(state) - 1;
        keeps = keep && !keeper;
        if (keeps) {
            after = twi_dormitory_state(state, me + 1, searching, twi_sleeper(state));
        } else {
            TWI_STORE(&d->beds[me].next, twi_sleeper(state), TWI_RELAXED); // published by [W3]
            after = twi_dormitory_state(state, keeper, searching, me + 1);
        }
    } while (!TWI_CAS(&d->state, &state, after, TWI_SEQ_CST, TWI_RELAXED)); // [W1] [W3]
    return keeps;
}

// The keeper gets up by itself, as a searcher. 0: someone has called it, or is about to.
static inline int twi_keeper_rise(struct twi_dormitory *d, unsigned me)
{
    uint64_t state = TWI_LOAD(&d->state, TWI_RELAXED); // rechecked by [W1]
    while (twi_keeper(state) == me + 1)
        if (TWI_CAS(&d->state, &state,
                    twi_dormitory_state(state, 0, twi_searching(state) + 1, twi_sleeper(state)),
                    TWI_SEQ_CST, TWI_RELAXED)) // [W1]
            return 1;
    return 0;
}

// Asks the keeper to look again when the next alarm rings.
static inline void twi_keeper_kick(struct twi_dormitory *d, unsigned keeper)
{
    struct twi_bed *bed = &d->beds[keeper];
    uint32_t nothing = 0;
    if (TWI_CAS(&bed->called, &nothing, (uint32_t)TWI_LOOK_AGAIN, TWI_SEQ_CST,
                TWI_RELAXED)) // [W2] [W4]
        twi_bed_call(bed);
}

// Whether the sleeper was called to get up; what else it was told is forgotten.
static inline int twi_called(struct twi_bed *bed)
{
    uint32_t called = TWI_LOAD(&bed->called, TWI_ACQUIRE); // [W2]
    if (called == TWI_LOOK_AGAIN &&
        TWI_CAS(&bed->called, &called, 0u, TWI_ACQUIRE, TWI_ACQUIRE)) // [W2]
        called = 0;
    if (called != TWI_GET_UP)
        return 0;
    TWI_STORE(&bed->called, 0u, TWI_RELAXED); // relaxed: nobody calls again before [W3]
    return 1;
}

// Sleeps until called (1), after which the caller counts as a searcher, or until timeout_ns have
// passed (0); negative: without limit.
static inline int twi_sleep(struct twi_dormitory *d, unsigned me, int64_t timeout_ns)
{
    struct twi_bed *bed = &d->beds[me];
    while (!twi_called(bed)) {
        twi_futex_wait(&bed->called, 0u, timeout_ns);
        if (timeout_ns >= 0)
            return twi_called(bed);
    }
    return 1;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// What a place shows to the places it shares memory with: its load, its lock, whether it sleeps,
// and memory of its own that they may map.
//
// A place sleeps until somebody calls it, or for some time. A thread of its own calls it always,
// and is remembered: the next sleep does not begin. Another place rings after it has sent, and only
// at a place that sleeps: who is awake looks for messages before it lies down. Nor does it where
// another thread of the place looks for messages; when that ends the thread looks once more.
//
// Edges:
//  [Z1] owner: who takes the lock sees what the last owner did.
//  [Z2] sleep: who was called sees what was done before the call.
//  [Z3] full fences: a place lies down and then looks; another sends and then looks whether it
//       sleeps. Not both miss each other, or the message would lie there until the sleep is over.
#ifndef TWI_PAGE_H
#define TWI_PAGE_H

#include <twill/atomic.h>

#include "base/os.h"

enum twi_sleep {
    TWI_AWAKE,
    TWI_ASLEEP,
    TWI_ATTENDED, // asleep, and another thread of the place looks for messages
    TWI_CALLED
};

struct twi_page {
    uint32_t load;      // writer: its place
    uint32_t owner;     // 0, or 1 + the place that holds the lock. writers: all
    uint64_t numbering; // of processes, by the system. writer: its place, before any reads it
    uint32_t process;   // the same
    uint32_t missed;    // 1 + the place whose end has ended this one. writer: its place
    uint32_t memory;    // 1 + a descriptor of its process. writer: its place, before any reads it
    uint32_t active;    // its workers that run or look for tasks. writers: its threads
    uint32_t group;     // alike at places with the same processors. writer: its place, as above
    char shown_line[28];
    uint32_t sleep; // enum twi_sleep. writers: all
    char sleep_line[60];
};

// ---- the load ----

static inline void twi_page_publish(struct twi_page *page, uint32_t load)
{
    TWI_STORE(&page->load, load, TWI_RELAXED); // hint: who steals by it asks the place itself
}

static inline uint32_t twi_page_load(struct twi_page *page)
{
    return TWI_LOAD(&page->load, TWI_RELAXED); // hint
}

// ---- how busy it is ----

static inline void twi_page_tell_active(struct twi_page *page, uint32_t workers)
{
    TWI_STORE(&page->active, workers, TWI_RELAXED); // hint: who goes by it looks again
}

static inline uint32_t twi_page_active(struct twi_page *page)
{
    return TWI_LOAD(&page->active, TWI_RELAXED); // hint
}

// ---- the lock ----

// 1: it is the place's now.
static inline int twi_page_lock(struct twi_page *page, uint32_t place)
{
    uint32_t none = 0;
    return TWI_CAS(&page->owner, &none, place + 1, TWI_ACQUIRE, TWI_RELAXED); // [Z1]
}

static inline void twi_page_unlock(struct twi_page *page)
{
    TWI_STORE(&page->owner, 0u, TWI_RELEASE); // [Z1]
}

// ---- sleep ----

// Whether it was called; it is awake now.
static inline int twi_page_rise(struct twi_page *page)
{
    return TWI_EXCHANGE(&page->sleep, TWI_AWAKE, TWI_ACQUIRE) == TWI_CALLED; // [Z2]
}

// Whether it may sleep: nobody has called. It must look once more before it does.
static inline int twi_page_lie_down(struct twi_page *page)
{
    uint32_t awake = TWI_AWAKE;
    if (!TWI_CAS(&page->sleep, &awake, TWI_ASLEEP, TWI_RELAXED, TWI_RELAXED)) { // rechecked
        (void)twi_page_rise(page);
        return 0;
    }
    TWI_FENCE(TWI_SEQ_CST); // [Z3] asleep, then look
    return 1;
}

// Whether it was called.
static inline int twi_page_sleep(struct twi_page *page, int64_t most_ns)
{
    (void)twi_futex_wait_shared(&page->sleep, TWI_ASLEEP, most_ns);
    return twi_page_rise(page);
}

static inline int twi_page_is_called(struct twi_page *page)
{
    return TWI_LOAD(&page->sleep, TWI_RELAXED) == TWI_CALLED; // hint: rising takes it
}

static inline void twi_page_attend(struct twi_page *page)
{
    uint32_t asleep = TWI_ASLEEP;
    (void)TWI_CAS(&page->sleep, &asleep, TWI_ATTENDED, TWI_RELAXED, TWI_RELAXED); // hint
}

// It must look once more, and call the place if there is something.
static inline void twi_page_neglect(struct twi_page *page)
{
    uint32_t attended = TWI_ATTENDED;
    (void)TWI_CAS(&page->sleep, &attended, TWI_ASLEEP, TWI_RELAXED, TWI_RELAXED); // before [Z3]
    TWI_FENCE(TWI_SEQ_CST); // [Z3] not attended, then look
}

// From any thread of its place.
static inline void twi_page_call(struct twi_page *page)
{
    uint32_t before = TWI_EXCHANGE(&page->sleep, TWI_CALLED, TWI_RELEASE); // [Z2]
    if (before == TWI_ASLEEP || before == TWI_ATTENDED)
        (void)twi_futex_wake_shared(&page->sleep, 1);
}

// By another place that has sent it something.
static inline void twi_page_ring(struct twi_page *page)
{
    TWI_FENCE(TWI_SEQ_CST); // [Z3] sent, then see whether it sleeps
    uint32_t asleep = TWI_ASLEEP;
    if (TWI_LOAD(&page->sleep, TWI_RELAXED) == TWI_ASLEEP &&                  // rechecked
        TWI_CAS(&page->sleep, &asleep, TWI_CALLED, TWI_RELAXED, TWI_RELAXED)) // [Z2] fenced
        (void)twi_futex_wake_shared(&page->sleep, 1);
}

#endif

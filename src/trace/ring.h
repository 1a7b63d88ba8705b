// SPDX-License-Identifier: Apache-2.0
// What a worker records of its doings: a ring of the newest events.
//
// Only the worker writes its ring, and it is read only when all workers have stopped (the joins of
// their threads order the two): so there are no atomics here. A worker without a ring records
// nothing; then an event costs the test of a pointer. Events stand in slow paths only: a task that
// nobody takes is not recorded.
#ifndef TWI_RING_H
#define TWI_RING_H

#include <stddef.h>
#include <stdint.h>

#include <twill/inline.h>
#include <twill/ticks.h>

enum twi_trace_event {
    TWI_EVENT_START,    // a piece begins
    TWI_EVENT_STOP,     // it is done, with all it left behind
    TWI_EVENT_PARK,     // it waits: its fiber is left
    TWI_EVENT_GO_ON,    // its fiber goes on, perhaps on another worker
    TWI_EVENT_STEAL,    // a task was taken from `victim`; its START follows
    TWI_EVENT_NUDGE,    // likewise one that its owner had not shared
    TWI_EVENT_WAKE,     // a sleeping worker was called
    TWI_EVENT_SLEEP,    // the worker lies down
    TWI_EVENT_AWAKE,    // and searches again, or stops
    TWI_EVENT_SHARE,    // private tasks were moved to the shared part
    TWI_EVENT_OVERFLOW, // a task was put on a fresh stack; the PARK of its spawner follows
};

struct twi_record {
    uint64_t ticks;
    const char *task; // its name, where it is known
    uint32_t fiber;
    uint16_t event;
    uint16_t victim; // of STEAL and NUDGE
};

// Aligned: the neighbour's ring is written by another worker.
struct twi_ring {
    struct twi_record *records; // constant, like the next
    uint64_t mask;
    uint64_t written; // events ever recorded; the newest mask + 1 are there
} __attribute__((aligned(64)));

// Room for `events`, rounded up to a power of two. 0, or TW_ENOMEM.
int twi_ring_init(struct twi_ring *ring, size_t events);
void twi_ring_free(struct twi_ring *ring);

static inline uint64_t twi_ring_lost(const struct twi_ring *ring)
{
    return ring->written > ring->mask + 1 ? ring->written - ring->mask - 1 : 0;
}

// The i-th event ever recorded, which is not lost.
static inline const struct twi_record *twi_ring_at(const struct twi_ring *ring, uint64_t i)
{
    return &ring->records[i & ring->mask];
}

#ifdef TWI_MODEL
// The model checker's pools record nothing.
static inline void twi_ring_add(struct twi_ring *ring, enum twi_trace_event event,
                                const struct tw_fiber *fiber, const char *task, unsigned victim)
{
    (void)ring, (void)event, (void)fiber, (void)task, (void)victim;
}
#else
void twi_ring_add(struct twi_ring *ring, enum twi_trace_event event, const struct tw_fiber *fiber,
                  const char *task, unsigned victim) __attribute__((cold));
#endif

// `ring` may be NULL. By its worker.
static inline void twi_trace(struct twi_ring *ring, enum twi_trace_event event,
                             const struct tw_fiber *fiber, const char *task)
{
    if (TWI_UNLIKELY(ring))
        twi_ring_add(ring, event, fiber, task, 0);
}

static inline void twi_trace_taken(struct twi_ring *ring, enum twi_trace_event event,
                                   const struct tw_fiber *fiber, unsigned victim)
{
    if (TWI_UNLIKELY(ring))
        twi_ring_add(ring, event, fiber, NULL, victim);
}

#endif

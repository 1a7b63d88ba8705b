// SPDX-License-Identifier: Apache-2.0
// Who may have something: how the seats of a place find out that nothing is left there.
//
// Every seat counts until its queue is empty. A thief counts itself in before it takes, for what it
// takes is in no queue for a while. So each task is at all times in the queue of a seat that is
// counted, or with a thief that is; and when the count is 0 there is none, and nobody can make one.
// That the owner whose last task is taken counts itself out after the thief has counted itself in
// is the release of the mark, which the owner acquires (by [SQ6], split.h): a machine could delay
// the count behind the mark else. (The model checker does not: there is no mutant of it.)
//
// Edges:
//  [SQ3] active: who counts itself out releases what its tasks did; who brings it to 0, or finds it
//        0, sees all of that.
#ifndef TWI_ACTIVE_H
#define TWI_ACTIVE_H

#include "collection/split.h"

static inline void twi_active_enter(uint32_t *active)
{
    TWI_FETCH_ADD(active, 1u, TWI_RELAXED); // [SQ3]: nothing was done yet
}

// Whether it was the last.
static inline int twi_active_leave(uint32_t *active)
{
    return TWI_FETCH_SUB(active, 1u, TWI_ACQ_REL) == 1; // [SQ3]
}

// By who holds the turn of the place, so that nothing can come from elsewhere.
static inline int twi_active_none(uint32_t *active)
{
    return TWI_LOAD(active, TWI_ACQUIRE) == 0; // [SQ3]
}

// A seat that has nothing robs another. How much it got: then it counts again. If nothing, `*last`
// says whether it was the last once more.
static inline uint32_t twi_active_rob(uint32_t *active, struct twi_split *from,
                                      struct twi_split *to, int *last)
{
    *last = 0;
    if (!twi_split_shared(from))
        return 0;
    twi_active_enter(active);
    uint32_t got = twi_split_rob(from, to, UINT32_MAX);
    if (!got)
        *last = twi_active_leave(active);
    return got;
}

#endif

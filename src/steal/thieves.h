// SPDX-License-Identifier: Apache-2.0
// The thieves that wait at a place, each at most once, in little memory however many places there
// are: a set of all, and a ring of the first ones in the order in which they came.
//
// Those who come when the ring is full are in the set only. When the ring is empty they are served
// in the order of their numbers, round and round; until the last of them is gone who comes joins
// them. So nobody is overtaken more often than there are places.
#ifndef TWI_THIEVES_H
#define TWI_THIEVES_H

#include "steal/search.h"

enum { TWI_THIEVES_IN_ORDER = 64 };

// The set belongs to the same state, and is passed along.
struct twi_thieves {
    uint32_t words; // of the set
    uint32_t head, in_ring;
    uint32_t beyond; // in the set only
    uint32_t turn;   // the first of them in question
    uint32_t ring[TWI_THIEVES_IN_ORDER];
};

static inline uint32_t *twi_thieves_at(struct twi_thieves *thieves, uint32_t i)
{
    return &thieves->ring[(thieves->head + i) % TWI_THIEVES_IN_ORDER];
}

static inline uint32_t twi_thieves_count(const struct twi_thieves *thieves)
{
    return thieves->in_ring + thieves->beyond;
}

static inline void twi_thieves_forget(struct twi_thieves *thieves, uint64_t *set, uint32_t places)
{
    thieves->words = (uint32_t)twi_set_words(places);
    thieves->head = thieves->in_ring = thieves->beyond = thieves->turn = 0;
    memset(set, 0, thieves->words * sizeof *set);
}

static inline void twi_thieves_add(struct twi_thieves *thieves, uint64_t *set, uint32_t thief)
{
    twi_set_add(set, thief);
    if (thieves->beyond || thieves->in_ring == TWI_THIEVES_IN_ORDER)
        thieves->beyond++;
    else
        *twi_thieves_at(thieves, thieves->in_ring++) = thief;
}

// The first place of the set from `from` on, round and round. The set must not be empty.
static inline uint32_t twi_set_next(const uint64_t *set, uint32_t words, uint32_t from)
{
    uint32_t at = from / 64 % words;
    uint64_t word = set[at] & ~(uint64_t)0 << from % 64;
    while (!word) {
        at = (at + 1) % words;
        word = set[at];
    }
    return at * 64 + (uint32_t)__builtin_ctzll(word);
}

// Who is to be served. There must be one.
static inline uint32_t twi_thieves_first(struct twi_thieves *thieves, const uint64_t *set)
{
    if (thieves->in_ring)
        return *twi_thieves_at(thieves, 0);
    return twi_set_next(set, thieves->words, thieves->turn);
}

// One that waits, whether it is the first or not.
static inline void twi_thieves_remove(struct twi_thieves *thieves, uint64_t *set, uint32_t thief)
{
    uint32_t i = 0;
    if (thief == twi_thieves_first(thieves, set))
        thieves->turn = thief + 1;
    twi_set_remove(set, thief);
    while (i < thieves->in_ring && *twi_thieves_at(thieves, i) != thief)
        i++;
    if (i == thieves->in_ring) {
        thieves->beyond--;
        return;
    }
    for (; i > 0; i--) // those before it close up
        *twi_thieves_at(thieves, i) = *twi_thieves_at(thieves, i - 1);
    thieves->head = (thieves->head + 1) % TWI_THIEVES_IN_ORDER;
    thieves->in_ring--;
}

// One that was removed to be served, and was not: it is the first again, if there is room for it.
static inline void twi_thieves_put_back(struct twi_thieves *thieves, uint64_t *set, uint32_t thief)
{
    twi_set_add(set, thief);
    if (thieves->in_ring == TWI_THIEVES_IN_ORDER) {
        thieves->beyond++;
        return;
    }
    thieves->head = (thieves->head + TWI_THIEVES_IN_ORDER - 1) % TWI_THIEVES_IN_ORDER;
    thieves->in_ring++;
    *twi_thieves_at(thieves, 0) = thief;
}

#endif

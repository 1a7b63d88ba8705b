// SPDX-License-Identifier: Apache-2.0
// What a place remembers of others where nobody is denied: the victims it has asked, and the
// thieves that wait here, each at most once. It takes little memory, however many places there are:
// two sets, and a ring of the first thieves in the order in which they came.
//
// Thieves that come when the ring is full are in the set only. When the ring is empty they are
// served in the order of their numbers, round and round; until the last of them is gone who comes
// joins them. So nobody is overtaken more often than there are places.
#ifndef TWI_CONTACTS_H
#define TWI_CONTACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { TWI_THIEVES_IN_ORDER = 64 };

// The last member of a policy's state.
struct twi_contacts {
    uint32_t words;         // of a set
    uint32_t victims;       // how many were asked
    uint32_t head, in_ring; // thieves in order
    uint32_t beyond;        // those in the set only
    uint32_t turn;          // the first of them in question
    uint32_t ring[TWI_THIEVES_IN_ORDER];
    uint64_t sets[]; // of victims, then of thieves
};

// ---- sets of places ----

static inline bool twi_set_has(const uint64_t *set, uint32_t place)
{
    return set[place / 64] >> place % 64 & 1;
}

static inline void twi_set_add(uint64_t *set, uint32_t place)
{
    set[place / 64] |= (uint64_t)1 << place % 64;
}

static inline void twi_set_remove(uint64_t *set, uint32_t place)
{
    set[place / 64] &= ~((uint64_t)1 << place % 64);
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

// ---- all ----

// Bytes of its sets, which come to those of the struct.
static inline size_t twi_contacts_size(uint32_t places)
{
    return 2 * (((size_t)places + 63) / 64) * sizeof(uint64_t);
}

static inline void twi_contacts_forget(struct twi_contacts *contacts, uint32_t places)
{
    contacts->words = (uint32_t)(((uint64_t)places + 63) / 64);
    contacts->victims = 0;
    contacts->head = contacts->in_ring = contacts->beyond = contacts->turn = 0;
    memset(contacts->sets, 0, twi_contacts_size(places));
}

// ---- victims ----

static inline bool twi_victims_have(const struct twi_contacts *contacts, uint32_t place)
{
    return twi_set_has(contacts->sets, place);
}

static inline void twi_victims_add(struct twi_contacts *contacts, uint32_t victim)
{
    contacts->victims++;
    twi_set_add(contacts->sets, victim);
}

static inline void twi_victims_remove(struct twi_contacts *contacts, uint32_t victim)
{
    contacts->victims--;
    twi_set_remove(contacts->sets, victim);
}

// ---- thieves ----

static inline uint32_t *twi_thieves_at(struct twi_contacts *contacts, uint32_t i)
{
    return &contacts->ring[(contacts->head + i) % TWI_THIEVES_IN_ORDER];
}

static inline uint32_t twi_thieves_count(const struct twi_contacts *contacts)
{
    return contacts->in_ring + contacts->beyond;
}

static inline bool twi_thieves_have(const struct twi_contacts *contacts, uint32_t place)
{
    return twi_set_has(contacts->sets + contacts->words, place);
}

static inline void twi_thieves_add(struct twi_contacts *contacts, uint32_t thief)
{
    twi_set_add(contacts->sets + contacts->words, thief);
    if (contacts->beyond || contacts->in_ring == TWI_THIEVES_IN_ORDER)
        contacts->beyond++;
    else
        *twi_thieves_at(contacts, contacts->in_ring++) = thief;
}

// Who is to be served. There must be one.
static inline uint32_t twi_thieves_first(struct twi_contacts *contacts)
{
    if (contacts->in_ring)
        return *twi_thieves_at(contacts, 0);
    return twi_set_next(contacts->sets + contacts->words, contacts->words, contacts->turn);
}

// One that waits, whether it is the first or not.
static inline void twi_thieves_remove(struct twi_contacts *contacts, uint32_t thief)
{
    uint32_t i = 0;
    if (thief == twi_thieves_first(contacts))
        contacts->turn = thief + 1;
    twi_set_remove(contacts->sets + contacts->words, thief);
    while (i < contacts->in_ring && *twi_thieves_at(contacts, i) != thief)
        i++;
    if (i == contacts->in_ring) {
        contacts->beyond--;
        return;
    }
    for (; i > 0; i--) // those before it close up
        *twi_thieves_at(contacts, i) = *twi_thieves_at(contacts, i - 1);
    contacts->head = (contacts->head + 1) % TWI_THIEVES_IN_ORDER;
    contacts->in_ring--;
}

// One that was removed to be served, and was not: it is the first again, if there is room for it.
static inline void twi_thieves_put_back(struct twi_contacts *contacts, uint32_t thief)
{
    twi_set_add(contacts->sets + contacts->words, thief);
    if (contacts->in_ring == TWI_THIEVES_IN_ORDER) {
        contacts->beyond++;
        return;
    }
    contacts->head = (contacts->head + TWI_THIEVES_IN_ORDER - 1) % TWI_THIEVES_IN_ORDER;
    contacts->in_ring++;
    *twi_thieves_at(contacts, 0) = thief;
}

#endif

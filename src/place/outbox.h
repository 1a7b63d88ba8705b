// SPDX-License-Identifier: Apache-2.0
// The outbox of a place: what its workers want the communication worker to do, newest first, until
// all of it is taken. Nobody takes one of several, so an address that comes again does no harm.
//
// Edges:
//  [O1] outbox release/acquire: who takes them sees the letters.
#ifndef TWI_OUTBOX_H
#define TWI_OUTBOX_H

#include <stddef.h>

#include <twill/atomic.h>

struct twi_place;

// What workers want done by the communication worker; the first member of what says more.
struct twi_letter {
    struct twi_letter *next;
    void (*deliver)(struct twi_place *place, struct twi_letter *letter); // once; frees it
};

// From any thread.
static inline void twi_outbox_put(struct twi_letter **outbox, struct twi_letter *letter)
{
    struct twi_letter *first = TWI_LOAD(outbox, TWI_RELAXED); // rechecked by [O1]
    do
        TWI_WRITE(letter->next, first);
    while (!TWI_CAS(outbox, &first, letter, TWI_RELEASE, TWI_RELAXED)); // [O1]
}

// All of them, those of each thread in the order in which it put them. NULL: there are none.
static inline struct twi_letter *twi_outbox_take(struct twi_letter **outbox)
{
    struct twi_letter *letter = TWI_EXCHANGE(outbox, NULL, TWI_ACQUIRE), *next; // [O1]
    struct twi_letter *oldest = NULL;
    for (; letter; letter = next) {
        next = TWI_READ(letter->next);
        TWI_WRITE(letter->next, oldest);
        oldest = letter;
    }
    return oldest;
}

#endif

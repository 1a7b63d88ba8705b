// SPDX-License-Identifier: Apache-2.0
// The outbox of a place: what workers want sent, newest first, until the communication worker
// takes all of it. Nobody takes one of several, so an address that comes again does no harm.
//
// Edges:
//  [O1] outbox release/acquire: who takes them sees the letters.
#ifndef TWI_OUTBOX_H
#define TWI_OUTBOX_H

#include <stddef.h>
#include <stdint.h>

#include <twill/atomic.h>

struct tw_scope;
struct tw_task_type;

// What workers want sent.
struct twi_letter {
    struct twi_letter *next;
    uint32_t to;
    struct tw_scope *scope;          // of a task: where it is counted here
    uint64_t handle;                 // of a piece: its scope at home
    const struct tw_task_type *type; // of a task; NULL: it is the end of a piece
    unsigned char args[];            // of a task
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

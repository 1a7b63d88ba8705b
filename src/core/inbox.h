// SPDX-License-Identifier: Apache-2.0
// A ring of fibers that others made ready for a worker: anyone puts one in, anyone takes one out,
// the oldest first. Unlike a mailbox it does not write to the fibers, whose lines are the worker's.
//
// A cell's `turn` says whose it is: at place p of the ring's endless sequence it is p while it is
// free, p + 1 while it is full, and p + size when it has been emptied, for the next round. A place
// is claimed by a swap of tail or head, then used. One that was claimed but not filled yet looks
// empty, and so do those behind it: who fills it tells those who sleep.
//
// Edges:
//  [I1] turn release/acquire: the taker sees the fiber that was put in, and all that happened
//       before; the next to fill the cell sees that it was emptied.
//  [B4] put, then look for sleepers, against lie down, membarrier, then look here (core/queue.h).
#ifndef TWI_INBOX_H
#define TWI_INBOX_H

#include <stdint.h>

#include <twill/atomic.h>

#include "core/mailbox.h"

#ifdef TWI_MODEL
#define TWI_INBOX_SIZE 2u
#else
#define TWI_INBOX_SIZE 256u // a power of two
#endif

struct twi_inbox_cell {
    uint32_t turn; // writers: who has the cell's place
    struct twi_mail *mail;
};

struct twi_inbox {
    uint32_t tail __attribute__((aligned(64))); // places claimed to be filled
    uint32_t head __attribute__((aligned(64))); // places claimed to be emptied
    struct twi_inbox_cell cells[TWI_INBOX_SIZE] __attribute__((aligned(64)));
};

static inline void twi_inbox_init(struct twi_inbox *box)
{
    for (uint32_t i = 0; i < TWI_INBOX_SIZE; i++)
        box->cells[i].turn = i;
}

// 0: it is full.
static inline int twi_inbox_put(struct twi_inbox *box, struct twi_mail *mail)
{
    uint32_t place = TWI_LOAD(&box->tail, TWI_RELAXED); // rechecked by the swap
    for (;;) {
        struct twi_inbox_cell *cell = &box->cells[place % TWI_INBOX_SIZE];
        uint32_t turn = TWI_LOAD(&cell->turn, TWI_ACQUIRE); // [I1]
        if (turn == place) {
            if (TWI_CAS(&box->tail, &place, place + 1, TWI_RELAXED, TWI_RELAXED)) { // hint
                TWI_WRITE(cell->mail, mail);
                TWI_STORE(&cell->turn, place + 1, TWI_RELEASE); // [I1] [B4]
                return 1;
            }
        } else if ((int32_t)(turn - place) < 0) {
            return 0;
        } else {
            place = TWI_LOAD(&box->tail, TWI_RELAXED); // rechecked by the swap
        }
    }
}

// The oldest, or NULL.
static inline struct twi_mail *twi_inbox_take(struct twi_inbox *box)
{
    uint32_t place = TWI_LOAD(&box->head, TWI_RELAXED); // rechecked by the swap
    for (;;) {
        struct twi_inbox_cell *cell = &box->cells[place % TWI_INBOX_SIZE];
        uint32_t turn = TWI_LOAD(&cell->turn, TWI_ACQUIRE); // [I1]
        if (turn == place + 1) {
            if (TWI_CAS(&box->head, &place, place + 1, TWI_RELAXED, TWI_RELAXED)) { // hint
                struct twi_mail *mail = TWI_READ(cell->mail);
                TWI_STORE(&cell->turn, place + TWI_INBOX_SIZE, TWI_RELEASE); // [I1]
                return mail;
            }
        } else if ((int32_t)(turn - (place + 1)) < 0) {
            return NULL;
        } else {
            place = TWI_LOAD(&box->head, TWI_RELAXED); // rechecked by the swap
        }
    }
}

// As a hint, or by who lies down, after membarrier.
static inline int twi_inbox_empty(struct twi_inbox *box)
{
    uint32_t place = TWI_LOAD(&box->head, TWI_RELAXED);                              // [B4]
    uint32_t turn = TWI_LOAD(&box->cells[place % TWI_INBOX_SIZE].turn, TWI_RELAXED); // [B4]
    return (int32_t)(turn - (place + 1)) < 0;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Parcels: flat bytes that places which make a plan together send to each other, and to themselves,
// so that a plan is made in the same way wherever its parts are. A parcel waits until the task that
// plans asks for it.
#ifndef TWI_PARCEL_H
#define TWI_PARCEL_H

#include "collection/collection.h"

enum twi_parcel_what {
    TWI_PARCEL_LOADS,  // of the seats of place `node`, and what they give away: to place 0
    TWI_PARCEL_REPLY,  // ... and where that goes
    TWI_PARCEL_UP,     // of a node of the tree, to the one above it
    TWI_PARCEL_DOWN,   // for a node of the tree
    TWI_PARCEL_ANSWER, // where some of what was given away goes, to its donor's place
};

// Flat: it travels before the bytes.
struct twi_label {
    uint32_t what;
    uint32_t level, node;
    uint32_t unused;
};

struct twi_parcel {
    struct twi_parcel *next;
    size_t size;
    struct twi_label label;
    unsigned char bytes[] __attribute__((aligned(16)));
};

// Memory without which a plan that others take part in cannot go on: never NULL.
void *twi_parcel_memory(size_t size);

// An empty one with room for `size` bytes.
struct twi_parcel *twi_parcel_make(struct twi_label label, size_t size);
// Sends it, and frees it. From a task.
void twi_parcel_send(struct tw_collection *c, uint32_t place, struct twi_parcel *parcel);
// The first one with this label, now the caller's to free; NULL and TW_ECANCELED. Suspends.
struct twi_parcel *twi_parcel_wait(struct tw_collection *c, struct twi_label label, int *error);
// Drops those that nobody waits for any more.
void twi_parcel_drop_all(struct tw_collection *c);

#endif

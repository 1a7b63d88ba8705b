// SPDX-License-Identifier: Apache-2.0
// A collection at several places: steals between them, and how they find out that nothing is left.
//
// A seat that finds nothing here asks another place. The communication worker there marks items in
// one of its queues and sends them straight from the ring; the one here puts them into the queue of
// the seat, which waits. When no seat of a place has anything the place joins a wave: sums of what
// was sent and received go up the tree of places, and from its root comes the verdict. All is over
// when a wave finds as much sent as the wave before found received: then nothing was on its way in
// between, and nobody had anything. Notes (collection.h) are counted as what is sent.
//
// All of it happens with the turn of the place held, but for what seats do: they post letters.
#ifndef TWI_FAR_H
#define TWI_FAR_H

#include "collection/collection.h"

// Around the life of a collection, when there are several places: the others know it by a number. 0
// or TW_E..., if this place or another has an `error`; may suspend.
int twi_far_open(struct tw_collection *collection, int error);
void twi_far_close(struct tw_collection *collection);

// Around a process: from here on, and until here, others are answered. May suspend. 0 or TW_E...,
// the same at all places; `error` is what this place knows of. Idle workers steal if a place wants
// that.
int twi_far_begin(struct tw_collection *collection, int error, int is_stealing);
int twi_far_end(struct tw_collection *collection, int error);

// What a place knows of an error; merged, that of the first place that has one. Flat.
struct twi_verdict {
    uint32_t place;
    int32_t error;
};
void twi_verdict_merge(struct twi_verdict *into, const struct twi_verdict *from);
// The error of the first place that has one; 0 if none has. May suspend.
int twi_far_agree(int error);
// Nothing is answered any more.
void twi_far_shut(struct tw_collection *collection);
// The turn of the place, when there are several: nothing is answered meanwhile.
void twi_far_lock(struct tw_collection *collection);
void twi_far_unlock(struct tw_collection *collection);

// No seat of this place has anything. From a seat.
void twi_far_idle(struct tw_collection *collection);
// Asks a place for items. How many the seat got. Suspends.
uint32_t twi_far_steal(struct twi_seat *seat);

#endif

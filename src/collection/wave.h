// SPDX-License-Identifier: Apache-2.0
// Between far.c and wave.c: the messages of collections, and the waves that find their end.
#ifndef TWI_WAVE_H
#define TWI_WAVE_H

#include "collection/collection.h"
#include "place/place.h"

// What a message says, besides collection, round and seat: all in its word.
enum twi_far_kind {
    TWI_FAR_ASK,   // a seat there has nothing
    TWI_FAR_GIVE,  // the answer: items, or none
    TWI_FAR_NOTES, // for records of the place it goes to
    TWI_FAR_UP,    // the places below have joined; bytes: struct twi_traffic
    TWI_FAR_AGAIN, // the wave was in vain: the next begins
    TWI_FAR_OVER,  // nothing is left anywhere
    TWI_FAR_STOP,  // a task failed: to the root, and from there to all
};

// ---- far.c ----
uint64_t twi_far_word(const struct tw_collection *c, enum twi_far_kind kind, uint32_t seat);
void twi_far_send(struct twi_place *place, uint32_t to, uint64_t word, const void *bytes,
                  size_t size);
// Sends what seats have noted for other places. When no seat has anything to run.
void twi_far_send_notes(struct twi_place *place, struct tw_collection *c);

// ---- wave.c ----
void twi_wave_begin(struct tw_collection *c);
// Joins the wave, if there is nothing to do here and all below have joined.
void twi_wave_join(struct twi_place *place, struct tw_collection *c);
void twi_wave_come(struct twi_place *place, struct tw_collection *c, const void *bytes);
void twi_wave_verdict(struct twi_place *place, struct tw_collection *c, enum twi_far_kind kind);
// A task has failed here.
void twi_wave_stop(struct twi_place *place, struct tw_collection *c);

#endif

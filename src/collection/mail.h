// SPDX-License-Identifier: Apache-2.0
// The messages of collections, and who handles them: all with the turn of the place held.
#ifndef TWI_COLLECTION_MAIL_H
#define TWI_COLLECTION_MAIL_H

#include "collection/collection.h"
#include "place/place.h"

// What a message says, besides collection, round and seat: all in its word.
enum twi_far_kind {
    TWI_FAR_ASK,    // a seat there has nothing
    TWI_FAR_GIVE,   // the answer: items, or none
    TWI_FAR_NOTES,  // for records of the place it goes to
    TWI_FAR_MOVE,   // records that are to be the place's it goes to
    TWI_FAR_PARCEL, // a part of a plan (parcel.h)
    TWI_FAR_UP,     // the places below have joined; bytes: struct twi_traffic
    TWI_FAR_AGAIN,  // the wave was in vain: the next begins
    TWI_FAR_OVER,   // nothing is left anywhere
    TWI_FAR_STOP,   // a task failed: to the root, and from there to all
};

// ---- far.c ----
uint64_t twi_far_word(const struct tw_collection *c, enum twi_far_kind kind, uint32_t seat);
void twi_far_send(struct twi_place *place, uint32_t to, uint64_t word, const void *bytes,
                  size_t size);
// The same from a task, which does not hold the turn: by a letter, with a copy of the bytes.
void twi_far_post(uint32_t to, uint64_t word, const void *bytes, size_t size);

// ---- exchange.c ----
// `c` is NULL when there is nothing to be had.
void twi_far_ask(struct twi_place *place, struct tw_collection *c, uint32_t from, uint64_t word);
void twi_far_give(struct tw_collection *c, uint64_t word, const void *bytes, uint32_t size);
void twi_far_note(struct tw_collection *c, const unsigned char *bytes, uint32_t size);
// Sends what seats have noted for other places. When no seat has anything to run.
void twi_far_send_notes(struct twi_place *place, struct tw_collection *c);

// ---- move.c ----
void twi_far_arrive(struct tw_collection *c, const unsigned char *bytes, uint32_t size);

// ---- parcel.c ----
void twi_far_parcel(struct tw_collection *c, const unsigned char *bytes, uint32_t size);

// ---- wave.c ----
void twi_wave_begin(struct tw_collection *c);
// Joins the wave, if there is nothing to do here and all below have joined.
void twi_wave_join(struct twi_place *place, struct tw_collection *c);
void twi_wave_come(struct twi_place *place, struct tw_collection *c, const void *bytes);
void twi_wave_verdict(struct twi_place *place, struct tw_collection *c, enum twi_far_kind kind);
// A task has failed here.
void twi_wave_stop(struct twi_place *place, struct tw_collection *c);

#endif

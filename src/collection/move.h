// SPDX-License-Identifier: Apache-2.0
// Moving records: seeds that have run here shall begin elsewhere.
#ifndef TWI_MOVE_H
#define TWI_MOVE_H

#include "collection/collection.h"

// Copies what leaves into one parcel for each place, and marks it. 0, TW_EINVAL: there is no such
// seed, place or seat, or one is named twice; TW_ENOMEM. Whatever it returns, unpack follows.
int twi_move_pack(struct tw_collection *collection, const struct tw_move *moves, size_t count,
                  struct twi_shelf **parcels);
// Frees the parcels; nothing is marked any more.
void twi_move_unpack(struct tw_collection *collection, struct twi_shelf *parcels);

// Several places: from here on records of others may come, until twi_far_shut.
void twi_move_expect(struct tw_collection *collection);
// Sends the parcels, and waits for so many records of others. Collective: all places expect them
// already. 0, or TW_ENOMEM or TW_ECANCELED, the same at all, and nothing has moved; may suspend.
int twi_move_carry(struct tw_collection *collection, const struct twi_shelf *parcels,
                   uint64_t coming);

#endif

// SPDX-License-Identifier: Apache-2.0
// Messages of a carrier in their buffers, those that are used again, and the pieces in which a
// message leaves. Belongs to whoever has the carrier's turn.
#ifndef TWI_PARCEL_H
#define TWI_PARCEL_H

#include <stdlib.h>
#include <string.h>

#include "carrier.h"

enum {
    TWI_PARCEL_SMALL = 4096, // bytes of a buffer that is used again
    TWI_PARCELS_SPARE = 64,  // of those at most
    TWI_PIECE = 3840,        // bytes that MPI sends at once: Open MPI 4096 with its own header
    TWI_PIECES_MOST = 64,    // of a packet; longer ones leave whole
};

// A message and where it is.
struct twi_parcel {
    struct twi_parcel *next; // spare, or to be sent
    uint32_t room;
    uint32_t to;
    enum twi_kind kind;
    uint32_t begun;               // bytes that have begun to leave, or have come
    uint32_t under_way;           // pieces that have not yet left
    _Alignas(16) uint64_t before; // so that the bytes are aligned
    struct twi_packet packet;     // from here on it is sent
    unsigned char bytes[];
};

struct twi_parcels {
    struct twi_parcel *spare;
    unsigned count;
};

// One with so many bytes after the packet. NULL: no memory.
static inline struct twi_parcel *twi_parcel_get(struct twi_parcels *parcels, size_t size)
{
    struct twi_parcel *parcel = parcels->spare;
    size_t room = size <= TWI_PARCEL_SMALL ? TWI_PARCEL_SMALL : size;
    if (size <= TWI_PARCEL_SMALL && parcel) {
        parcels->spare = parcel->next;
        parcels->count--;
    } else {
        parcel = malloc(sizeof *parcel + room);
    }
    if (parcel)
        *parcel = (struct twi_parcel){.room = (uint32_t)room};
    return parcel;
}

static inline void twi_parcel_put(struct twi_parcels *parcels, struct twi_parcel *parcel)
{
    if (parcel->room != TWI_PARCEL_SMALL || parcels->count == TWI_PARCELS_SPARE) {
        free(parcel);
        return;
    }
    parcel->next = parcels->spare;
    parcels->spare = parcel;
    parcels->count++;
}

static inline void twi_parcels_free(struct twi_parcels *parcels)
{
    for (struct twi_parcel *parcel = parcels->spare, *next; parcel; parcel = next) {
        next = parcel->next;
        free(parcel);
    }
}

// Of the message, with its packet.
static inline uint32_t twi_parcel_length(const struct twi_parcel *parcel)
{
    return (uint32_t)sizeof parcel->packet + parcel->packet.size;
}

static inline uint32_t twi_parcel_next_piece(const struct twi_parcel *parcel)
{
    uint32_t length = twi_parcel_length(parcel), left = length - parcel->begun;
    return left > TWI_PIECE && length <= TWI_PIECES_MOST * TWI_PIECE ? TWI_PIECE : left;
}

static inline unsigned char *twi_parcel_rest(struct twi_parcel *parcel)
{
    return (unsigned char *)&parcel->packet + parcel->begun;
}

// The first piece says how long all of it is: a parcel with room for that takes its place.
static inline struct twi_parcel *twi_parcel_grow(struct twi_parcels *parcels,
                                                 struct twi_parcel *first)
{
    struct twi_parcel *whole = twi_parcel_get(parcels, first->packet.size);
    if (whole) {
        whole->begun = first->begun;
        memcpy(&whole->packet, &first->packet, first->begun);
        twi_parcel_put(parcels, first);
    }
    return whole;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Operations on global memory that go by messages.
//
// A transfer is a sequence of bytes, row after row, in chunks: so much at once that the messages
// are few, so little that a place serves others in between. The one that wants it asks for chunks,
// or sends them, some ahead of the answers; answers of a place come in the order of the requests.
//
//      here                                    the place whose part it is
//      GET  what, where                        GOT  the bytes
//      PUT  what, where, the bytes             STORED
//      ADD  what, where, the bytes             STORED
#ifndef TWI_TRANSFER_H
#define TWI_TRANSFER_H

#include "place/global.h"
#include "place/place.h"

// Rows of bytes.
struct twi_rows {
    unsigned char *base;
    size_t columns, stride;
};

// What may be found at `offset` of the sequence, `left` bytes at most: where it is, and how many
// follow each other.
size_t twi_rows_at(const struct twi_rows *rows, size_t offset, size_t left, unsigned char **at);
// Copies `size` bytes of the sequences, each from an offset on.
void twi_rows_copy(const struct twi_rows *to, size_t to_offset, const struct twi_rows *from,
                   size_t from_offset, size_t size);
// The same, but adds; `to` is in the segment.
void twi_rows_add(struct twi_segment *segment, enum tw_element type, const struct twi_rows *to,
                  size_t to_offset, const struct twi_rows *from, size_t from_offset, size_t size);

// Where a transfer's sequence is in its place's part.
struct twi_sent_rows {
    struct tw_global global;
    uint64_t base, columns, stride; // bytes
    uint64_t offset, size;          // of the chunk
};

struct twi_transfer {
    struct twi_letter letter; // first: begins it
    enum twi_mail_kind kind;  // GET, PUT or ADD
    uint32_t place;
    struct twi_sent_rows there;
    struct twi_rows here;
    size_t size;
    size_t asked, done; // so far
    // All of it is done; by the communication worker. The transfer is its own again.
    void (*over)(struct twi_place *place, struct twi_transfer *transfer);
};

// The letter's `deliver`.
void twi_transfer_begin(struct twi_place *place, struct twi_letter *letter);
// Of the kinds GET to STORED.
void twi_transfer_mail(struct twi_place *place, uint32_t from, const struct twi_packet *packet,
                       const void *bytes);

#endif

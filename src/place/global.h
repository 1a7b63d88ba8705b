// SPDX-License-Identifier: Apache-2.0
// Arrays of global memory as a place knows them.
//
// A place's part is a segment: a page of locks and the elements. Neighbours map each other's
// segments, so an operation between them is a copy, and an accumulate takes the lock of each
// stripe that it touches, in the segment itself: so does the place whose it is when it adds for
// others. What cannot be mapped is reached by messages (transfer.h).
#ifndef TWI_GLOBAL_H
#define TWI_GLOBAL_H

#include <twill/matrix.h>

#include "base/lock.h"

enum {
    TWI_STRIPES = 64,        // locks of a segment
    TWI_STRIPE_BYTES = 4096, // of elements under one lock
    TWI_GLOBALS_MOST = 1024, // at once
};

struct twi_segment {
    struct {
        struct twi_lock lock;
        char line[60];
    } stripe[TWI_STRIPES];
    // Large blocks of memory begin near the start of a page. Where the two ends of a copy lie in
    // their pages some bytes apart, an AMD processor's `rep movsb` takes eight times as long.
    char apart[2048];
    unsigned char elements[];
};

struct twi_global {
    struct tw_global handle;
    enum tw_element type;
    size_t count;          // elements of each part
    size_t bytes;          // of a segment
    struct tw_shape shape; // of a matrix; rows 0: it is none
    struct twi_segment *own;
    uint32_t places;
    struct twi_segment *reach[]; // of each place; NULL: by messages
};

// All but the shape's rows may be what it likes for an array that is no matrix. As tw_global_make.
int twi_global_make(struct tw_global *global, const struct tw_shape *shape, size_t count);
// The program ends if there is no such array. Never suspends; any thread.
struct twi_global *twi_global_find(struct tw_global handle);

// Adds `bytes` bytes of elements at `offset` of the segment.
void twi_segment_add(struct twi_segment *segment, enum tw_element type, size_t offset,
                     const unsigned char *from, size_t bytes);

#endif

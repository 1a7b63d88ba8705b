// SPDX-License-Identifier: Apache-2.0
// Sums in a segment (global.h): stripe by stripe, each under its lock, one lock at a time. A sum of
// integers that overflows wraps around.
#include <string.h>

#include <twill/inline.h>

#include "place/global.h"

// What is added need not be aligned: it may have come in a message.
#define SUM_OF(name, type)                                                                         \
    static void name(unsigned char *to, const unsigned char *from, size_t bytes)                   \
    {                                                                                              \
        type *into = (type *)(void *)to, more;                                                     \
        for (size_t i = 0; i < bytes / sizeof more; i++) {                                         \
            memcpy(&more, from + i * sizeof more, sizeof more);                                    \
            into[i] += more;                                                                       \
        }                                                                                          \
    }

SUM_OF(add_int32, uint32_t)
SUM_OF(add_int64, uint64_t)
SUM_OF(add_float, float)
SUM_OF(add_double, double)

static void add(enum tw_element type, unsigned char *to, const unsigned char *from, size_t bytes)
{
    switch (type) {
    case TW_BYTE:
        break; // refused before
    case TW_INT32:
        add_int32(to, from, bytes);
        break;
    case TW_INT64:
        add_int64(to, from, bytes);
        break;
    case TW_FLOAT:
        add_float(to, from, bytes);
        break;
    case TW_DOUBLE:
        add_double(to, from, bytes);
        break;
    }
}

void twi_segment_add(struct twi_segment *segment, enum tw_element type, size_t offset,
                     const unsigned char *from, size_t bytes)
{
    while (bytes > 0) {
        size_t stripe = offset / TWI_STRIPE_BYTES, left = TWI_STRIPE_BYTES * (stripe + 1) - offset;
        size_t now = bytes < left ? bytes : left;
        struct twi_lock *lock = &segment->stripe[stripe % TWI_STRIPES].lock;
        twi_lock_take(lock);
        add(type, segment->elements + offset, from, now);
        twi_lock_drop(lock);
        offset += now;
        from += now;
        bytes -= now;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Who waits for something, the oldest first: a part of futures, mutexes, phasers and the like.
#ifndef TWILL_LINE_H
#define TWILL_LINE_H

#include <stddef.h>
#include <stdint.h>

#include <twill/api.h>

// All of it under the guard, a lock held for a few instructions (src/core/line.h).
struct tw_line {
    uint32_t guard TWI_ZERO;
    struct twi_waiter *first TWI_ZERO, *last TWI_ZERO;
};

#define TWI_LINE_INIT                                                                              \
    {                                                                                              \
        0, NULL, NULL                                                                              \
    }

#endif

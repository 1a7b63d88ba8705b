// SPDX-License-Identifier: Apache-2.0
// The locks of other places that a place holds.
#ifndef TWI_HOST_LOCKS_H
#define TWI_HOST_LOCKS_H

#include <stdint.h>

enum { TWI_LOCKS_MOST = 4 };

struct twi_host_locks {
    uint32_t list[TWI_LOCKS_MOST], count;
};

// 0: they are too many.
static inline int twi_host_lock(struct twi_host_locks *locks, uint32_t of)
{
    if (locks->count == TWI_LOCKS_MOST)
        return 0;
    locks->list[locks->count++] = of;
    return 1;
}

// 0: it is not held.
static inline int twi_host_unlock(struct twi_host_locks *locks, uint32_t of)
{
    for (uint32_t i = 0; i < locks->count; i++)
        if (locks->list[i] == of) {
            locks->list[i] = locks->list[--locks->count];
            return 1;
        }
    return 0;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Null tasks: those that turned out to have nothing to do, and that the program does not want to
// see again.
#ifndef TWI_PRUNE_H
#define TWI_PRUNE_H

#include <stdint.h>

// Drops the tasks whose entry in is_null[] is not 0 from a list, and keeps the others in their
// order: kept[] gets their old indexes, ascending; it has room for all. Returns how many they are.
static inline uint32_t twi_prune(const uint8_t *is_null, uint32_t count, uint32_t *kept)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        kept[left] = i;
        left += is_null[i] == 0;
    }
    return left;
}

#endif

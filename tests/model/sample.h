// SPDX-License-Identifier: Apache-2.0
// An example for the model checker, small enough to read at once: a cell through which one thread
// hands a value to another that may have to sleep for it. The giver pays no fence; the taker, who
// has time, calls membarrier.
//
// Edges:
//  [E1] full release/acquire: the taker sees the value.
//  [E2] the giver stores full, then reads asleep; the taker stores asleep, calls membarrier, then
//       reads full. Forbidden: both see 0, for then nobody wakes the taker.
#ifndef SAMPLE_H
#define SAMPLE_H

#include <twill/atomic.h>

struct sample_cell {
    uint32_t full;
    uint32_t asleep;
    uint32_t value; // writer: the giver, before full; reader: the taker, after it
};

static inline void sample_give(struct sample_cell *cell, uint32_t value)
{
    TWI_WRITE(cell->value, value);
    TWI_STORE(&cell->full, 1u, TWI_RELEASE); // [E1] [E2]
    TWI_COMPILER_FENCE();
    if (TWI_LOAD(&cell->asleep, TWI_RELAXED)) // [E2]
        twi_futex_wake(&cell->full, 1);
}

static inline uint32_t sample_take(struct sample_cell *cell)
{
    if (!TWI_LOAD(&cell->full, TWI_ACQUIRE)) {      // [E1]
        TWI_STORE(&cell->asleep, 1u, TWI_RELAXED);  // [E2]
        twi_membarrier();                           // [E2]
        while (!TWI_LOAD(&cell->full, TWI_ACQUIRE)) // [E1] [E2]
            twi_futex_wait(&cell->full, 0u, -1);
    }
    return TWI_READ(cell->value);
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Where a communication worker sleeps, and other threads wake it.
//
// Edges:
//  [Z4] called release/acquire: who was woken sees what was done before the call.
#ifndef TWI_DOZE_H
#define TWI_DOZE_H

#include <twill/atomic.h>

#include "base/os.h"

struct twi_doze {
    uint32_t called; // writers: who calls, who sleeps
};

// Sleeps for so long at most; not at all when it was called since the last time.
static inline void twi_doze_wait(struct twi_doze *doze, int64_t most_ns)
{
    if (TWI_LOAD(&doze->called, TWI_RELAXED) == 0) // rechecked by [Z4]
        (void)twi_futex_wait(&doze->called, 0, most_ns);
    (void)TWI_EXCHANGE(&doze->called, 0u, TWI_ACQUIRE); // [Z4]
}

// From any thread.
static inline void twi_doze_call(struct twi_doze *doze)
{
    if (TWI_EXCHANGE(&doze->called, 1u, TWI_RELEASE) == 0) // [Z4]
        (void)twi_futex_wake(&doze->called, 1);
}

#endif

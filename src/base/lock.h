// SPDX-License-Identifier: Apache-2.0
// A lock for short, rare sections. [L1] pairs an unlock with the next lock.
#ifndef TWI_LOCK_H
#define TWI_LOCK_H

#include <sched.h>
#include <stdint.h>

#include <twill/atomic.h>

#include "base/os.h"

struct twi_lock {
    uint32_t held;
};

static inline int twi_lock_try(struct twi_lock *lock)
{
    return !TWI_LOAD(&lock->held, TWI_RELAXED) &&       // hint
           !TWI_EXCHANGE(&lock->held, 1u, TWI_ACQUIRE); // [L1]
}

static inline void twi_lock_take(struct twi_lock *lock)
{
#ifdef TWI_MODEL
    while (!twi_lock_try(lock)) // without a count: to the model checker all turns are alike
        TWI_PAUSE();
#else
    for (unsigned tries = 1; !twi_lock_try(lock); tries++) {
        // The holder may have been descheduled.
        if (tries % 64 == 0)
            sched_yield();
        else
            twi_relax();
    }
#endif
}

static inline void twi_lock_drop(struct twi_lock *lock)
{
    TWI_STORE(&lock->held, 0u, TWI_RELEASE); // [L1]
}

#endif

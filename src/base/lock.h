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

// A turn of a loop that waits for another thread, which may have been descheduled. To the model
// checker all turns are alike: nothing is counted there.
static inline void twi_wait_turn(unsigned *turns)
{
#ifdef TWI_MODEL
    (void)turns;
    TWI_PAUSE();
#else
    if (++*turns % 64 == 0)
        sched_yield();
    else
        twi_relax();
#endif
}

static inline void twi_lock_take(struct twi_lock *lock)
{
    unsigned turns = 0;
    while (!twi_lock_try(lock))
        twi_wait_turn(&turns);
}

static inline void twi_lock_drop(struct twi_lock *lock)
{
    TWI_STORE(&lock->held, 0u, TWI_RELEASE); // [L1]
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Waits that end by what they wait for, by a deadline or by cancellation, whichever is first.
#ifndef TWI_SCHED_WAIT_H
#define TWI_SCHED_WAIT_H

#include "core/line.h"
#include "core/wait.h"
#include "sched/sched.h"

// One wait, on the stack of who waits. What it waits for puts its own part around it.
struct twi_wait {
    const char *what;     // it waits for, in a word or two
    const void *on;       // its address, or NULL
    uint64_t deadline_ns; // TW_NEVER: none
    // Makes the wait known to what it waits for, which may decide it from then on, and arms it,
    // under the lock of whoever may decide it if that is only one. 1: it waits, and may be over
    // already; 0: it was not armed, and nobody will decide it.
    int (*enlist)(struct twi_wait *wait);
    int outside; // what it waits for comes from the system: someone has to look for it
    // Of the rest, filled in by twi_wait_for:
    struct tw_fiber *fiber;
    struct twi_pool *pool;
    uint64_t ticket;
    struct tw_alarm alarm;
};

// Parks the calling task. TWI_DONE, TWI_LATE or TWI_CANCELLED; in the latter cases it may still be
// known to what it waited for. A deadline in the past, and a task that is cancelled already, do not
// wait. TWI_RUNNING: there is no memory for the alarm.
enum twi_waits twi_wait_for(struct twi_wait *wait);

// The same as an error: 0, TW_ETIMEDOUT, TW_ECANCELED or TW_ENOMEM.
int twi_wait_error(enum twi_waits how);

// In enlist, before the lock is given back. 0: the wait is over, nobody shall be told of it.
static inline int twi_wait_arm(struct twi_wait *wait)
{
    uint64_t *word = &twi_fiber_of(wait->fiber)->waits;
    if (wait->deadline_ns != TW_NEVER)
        return twi_waits_arm(word, wait->ticket);
    twi_waits_arm_alone(word, wait->ticket);
    return 1;
}

// A node that stands for the wait in a line.
static inline void twi_waiter_init(struct twi_waiter *waiter, const struct twi_wait *wait)
{
    TWI_WRITE(waiter->word, &twi_fiber_of(wait->fiber)->waits);
    TWI_WRITE(waiter->ticket, wait->ticket);
    TWI_WRITE(waiter->fiber, wait->fiber);
}

// Attempts of the pool were cancelled: ends the waits inside them. Any thread.
void twi_waits_cancel(struct twi_pool *pool);

// Lets the alarms of a heap ring whose time has come. Any thread.
void twi_alarms_ring(struct twi_pool *pool, struct twi_alarms *alarms, uint64_t now_ns);

// Sets an alarm on the calling worker. 0, or TW_ENOMEM.
int twi_alarm_start(struct tw_alarm *alarm);

#endif

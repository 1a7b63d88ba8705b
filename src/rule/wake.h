// SPDX-License-Identifier: Apache-2.0
// Where a fiber goes on that was woken, and how many of those that wait to go on a thief takes.
//
//      cur    the waker's mailbox                         one
//      last   the worker it ran on last                   one
//      lhws   the worker it ran on last                   half: a batch that thieves split
//      auto   the waker's mailbox                         half (docs/latency-hiding.md says why)
#ifndef TWI_RULE_WAKE_H
#define TWI_RULE_WAKE_H

// The same as tw_wake, in the same order.
enum twi_wake { TWI_WAKE_AUTO, TWI_WAKE_CUR, TWI_WAKE_LAST, TWI_WAKE_LHWS };

enum { TWI_BATCH_MOST = 16 };

// The worker whose mailbox a woken fiber goes to.
static inline unsigned twi_wake_place(enum twi_wake wake, unsigned waker, unsigned last)
{
    switch (wake) {
    case TWI_WAKE_LAST:
    case TWI_WAKE_LHWS:
        return last;
    case TWI_WAKE_AUTO:
    case TWI_WAKE_CUR:
        break;
    }
    return waker;
}

// How many a thief takes at most; it takes no more than half.
static inline unsigned twi_wake_batch(enum twi_wake wake)
{
    switch (wake) {
    case TWI_WAKE_CUR:
    case TWI_WAKE_LAST:
        return 1;
    case TWI_WAKE_AUTO:
    case TWI_WAKE_LHWS:
        break;
    }
    return TWI_BATCH_MOST;
}

#endif

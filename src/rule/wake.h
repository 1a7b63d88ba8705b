// SPDX-License-Identifier: Apache-2.0
// Where a fiber goes on that was woken, how many of those that wait to go on a thief takes, and
// whether it pays to take one.
//
//      cur    the waker's worker                          one
//      last   the worker it ran on last                   one
//      lhws   the worker it ran on last                   half: a batch that thieves split
//      auto   the worker it ran on last, or the           half (docs/networks.md and
//             waker's when fibers run but shortly         docs/latency-hiding.md say why)
//
// A fiber that goes on at another worker brings its stack and what it works on there, and whoever
// it talks to pays for the way each time. `pace` is how long a fiber runs between two waits, in
// nanoseconds, on average, less where it readies many (sched/ready.c); 0: not known yet.
#ifndef TWI_RULE_WAKE_H
#define TWI_RULE_WAKE_H

// The same as tw_wake, in the same order.
enum twi_wake { TWI_WAKE_AUTO, TWI_WAKE_CUR, TWI_WAKE_LAST, TWI_WAKE_LHWS };

enum {
    TWI_BATCH_MOST = 16,
    TWI_PACE_PAYS = 300, // below it a fiber had better stay with the worker it is at
};

static inline int twi_wake_pays(unsigned pace)
{
    return pace == 0 || pace >= TWI_PACE_PAYS;
}

// The worker a woken fiber goes to; `pace` is the waker's.
static inline unsigned twi_wake_place(enum twi_wake wake, unsigned waker, unsigned last,
                                      unsigned pace)
{
    switch (wake) {
    case TWI_WAKE_LAST:
    case TWI_WAKE_LHWS:
        return last;
    case TWI_WAKE_AUTO:
        return twi_wake_pays(pace) ? last : waker;
    case TWI_WAKE_CUR:
        break;
    }
    return waker;
}

// The same for what a worker found done that looked for work: it has time for it.
static inline unsigned twi_wake_place_found(enum twi_wake wake, unsigned finder, unsigned last)
{
    return wake == TWI_WAKE_AUTO ? finder : twi_wake_place(wake, finder, last, 0);
}

// The same as tw_steal, in the same order.
enum twi_share { TWI_SHARE_AUTO, TWI_SHARE_ONE, TWI_SHARE_HALF };

// How many a thief takes at most; it takes no more than half.
static inline unsigned twi_wake_batch(enum twi_wake wake, enum twi_share share)
{
    int one = wake == TWI_WAKE_CUR || wake == TWI_WAKE_LAST;
    switch (share) {
    case TWI_SHARE_AUTO:
        break;
    case TWI_SHARE_ONE:
        one = 1;
        break;
    case TWI_SHARE_HALF:
        one = 0;
        break;
    }
    return one ? 1 : TWI_BATCH_MOST;
}

#endif

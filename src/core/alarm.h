// SPDX-License-Identifier: Apache-2.0
// Alarms: a heap of deadlines, the earliest on top, one for each worker. Its worker sets alarms;
// anyone takes one back or lets those ring whose time has come.
//
// A node has four children, so that a step down reads one cache line.
//
// [Q1] earliest: stored, then the keeper's plan is read (src/sched/watch.c); a keeper stores its
// plan, then reads earliest. Forbidden: both miss, for then the keeper sleeps too long.
// [Q2] ringing: the release of who has cancelled an attempt; the acquire of who ends the attempt.
#ifndef TWI_ALARM_H
#define TWI_ALARM_H

#include <stddef.h>
#include <stdint.h>

#include <twill/attempt.h>

#include "base/lock.h"

struct twi_alarm_entry {
    uint64_t deadline_ns;
    struct tw_alarm *alarm;
};

struct twi_alarms {
    struct twi_lock lock;
    uint64_t earliest_ns; // TW_NEVER: none. writer: under the lock; readers: anyone, by [Q1]
    size_t count, room;   // under the lock, like the next
    struct twi_alarm_entry *entries;
};

void twi_alarms_init(struct twi_alarms *alarms);
void twi_alarms_free(struct twi_alarms *alarms);

// Room for one more. 0, or -1 when there is no memory. By the worker it belongs to.
int twi_alarms_reserve(struct twi_alarms *alarms);

// Sets it to ring at alarm->deadline_ns; there is room. By the worker it belongs to.
void twi_alarm_set(struct twi_alarms *alarms, struct tw_alarm *alarm);

// Takes an alarm back that was set. 1: it will not ring; 0: it has rung, or rings now.
int twi_alarm_take_back(struct tw_alarm *alarm);

// Under the lock: takes the top out if it is due. NULL: none.
struct tw_alarm *twi_alarms_pop_due(struct twi_alarms *alarms, uint64_t now_ns);

static inline uint64_t twi_alarms_earliest(const struct twi_alarms *alarms)
{
    return TWI_LOAD(&alarms->earliest_ns, TWI_SEQ_CST); // [Q1]
}

#endif

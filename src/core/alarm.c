// SPDX-License-Identifier: Apache-2.0
#include "core/alarm.h"

#include <stdlib.h>

enum { CHILDREN = 4, ROOM_FIRST = 64 };

void twi_alarms_init(struct twi_alarms *alarms)
{
    *alarms = (struct twi_alarms){.earliest_ns = TW_NEVER};
}

void twi_alarms_free(struct twi_alarms *alarms)
{
    free(alarms->entries);
}

int twi_alarms_reserve(struct twi_alarms *alarms)
{
    int error = 0;
    twi_lock_take(&alarms->lock);
    if (alarms->count == alarms->room) {
        size_t room = alarms->room ? 2 * alarms->room : ROOM_FIRST;
        struct twi_alarm_entry *entries = realloc(alarms->entries, room * sizeof *entries);
        if (entries) {
            alarms->entries = entries;
            alarms->room = room;
        } else {
            error = -1;
        }
    }
    twi_lock_drop(&alarms->lock);
    return error;
}

static void put(struct twi_alarms *alarms, size_t at, struct twi_alarm_entry entry)
{
    alarms->entries[at] = entry;
    entry.alarm->place = (uint32_t)at + 1;
}

static void rise(struct twi_alarms *alarms, size_t at, struct twi_alarm_entry entry)
{
    while (at) {
        size_t parent = (at - 1) / CHILDREN;
        if (alarms->entries[parent].deadline_ns <= entry.deadline_ns)
            break;
        put(alarms, at, alarms->entries[parent]);
        at = parent;
    }
    put(alarms, at, entry);
}

// The earliest child of a node, or `count`.
static size_t first_child(const struct twi_alarms *alarms, size_t at)
{
    size_t child = at * CHILDREN + 1, end = child + CHILDREN, best = child;
    if (end > alarms->count)
        end = alarms->count;
    if (child >= end)
        return alarms->count;
    while (++child < end)
        if (alarms->entries[child].deadline_ns < alarms->entries[best].deadline_ns)
            best = child;
    return best;
}

static void sink(struct twi_alarms *alarms, size_t at, struct twi_alarm_entry entry)
{
    for (;;) {
        size_t child = first_child(alarms, at);
        if (child == alarms->count || alarms->entries[child].deadline_ns >= entry.deadline_ns)
            break;
        put(alarms, at, alarms->entries[child]);
        at = child;
    }
    put(alarms, at, entry);
}

static void tell_earliest(struct twi_alarms *alarms)
{
    uint64_t earliest = alarms->count ? alarms->entries[0].deadline_ns : TW_NEVER;
    if (TWI_LOAD(&alarms->earliest_ns, TWI_RELAXED) != earliest) // relaxed: under the lock
        TWI_STORE(&alarms->earliest_ns, earliest, TWI_SEQ_CST);  // [Q1]
}

static void take_out(struct twi_alarms *alarms, size_t at)
{
    alarms->entries[at].alarm->place = 0;
    struct twi_alarm_entry last = alarms->entries[--alarms->count];
    if (at < alarms->count) {
        if (at && last.deadline_ns < alarms->entries[(at - 1) / CHILDREN].deadline_ns)
            rise(alarms, at, last);
        else
            sink(alarms, at, last);
    }
}

void twi_alarm_set(struct twi_alarms *alarms, struct tw_alarm *alarm)
{
    twi_lock_take(&alarms->lock);
    alarm->alarms = alarms;
    rise(alarms, alarms->count++, (struct twi_alarm_entry){alarm->deadline_ns, alarm});
    tell_earliest(alarms);
    twi_lock_drop(&alarms->lock);
}

int twi_alarm_take_back(struct tw_alarm *alarm)
{
    struct twi_alarms *alarms = alarm->alarms;
    twi_lock_take(&alarms->lock);
    int there = alarm->place != 0;
    if (there) {
        take_out(alarms, alarm->place - 1);
        tell_earliest(alarms);
    }
    twi_lock_drop(&alarms->lock);
    return there;
}

struct tw_alarm *twi_alarms_pop_due(struct twi_alarms *alarms, uint64_t now_ns)
{
    struct tw_alarm *due = NULL;
    if (alarms->count && alarms->entries[0].deadline_ns <= now_ns) {
        due = alarms->entries[0].alarm;
        take_out(alarms, 0);
        for (size_t next = 1; next <= CHILDREN && next < alarms->count; next++)
            __builtin_prefetch(alarms->entries[next].alarm, 1); // soon due, on stacks far away
    }
    if (!due)
        tell_earliest(alarms);
    return due;
}

// SPDX-License-Identifier: Apache-2.0
// Forks that are not where their handles say, by handle: a hash table with chains, grown as needed.
// Empty, and not even allocated, unless slots ran out or a plain function left tasks behind. Owner
// only.
#ifndef TWI_MISPLACED_H
#define TWI_MISPLACED_H

#include <stddef.h>

struct tw_slot;

struct twi_misplaced_entry {
    struct twi_misplaced_entry *next;
    const struct tw_slot *handle;
    struct tw_slot *slot;
};

struct twi_misplaced {
    struct twi_misplaced_entry **buckets;
    size_t bucket_count, count;
};

// Enters a fork. 0 when memory is out.
int twi_misplaced_put(struct twi_misplaced *table, const struct tw_slot *handle,
                      struct tw_slot *slot);
// Takes the newest entry of the handle out; NULL when there is none.
struct tw_slot *twi_misplaced_take(struct twi_misplaced *table, const struct tw_slot *handle);
void twi_misplaced_free(struct twi_misplaced *table);

#endif

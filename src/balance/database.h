// SPDX-License-Identifier: Apache-2.0
// What a core knows of the tasks it ran: how long each took, truncated and binned.
//
// A task is its index at that core. The database holds a number for each task and two words for
// each bin, whatever the tasks are: the tasks of a bin are a list, and a bit for each bin says
// whether there are any, so that the shortest task is found by looking at three words and one list.
// Adding a task is a few instructions, as it is done for every task that is run.
//
// Invariant: load_ns is the sum of twi_bin_ns() of what is in it. All balancers count in these
// durations alone, so that every core comes to the same sums.
#ifndef TWI_DATABASE_H
#define TWI_DATABASE_H

#include <stddef.h>
#include <stdint.h>

#include "balance/bin.h"

enum { TWI_BIN_WORDS = TWI_BINS / 64, TWI_BIN_GROUPS = (TWI_BIN_WORDS + 63) / 64 };

struct twi_database {
    uint64_t load_ns;
    uint32_t count, room;
    uint64_t groups[TWI_BIN_GROUPS]; // words of the next that are not 0
    uint64_t filled[TWI_BIN_WORDS];  // bins that are not empty
    uint32_t first[TWI_BINS];        // index + 1; valid where the bit is set
    uint32_t next[];                 // in the same bin: index + 1; 0: none
};

// Bytes for tasks of indexes below `room`.
size_t twi_database_size(uint32_t room);
// Makes an empty one of them.
struct twi_database *twi_database_make(void *memory, uint32_t room);
void twi_database_clear(struct twi_database *database);

// Each index once.
void twi_database_add(struct twi_database *database, uint32_t index, uint64_t duration_ns);

// Takes out the shortest task of those in bin `least` and above, of one bin the one that came last.
// The bin, or TWI_BINS: there is none.
uint32_t twi_database_take(struct twi_database *database, uint32_t least, uint32_t *index);

#endif

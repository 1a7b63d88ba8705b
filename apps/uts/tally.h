// SPDX-License-Identifier: Apache-2.0
// What the workers of this place have found so far, for searches over places: each counts its own,
// and afterwards all is added up. One search at a time.
#ifndef APPS_UTS_TALLY_H
#define APPS_UTS_TALLY_H

#include <twill/atomic.h>
#include <twill/runtime.h>

#include "apps/uts/uts.h"

// A cache line for each worker: nobody else writes it, but a progress line reads `nodes`.
struct uts_tally {
    struct uts_count count;
} __attribute__((aligned(64)));

extern struct uts_tally uts_tallies[TW_WORKERS_MAX];

// Adds what the calling task has found.
static inline void uts_tally_add(const struct uts_count *found)
{
    struct uts_count *count = &uts_tallies[tw_worker()].count;
    TWI_STORE(&count->nodes, count->nodes + found->nodes, TWI_RELAXED); // statistic
    count->leaves += found->leaves;
    if (count->depth < found->depth)
        count->depth = found->depth;
}

void uts_tally_clear(void);
// Of all places, after a search that ended with `error`, which is returned unless there is another.
// Collective.
int uts_tally_sum(int error, struct uts_count *count);

#endif

// SPDX-License-Identifier: Apache-2.0
// What a core gives away: the first part of both balancers. And limits and lists of picks.
#ifndef TWI_DONATE_H
#define TWI_DONATE_H

#include "balance/balancer.h"
#include "balance/database.h"

// The average of a sum times a factor in millionths, rounded up.
uint64_t twi_share_of(uint64_t sum_ns, uint32_t cores, uint32_t millionths);

// Takes the shortest tasks out of the database until what is left is at most `limit_ns`. Returns
// how many; picks[] has room for all, and has them longest first. Tasks that took no time stay:
// moving them changes no load.
uint32_t twi_donate(struct twi_database *database, uint32_t owner, uint64_t limit_ns,
                    struct twi_pick *picks);

// Sorts picks, longest first, those of one bin as they stood. `spare` has room for as many, and
// `counters` are TWI_BINS.
void twi_picks_sort(struct twi_pick *picks, uint32_t count, struct twi_pick *spare,
                    uint32_t *counters);

// ---- for plans of a whole layout ----

// The sum of all loads, in durations of bins.
uint64_t twi_layout_load(const struct twi_layout *layout);
// Tasks of the core that has the most.
uint32_t twi_layout_most(const struct twi_layout *layout);
// One core's donation, by a database that is used for all of them. Returns what twi_donate() does;
// load_ns: what the core keeps.
uint32_t twi_layout_donate(const struct twi_layout *layout, uint32_t core, uint64_t limit_ns,
                           struct twi_database *database, struct twi_pick *picks,
                           uint64_t *load_ns);
// Adds a move, unless the task comes home.
void twi_plan_add(struct twi_plan *plan, const struct twi_pick *pick, uint32_t receiver);

// Takes `bytes` of memory, of which `used` are in use; NULL memory counts only.
static inline void *twi_carve(void *memory, size_t *used, size_t bytes)
{
    size_t at = *used;
    *used = at + (bytes + 15) / 16 * 16;
    return memory ? (char *)memory + at : NULL;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// A plan where seeds begin the next time, made by all places together from what the seeds cost: the
// balancers (src/balance/), in pieces. Every seat of every place is a core; cores are numbered
// place by place.
//
//      plan.c          what the seats of this place have, and give away
//      plan_central.c  Algorithm 1: place 0 is told of all, and answers each place
//      plan_tree.c     Algorithm 2: each place runs the nodes whose first core it has
//
// What a place gets out of it is the same: which seeds leave its seats, and how many come from
// other places.
#ifndef TWI_COLLECTION_PLAN_H
#define TWI_COLLECTION_PLAN_H

#include "balance/branch.h"
#include "balance/donate.h"
#include "collection/parcel.h"

struct twi_rebalance {
    struct tw_collection *collection;
    struct twi_balance_rules rules;
    uint32_t cores; // of all places
    uint32_t base;  // the first of this one
    // Of this place, in durations of bins.
    struct twi_layout layout;
    uint32_t *first;
    uint64_t *duration_ns;
    uint64_t *load_ns;        // of each seat; then without what it gives away
    uint32_t *given;          // picks of each seat
    struct twi_pick *picks;   // seat after seat
    uint32_t count;           // of picks
    uint64_t sum_ns, most_ns; // this place's; then those of all
    // What comes of it.
    struct tw_move *moves; // away from seats of this place
    uint32_t moves_count;
    uint64_t coming;   // records from other places
    uint64_t after_ns; // that the busiest seat will have, as far as this place knows
};

// What the seats have: sum_ns and most_ns of this place. 0 or TW_ENOMEM.
int twi_rebalance_open(struct twi_rebalance *self, struct tw_collection *collection);
void twi_rebalance_close(struct twi_rebalance *self);

// What one core may keep. sum_ns is that of all places.
uint64_t twi_rebalance_limit(const struct twi_rebalance *self);
// Finds out what the seats give away.
void twi_rebalance_donate(struct twi_rebalance *self);

// The place of a core.
uint32_t twi_rebalance_place(const struct twi_rebalance *self, uint32_t core);
// Seeds of this place go where these say, unless they come home.
void twi_rebalance_leave(struct twi_rebalance *self, const struct twi_move *moves, uint32_t count);

// Make the plan. Collective, after donate; 0 or TW_ECANCELED. May suspend.
int twi_rebalance_central(struct twi_rebalance *self);
int twi_rebalance_tree(struct twi_rebalance *self);

#endif

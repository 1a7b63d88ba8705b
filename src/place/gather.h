// SPDX-License-Identifier: Apache-2.0
// Gatherings: every place gives something, all get what it makes together. Up the tree of places
// and down again.
#ifndef TWI_GATHER_H
#define TWI_GATHER_H

#include "place/place.h"

typedef void twi_merge(void *into, const void *from);

// What a place gives, and gets: `count` values of `size` bytes each.
struct twi_gift {
    void *values;
    size_t count, size;
    twi_merge *merge;
    int is_empty; // it only gets
};

// All places call it, in the same order, outside runs or at the top level of tw_run_spmd's task. 0
// or TW_E... There it suspends, else it blocks.
int twi_gather(const struct twi_gift *gift);

// Of the kinds UP and DOWN.
void twi_gather_mail(struct twi_place *place, const struct twi_packet *packet, const void *bytes);
// The run is over: what was cancelled in it is forgotten.
void twi_gather_forget(struct twi_place *place);

#endif

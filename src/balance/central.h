// SPDX-License-Identifier: Apache-2.0
// Algorithm 1: one core gets what all give away, and hands it out.
#ifndef TWI_CENTRAL_H
#define TWI_CENTRAL_H

#include "balance/balancer.h"

struct twi_load {
    uint64_t load_ns;
    uint32_t core;
};

// The part of core 0. `pool` is sorted, longest first. Each task goes to the core that has least
// then, of those that have the same to the one of the lowest number. load_ns[] are what the cores
// kept, and become what they have; `heap` has room for `cores`. receiver[i] is pool[i]'s.
void twi_central_assign(uint64_t *load_ns, uint32_t cores, const struct twi_pick *pool,
                        uint32_t count, struct twi_load *heap, uint32_t *receiver);

#endif

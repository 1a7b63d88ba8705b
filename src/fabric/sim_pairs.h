// SPDX-License-Identifier: Apache-2.0
// When the last packet of a pair of places arrives, for pairs that have one under way.
#ifndef TWI_SIM_PAIRS_H
#define TWI_SIM_PAIRS_H

#include <stddef.h>
#include <stdint.h>

struct twi_sim_pair {
    uint64_t key; // 0: free
    uint64_t arrives_ns;
};

struct twi_sim_pairs {
    struct twi_sim_pair *table;
    size_t used, room; // room is a power of two, or 0
};

// The time of a pair; 0 when it is new. What is before now_ns may be forgotten. NULL: no memory.
uint64_t *twi_sim_pair(struct twi_sim_pairs *pairs, uint32_t from, uint32_t to, uint64_t now_ns);
void twi_sim_pairs_destroy(struct twi_sim_pairs *pairs);
size_t twi_sim_pairs_bytes(const struct twi_sim_pairs *pairs);

#endif

// SPDX-License-Identifier: Apache-2.0
// The simulator's queue alone, under the hold model: so many events are pending, and each that
// comes due makes another, a random time later.
#ifndef SIM_HOLD_H
#define SIM_HOLD_H

#include <stdint.h>

struct sim_hold;

// With so many events pending. NULL: no memory.
struct sim_hold *sim_hold_create(uint32_t pending);
void sim_hold_destroy(struct sim_hold *hold);

// Handles so many. Returns how many came due, and in order; all, unless something is wrong.
uint64_t sim_hold_run(struct sim_hold *hold, uint64_t events);

#endif

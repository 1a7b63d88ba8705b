// SPDX-License-Identifier: Apache-2.0
// How a place divides its processors between workers and its communication worker: TWILL_COMM.
#ifndef TWI_COMM_H
#define TWI_COMM_H

#include <stdint.h>

#include <twill/runtime.h>

#include "fabric/sharing.h"

enum {
    TWI_COMM_AUTO_LEAST = 8,   // with so many processors auto gives one to the communication worker
    TWI_COMM_SPIN_NS = 500000, // on one of its own it looks for so long before it sleeps
};

struct twi_division {
    unsigned workers;
    uint64_t spin_ns; // 0: the communication worker sleeps whenever nothing has come
};

// Processors that a place has in common with others, and how many places these are, itself
// included.
struct twi_common {
    unsigned processors, places;
    int is_alike; // none of them may use other processors besides
};

// What it may use by its affinity mask, shared with those whose masks overlap its own; or what the
// control group grants to all places of the host, where that is less for each.
struct twi_common twi_common(const struct tw_machine *machine, unsigned neighbours,
                             const struct twi_sharing *sharing);

// Of processors that so many places share; `wanted` workers, 0: as many as fit.
struct twi_division twi_divide(enum tw_comm comm, unsigned processors, unsigned places,
                               unsigned wanted);

// Whether the workers, so many at each place, are more than the processors that they share. Where
// some may run elsewhere nobody knows: then they are not.
int twi_is_crowded(const struct twi_common *common, unsigned workers);

#endif

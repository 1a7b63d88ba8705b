// SPDX-License-Identifier: Apache-2.0
// How a place divides its processors between workers and its communication worker: TWILL_COMM.
#ifndef TWI_COMM_H
#define TWI_COMM_H

#include <stdint.h>

#include <twill/runtime.h>

enum {
    TWI_COMM_AUTO_LEAST = 8,   // with so many processors auto gives one to the communication worker
    TWI_COMM_SPIN_NS = 500000, // on one of its own it looks for so long before it sleeps
};

struct twi_division {
    unsigned workers;
    uint64_t spin_ns; // 0: the communication worker sleeps whenever nothing has come
};

// Of a host's processors, which so many places share; `wanted` workers, 0: as many as fit.
struct twi_division twi_divide(enum tw_comm comm, unsigned processors, unsigned places,
                               unsigned wanted);

// Whether the workers of a host, so many at each of so many places, are more than its processors.
// Who is bound to some of these does not know whether others have the same: for it they are not.
int twi_is_crowded(const struct tw_machine *machine, unsigned places, unsigned workers);

#endif

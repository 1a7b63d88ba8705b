// SPDX-License-Identifier: Apache-2.0
// When a place that has nothing to do leaves others alone, where workers are more than processors;
// simulations of such machines use the same.
#ifndef TWI_REST_H
#define TWI_REST_H

#include <stdint.h>

// Who has rested for so long looks for something all the same: workers that seem to run may be in
// calls that block, and their processors free.
enum { TWI_REST_MOST_NS = 100000000 };

// How busy the processors of a host are.
struct twi_bustle {
    unsigned processors;
    unsigned here;   // workers of this place that run tasks
    unsigned others; // workers of its neighbours that run tasks or look for some
    int has_got;     // this place has got tasks in this run
    uint64_t rested_ns;
};

// Whether idle workers of the place rest. What they would take from a neighbour runs as soon there;
// a steal would only cost both of them time. In each run a place first gets something, however busy
// all are.
static inline int twi_is_to_rest(const struct twi_bustle *bustle)
{
    return bustle->has_got && bustle->rested_ns < TWI_REST_MOST_NS &&
           bustle->here + bustle->others >= bustle->processors;
}

#endif

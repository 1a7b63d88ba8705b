// SPDX-License-Identifier: Apache-2.0
// The rules that live places steal by; simulations of them use the same.
#ifndef TWI_RULES_H
#define TWI_RULES_H

#include "machine.h"

enum { TWI_PLACE_THRESHOLD = 0 }; // others ask a place that shares more tasks than that

// Of one place among `places`, whose rules otherwise differ in their seed only.
static inline struct twi_rules twi_rules_live(uint32_t place, uint32_t places, uint32_t workers)
{
    return (struct twi_rules){.place = place,
                              .places = places,
                              .workers = workers,
                              .threshold = TWI_PLACE_THRESHOLD,
                              .batch = 4,
                              .hungry = 1,
                              .tries = 2,
                              .backoff_ns = 100000,
                              .backoff_most_ns = 20000000};
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Which places of a host have the same processors: a launcher may have bound each to its own, all
// to some, or none.
#ifndef TWI_SHARING_H
#define TWI_SHARING_H

#include <stdint.h>

enum { TWI_PROCESSORS_MOST = 8192 };

// An affinity mask, as places send it to each other.
struct twi_processors {
    unsigned char bits[TWI_PROCESSORS_MOST / 8];
};

// Of one place among those of its host.
struct twi_sharing {
    uint32_t sharers; // places that may use some of its processors, itself included
    uint32_t before;  // of these, those with a lower number
    uint32_t first;   // the lowest place that may use the very same processors
    int is_alike;     // all sharers may
};

// Those of this process, as its main thread has them: others may be bound by us. All that there can
// be where the system does not tell.
void twi_processors_here(struct twi_processors *processors);

struct twi_sharing twi_sharing_of(const struct twi_processors *each, uint32_t places,
                                  uint32_t place);

#endif

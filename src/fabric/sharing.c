// SPDX-License-Identifier: Apache-2.0
// See sharing.h.
#include "fabric/sharing.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

void twi_processors_here(struct twi_processors *processors)
{
    cpu_set_t *mask = CPU_ALLOC(TWI_PROCESSORS_MOST);
    size_t size = CPU_ALLOC_SIZE(TWI_PROCESSORS_MOST);
    memset(processors, 0xff, sizeof *processors);
    if (mask && sched_getaffinity(getpid(), size, mask) == 0)
        memcpy(processors, mask, sizeof *processors);
    if (mask)
        CPU_FREE(mask);
}

static int overlap(const struct twi_processors *one, const struct twi_processors *other)
{
    unsigned common = 0;
    for (unsigned i = 0; i < sizeof one->bits; i++)
        common |= one->bits[i] & other->bits[i];
    return common != 0;
}

struct twi_sharing twi_sharing_of(const struct twi_processors *each, uint32_t places,
                                  uint32_t place)
{
    struct twi_sharing sharing = {.first = place, .is_alike = 1};
    for (uint32_t i = 0; i < places; i++) {
        int is_same = memcmp(&each[i], &each[place], sizeof *each) == 0;
        if (!is_same && !overlap(&each[i], &each[place]))
            continue;
        sharing.sharers++;
        sharing.before += i < place;
        sharing.is_alike &= is_same;
        if (is_same && i < sharing.first)
            sharing.first = i;
    }
    return sharing;
}

// SPDX-License-Identifier: Apache-2.0
#include "trace/ring.h"

#include <stdlib.h>

// Not cleared: pages that are never written to cost nothing.
int twi_ring_init(struct twi_ring *ring, size_t events)
{
    size_t size = 1;
    while (size < events)
        size *= 2;
    ring->records = malloc(size * sizeof *ring->records);
    ring->mask = size - 1;
    ring->written = 0;
    return ring->records ? 0 : TW_ENOMEM;
}

void twi_ring_free(struct twi_ring *ring)
{
    free(ring->records);
}

void twi_ring_add(struct twi_ring *ring, enum twi_trace_event event, const struct tw_fiber *fiber,
                  const char *task, unsigned victim)
{
    ring->records[ring->written++ & ring->mask] =
        (struct twi_record){twi_ticks(), task, fiber->index, (uint16_t)event, (uint16_t)victim};
}

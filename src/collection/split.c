// SPDX-License-Identifier: Apache-2.0
// See split.h: the rings of a split queue.
#include "collection/split.h"

#include <stdlib.h>

// A line each, so that a task of a line does not lie in two.
static unsigned char *make_ring(uint32_t task_size, uint32_t order)
{
    size_t size = (size_t)task_size << order;
    return aligned_alloc(64, (size + 63) & ~(size_t)63);
}

int twi_split_open(struct twi_split *q, uint32_t task_size, uint32_t order)
{
    unsigned char *ring = make_ring(task_size, order);
    if (!ring)
        return -1;
    *q = (struct twi_split){.word = twi_split_word(0, 0, order),
                            .task_size = task_size,
                            .last = (1u << order) - 1,
                            .slot = ring};
    q->ring[order] = ring;
    return 0;
}

int twi_split_grow(struct twi_split *q, uint32_t order_max)
{
    uint32_t order = twi_split_span(TWI_LOAD(&q->word, TWI_RELAXED)).order; // relaxed: owner-only
    unsigned char *ring = order < order_max ? make_ring(q->task_size, order + 1) : NULL;
    if (!ring)
        return -1;
    twi_split_move(q, ring);
    return 0;
}

void twi_split_calm(struct twi_split *q)
{
    for (uint32_t i = 0; i <= TWI_SPLIT_ORDER_MAX; i++)
        if (q->ring[i] && q->ring[i] != q->slot) {
            free(q->ring[i]);
            q->ring[i] = NULL;
        }
}

void twi_split_close(struct twi_split *q)
{
    twi_split_calm(q);
    free(q->slot);
    *q = (struct twi_split){.word = 0};
}

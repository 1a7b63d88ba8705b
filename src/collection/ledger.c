// SPDX-License-Identifier: Apache-2.0
// What a seat has to do, by what the last process taught: for thieves of other places, which take
// half of the time that is left, and nothing where next to nothing is.
#include "collection/collection.h"

uint64_t twi_items_cost(const struct tw_collection *c, const unsigned char *items, uint32_t count,
                        uint32_t *is_vague)
{
    uint64_t sum_ns = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t cost_ns = ((const struct twi_item *)(items + (size_t)i * c->item_size))->cost_ns;
        sum_ns += cost_ns;
        if (is_vague)
            *is_vague |= cost_ns == 0;
    }
    return sum_ns;
}

uint64_t twi_ledger_left(const struct twi_ledger *ledger)
{
    uint64_t came_ns = TWI_LOAD(&ledger->came_ns, TWI_RELAXED);  // hint
    uint64_t away_ns = TWI_LOAD(&ledger->gone_ns, TWI_RELAXED) + // hint
                       TWI_LOAD(&ledger->done_ns, TWI_RELAXED);  // hint
    return came_ns > away_ns ? came_ns - away_ns : 0;
}

void twi_ledger_come(struct twi_ledger *ledger, uint64_t cost_ns, uint32_t is_vague)
{
    if (cost_ns)
        TWI_FETCH_ADD(&ledger->came_ns, cost_ns, TWI_RELAXED); // hint
    if (is_vague)
        TWI_STORE(&ledger->is_vague, 1u, TWI_RELAXED); // hint
}

void twi_ledger_move(struct twi_seat *from, struct twi_seat *to, uint32_t got)
{
    const struct twi_split *q = &to->queue;
    uint64_t cost_ns = 0;
    uint32_t is_vague = 0;
    for (uint32_t at = q->head - got; at != q->head; at++)
        cost_ns += twi_items_cost(to->collection, twi_split_slot(q, at), 1, &is_vague);
    TWI_FETCH_ADD(&from->ledger.gone_ns, cost_ns, TWI_RELAXED); // hint
    twi_ledger_come(&to->ledger, cost_ns, is_vague);
}

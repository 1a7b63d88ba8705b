// SPDX-License-Identifier: Apache-2.0
// See plan.h: what the seats of this place have, and give away.
#include "collection/plan.h"

#include <stdlib.h>

#include "balance/bin.h"

static uint32_t records_of(const struct tw_collection *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->seats; i++)
        count += c->seat[i].ran.count;
    return count;
}

// Costs as they are, and their sums in durations of bins.
static void lay_out(struct twi_rebalance *self)
{
    const struct tw_collection *c = self->collection;
    uint32_t at = 0;
    for (uint32_t i = 0; i < c->seats; i++) {
        self->first[i] = at;
        self->load_ns[i] = 0;
        for (uint32_t k = 0; k < c->seat[i].ran.count; k++) {
            self->duration_ns[at] = twi_shelf_at(c, &c->seat[i].ran, k)->cost_ns;
            self->load_ns[i] += twi_bin_ns(twi_bin_of(self->duration_ns[at++]));
        }
        self->sum_ns += self->load_ns[i];
        if (self->load_ns[i] > self->most_ns)
            self->most_ns = self->load_ns[i];
    }
    self->first[c->seats] = at;
    self->layout = (struct twi_layout){c->seats, self->first, self->duration_ns};
}

int twi_rebalance_open(struct twi_rebalance *self, struct tw_collection *c)
{
    size_t tasks = (size_t)records_of(c) + 1;
    *self = (struct twi_rebalance){.collection = c,
                                   .rules = TWI_BALANCE_RULES,
                                   .cores = (uint32_t)c->far.first_core[tw_places()],
                                   .base = (uint32_t)c->far.first_core[tw_here()]};
    self->first = malloc((c->seats + 1) * sizeof *self->first);
    self->duration_ns = malloc(tasks * sizeof *self->duration_ns);
    self->load_ns = malloc(c->seats * sizeof *self->load_ns);
    self->given = calloc(c->seats, sizeof *self->given);
    self->picks = malloc(tasks * sizeof *self->picks);
    self->moves = malloc(tasks * sizeof *self->moves);
    if (!self->first || !self->duration_ns || !self->load_ns || !self->given || !self->picks ||
        !self->moves)
        return TW_ENOMEM;
    lay_out(self);
    return 0;
}

void twi_rebalance_close(struct twi_rebalance *self)
{
    free(self->first);
    free(self->duration_ns);
    free(self->load_ns);
    free(self->given);
    free(self->picks);
    free(self->moves);
}

uint64_t twi_rebalance_limit(const struct twi_rebalance *self)
{
    return twi_share_of(self->sum_ns, self->cores, self->rules.keep);
}

void twi_rebalance_donate(struct twi_rebalance *self)
{
    uint32_t most = twi_layout_most(&self->layout);
    void *memory = twi_parcel_memory(twi_database_size(most));
    struct twi_database *database = twi_database_make(memory, most);
    for (uint32_t i = 0; i < self->layout.cores; i++) {
        struct twi_pick *picks = self->picks + self->count;
        self->given[i] = twi_layout_donate(&self->layout, i, twi_rebalance_limit(self), database,
                                           picks, &self->load_ns[i]);
        for (uint32_t k = 0; k < self->given[i]; k++)
            picks[k].owner += self->base;
        self->count += self->given[i];
    }
    free(memory);
}

uint32_t twi_rebalance_place(const struct twi_rebalance *self, uint32_t core)
{
    const uint64_t *first = self->collection->far.first_core;
    uint32_t low = 0, high = tw_places();
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (first[middle] <= core)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void twi_rebalance_leave(struct twi_rebalance *self, const struct twi_move *moves, uint32_t count)
{
    const uint64_t *first = self->collection->far.first_core;
    for (uint32_t i = 0; i < count; i++) {
        if (moves[i].donor == moves[i].receiver)
            continue;
        uint32_t to = twi_rebalance_place(self, moves[i].receiver);
        self->moves[self->moves_count++] =
            (struct tw_move){.worker = moves[i].donor - self->base,
                             .index = moves[i].index,
                             .to_place = to,
                             .to_worker = moves[i].receiver - (uint32_t)first[to]};
    }
}

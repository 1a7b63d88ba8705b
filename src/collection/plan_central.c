// SPDX-License-Identifier: Apache-2.0
// See plan.h: Algorithm 1. Each place tells place 0 what its seats keep and give away, and is told
// where that goes, and how much comes.
#include <stdlib.h>
#include <string.h>

#include "balance/central.h"
#include "collection/plan.h"

// What place 0 knows.
struct table {
    uint64_t *load_ns; // of all cores
    struct twi_load *heap;
    struct twi_pick *pool; // place after place; then sorted
    uint32_t count;
    uint32_t *receiver;
};

// To one place. Flat: it travels as it is.
struct reply {
    uint64_t coming; // from other places
    uint64_t count;
    struct twi_move moves[]; // of its own picks
};

static struct twi_label label_of(enum twi_parcel_what what, uint32_t place)
{
    return (struct twi_label){.what = what, .node = place};
}

static void tell(struct twi_rebalance *self)
{
    size_t loads = self->layout.cores * sizeof *self->load_ns;
    size_t picks = self->count * sizeof *self->picks;
    struct twi_parcel *parcel =
        twi_parcel_make(label_of(TWI_PARCEL_LOADS, tw_here()), loads + picks);
    memcpy(parcel->bytes, self->load_ns, loads);
    memcpy(parcel->bytes + loads, self->picks, picks);
    twi_parcel_send(self->collection, 0, parcel);
}

// Of one place, behind what is there.
static int hear(struct twi_rebalance *self, struct table *table, uint32_t place)
{
    const uint64_t *first = self->collection->far.first_core;
    size_t loads = (size_t)(first[place + 1] - first[place]) * sizeof *table->load_ns;
    int error;
    struct twi_parcel *parcel =
        twi_parcel_wait(self->collection, label_of(TWI_PARCEL_LOADS, place), &error);
    if (!parcel)
        return error;
    size_t bytes = parcel->size - loads, before = table->count * sizeof *table->pool;
    struct twi_pick *pool = twi_parcel_memory(before + bytes);
    if (before)
        memcpy(pool, table->pool, before);
    memcpy((unsigned char *)pool + before, parcel->bytes + loads, bytes);
    memcpy(table->load_ns + first[place], parcel->bytes, loads);
    free(table->pool);
    table->pool = pool;
    table->count += (uint32_t)(bytes / sizeof *pool);
    free(parcel);
    return 0;
}

static void assign(struct twi_rebalance *self, struct table *table)
{
    struct twi_pick *spare = twi_parcel_memory(table->count * sizeof *spare);
    uint32_t *counters = twi_parcel_memory(TWI_BINS * sizeof *counters);
    table->receiver = twi_parcel_memory(table->count * sizeof *table->receiver);
    twi_picks_sort(table->pool, table->count, spare, counters);
    twi_central_assign(table->load_ns, self->cores, table->pool, table->count, table->heap,
                       table->receiver);
    for (uint32_t i = 0; i < self->cores; i++)
        if (table->load_ns[i] > self->after_ns)
            self->after_ns = table->load_ns[i];
    free(spare);
    free(counters);
}

// One for each place, empty, with room for all its picks.
static struct twi_parcel **open_replies(const struct twi_rebalance *self, const struct table *table)
{
    uint32_t places = tw_places();
    struct twi_parcel **replies = twi_parcel_memory(places * sizeof *replies);
    uint32_t *given = twi_parcel_memory(places * sizeof *given);
    memset(given, 0, places * sizeof *given);
    for (uint32_t i = 0; i < table->count; i++)
        given[twi_rebalance_place(self, table->pool[i].owner)]++;
    for (uint32_t i = 0; i < places; i++) {
        size_t size = sizeof(struct reply) + given[i] * sizeof(struct twi_move);
        replies[i] = twi_parcel_make(label_of(TWI_PARCEL_REPLY, i), size);
        *(struct reply *)replies[i]->bytes = (struct reply){0, 0};
    }
    free(given);
    return replies;
}

static void reply(struct twi_rebalance *self, const struct table *table)
{
    struct twi_parcel **replies = open_replies(self, table);
    for (uint32_t i = 0; i < table->count; i++) {
        const struct twi_pick *pick = &table->pool[i];
        uint32_t from = twi_rebalance_place(self, pick->owner);
        uint32_t to = twi_rebalance_place(self, table->receiver[i]);
        struct reply *own = (struct reply *)replies[from]->bytes;
        own->moves[own->count++] = (struct twi_move){pick->owner, pick->index, table->receiver[i]};
        ((struct reply *)replies[to]->bytes)->coming += from != to;
    }
    for (uint32_t i = 0; i < tw_places(); i++)
        twi_parcel_send(self->collection, i, replies[i]);
    free(replies);
}

static int hand_out(struct twi_rebalance *self)
{
    struct table table = {.load_ns = twi_parcel_memory(self->cores * sizeof *table.load_ns),
                          .heap = twi_parcel_memory(self->cores * sizeof *table.heap)};
    int error = 0;
    for (uint32_t place = 0; place < tw_places() && !error; place++)
        error = hear(self, &table, place);
    if (!error) {
        assign(self, &table);
        reply(self, &table);
    }
    free(table.load_ns);
    free(table.heap);
    free(table.pool);
    free(table.receiver);
    return error;
}

int twi_rebalance_central(struct twi_rebalance *self)
{
    tell(self);
    int error = tw_here() == 0 ? hand_out(self) : 0;
    if (error)
        return error;
    struct twi_parcel *parcel =
        twi_parcel_wait(self->collection, label_of(TWI_PARCEL_REPLY, tw_here()), &error);
    if (!parcel)
        return error;
    const struct reply *reply = (const struct reply *)parcel->bytes;
    self->coming = reply->coming;
    twi_rebalance_leave(self, reply->moves, (uint32_t)reply->count);
    free(parcel);
    return 0;
}

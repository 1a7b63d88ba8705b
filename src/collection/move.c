// SPDX-License-Identifier: Apache-2.0
// See move.h. Those that leave are marked, copied and sent; those that come stand apart until all
// have come, and all places have room for them. Only then are the former taken out.
#include <stdlib.h>
#include <string.h>

#include "collection/far.h"
#include "collection/mail.h"
#include "collection/move.h"
#include "collection/parcel.h"

static struct twi_item *record_of(const struct tw_collection *c, const struct tw_move *move)
{
    return twi_shelf_at(c, &c->seat[move->worker].ran, move->index);
}

// ---- leaving ----

static int is_known(const struct tw_collection *c, const struct tw_move *move)
{
    const uint64_t *first = c->far.first_core;
    return move->worker < c->seats && move->index < c->seat[move->worker].ran.count &&
           move->to_place < tw_places() &&
           move->to_worker < first[move->to_place + 1] - first[move->to_place];
}

// Marks it, and copies it to the parcel of its place, with the seat it goes to.
static int pack(struct tw_collection *c, const struct tw_move *move, struct twi_shelf *parcels)
{
    if (!is_known(c, move) || record_of(c, move)->flags & TWI_ITEM_MOVED)
        return TW_EINVAL;
    struct twi_item *copy = twi_shelf_add(c, &parcels[move->to_place]);
    if (!copy)
        return TW_ENOMEM;
    memcpy(copy, record_of(c, move), c->item_size);
    copy->flags = 0;
    copy->seat = move->to_worker;
    record_of(c, move)->flags |= TWI_ITEM_MOVED;
    return 0;
}

int twi_move_pack(struct tw_collection *c, const struct tw_move *moves, size_t count,
                  struct twi_shelf **parcels)
{
    *parcels = calloc(tw_places(), sizeof **parcels);
    int error = *parcels ? 0 : TW_ENOMEM;
    for (size_t i = 0; i < count && !error; i++)
        error = pack(c, &moves[i], *parcels);
    return error;
}

void twi_move_unpack(struct tw_collection *c, struct twi_shelf *parcels)
{
    for (uint32_t s = 0; s < c->seats; s++)
        for (uint32_t i = 0; i < c->seat[s].ran.count; i++)
            twi_shelf_at(c, &c->seat[s].ran, i)->flags &= ~(uint32_t)TWI_ITEM_MOVED;
    for (uint32_t i = 0; parcels && i < tw_places(); i++)
        twi_shelf_free(&parcels[i]);
    free(parcels);
}

// ---- messages ----

static void check_arrived(struct tw_collection *c)
{
    if (c->far.arrived.count == c->far.awaited && tw_future_claim(&c->far.all) == 0)
        tw_future_set(&c->far.all, 0);
}

void twi_far_arrive(struct tw_collection *c, const unsigned char *bytes, uint32_t size)
{
    for (uint32_t at = 0; at < size; at += c->item_size) {
        struct twi_item *record = twi_shelf_add(c, &c->far.arrived);
        if (!record)
            tw_misuse("no memory for tasks of a collection that were moved", "");
        memcpy(record, bytes + at, c->item_size);
    }
    check_arrived(c);
}

void twi_move_expect(struct tw_collection *c)
{
    twi_far_lock(c);
    c->far.arrived.count = 0;
    c->far.awaited = UINT64_MAX;
    c->far.all = (struct tw_future){TWI_LINE_INIT, 0, 0, NULL};
    c->far.is_open = 1;
    twi_far_unlock(c);
}

static int await_records(struct tw_collection *c, uint64_t count)
{
    twi_far_lock(c);
    c->far.awaited = count;
    check_arrived(c);
    twi_far_unlock(c);
    return tw_future_wait(&c->far.all);
}

// ---- coming ----

static void take_out(struct tw_collection *c)
{
    for (uint32_t s = 0; s < c->seats; s++) {
        struct twi_shelf *ran = &c->seat[s].ran;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < ran->count; i++)
            if (!(twi_shelf_at(c, ran, i)->flags & TWI_ITEM_MOVED))
                memmove(twi_shelf_at(c, ran, kept++), twi_shelf_at(c, ran, i), c->item_size);
        ran->count = kept;
    }
}

static void count_by_seat(const struct tw_collection *c, const struct twi_shelf *came,
                          uint32_t *counts)
{
    for (uint32_t i = 0; i < came->count; i++)
        counts[twi_shelf_at(c, came, i)->seat]++;
}

// Room for all that comes to the seats. 0 or TW_ENOMEM.
static int make_room(struct tw_collection *c, const struct twi_shelf *own)
{
    int error = 0;
    uint32_t *counts = twi_parcel_memory(c->seats * sizeof *counts);
    memset(counts, 0, c->seats * sizeof *counts);
    count_by_seat(c, own, counts);
    if (tw_places() > 1)
        count_by_seat(c, &c->far.arrived, counts);
    for (uint32_t s = 0; s < c->seats && !error; s++)
        error = twi_shelf_room(c, &c->seat[s].ran, counts[s]);
    free(counts);
    return error;
}

static void put_in(struct tw_collection *c, const struct twi_shelf *came)
{
    for (uint32_t i = 0; i < came->count; i++) {
        const struct twi_item *record = twi_shelf_at(c, came, i);
        memcpy(twi_shelf_add(c, &c->seat[record->seat].ran), record, c->item_size);
    }
}

int twi_move_carry(struct tw_collection *c, const struct twi_shelf *parcels, uint64_t coming)
{
    int error = 0;
    for (uint32_t to = 0; to < tw_places(); to++)
        if (to != tw_here() && parcels[to].count)
            twi_far_post(to, twi_far_word(c, TWI_FAR_MOVE, 0), parcels[to].first,
                         (size_t)parcels[to].count * c->item_size);
    if (tw_places() > 1)
        error = await_records(c, coming);
    if (!error)
        error = make_room(c, &parcels[tw_here()]);
    if (tw_places() > 1)
        error = twi_far_agree(error);
    if (error)
        return error;
    take_out(c);
    put_in(c, &parcels[tw_here()]);
    if (tw_places() > 1)
        put_in(c, &c->far.arrived);
    return 0;
}

// How many records come to this place.
static int count_coming(const struct twi_shelf *parcels, uint64_t *coming)
{
    uint64_t *numbers = twi_parcel_memory(tw_places() * sizeof *numbers);
    for (uint32_t i = 0; i < tw_places(); i++)
        numbers[i] = i == tw_here() ? 0 : parcels[i].count;
    int error = tw_places_sum(numbers, tw_places());
    *coming = numbers[tw_here()];
    free(numbers);
    return error;
}

int tw_collection_move(struct tw_collection *c, const struct tw_move *moves, size_t count)
{
    struct twi_shelf *parcels = NULL;
    uint64_t coming = 0;
    int far = tw_places() > 1;
    int error = c->is_processed ? twi_move_pack(c, moves, count, &parcels) : TW_EINVAL;
    if (far) {
        twi_move_expect(c);
        error = twi_far_agree(error);
    }
    if (far && !error)
        error = count_coming(parcels, &coming);
    if (!error)
        error = twi_move_carry(c, parcels, coming);
    twi_move_unpack(c, parcels);
    if (far)
        twi_far_shut(c);
    return error;
}

// SPDX-License-Identifier: Apache-2.0
// Moving records: seeds that have run here shall begin elsewhere. Those that leave are marked, sent
// or copied, and then taken out; those that come stand apart until all have come.
#include <stdlib.h>
#include <string.h>

#include "collection/far.h"
#include "collection/mail.h"

static struct twi_item *record_of(const struct tw_collection *c, const struct tw_move *move)
{
    return twi_shelf_at(c, &c->seat[move->worker].ran, move->index);
}

// ---- are they possible? ----

static int is_known(const struct tw_collection *c, const struct tw_move *move,
                    const uint64_t *seats)
{
    return move->worker < c->seats && move->index < c->seat[move->worker].ran.count &&
           move->to_place < tw_places() && move->to_worker < seats[move->to_place];
}

static void unmark(struct tw_collection *c, const struct tw_move *moves, size_t count)
{
    for (size_t i = 0; i < count; i++)
        record_of(c, &moves[i])->flags &= ~(uint32_t)TWI_ITEM_MOVED;
}

// Marks them all, or none.
static int mark(struct tw_collection *c, const struct tw_move *moves, size_t count,
                const uint64_t *seats)
{
    size_t marked = 0;
    for (; marked < count && is_known(c, &moves[marked], seats); marked++) {
        struct twi_item *record = record_of(c, &moves[marked]);
        if (record->flags & TWI_ITEM_MOVED)
            break;
        record->flags |= TWI_ITEM_MOVED;
    }
    if (marked == count)
        return 0;
    unmark(c, moves, marked);
    return TW_EINVAL;
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

static void expect(struct tw_collection *c)
{
    struct twi_place *place = twi_place_here();
    twi_lock_take(&place->fabric->turn);
    c->far.arrived.count = 0;
    c->far.awaited = UINT64_MAX;
    c->far.all = (struct tw_future){TWI_LINE_INIT, 0, 0, NULL};
    c->far.is_open = 1;
    twi_lock_drop(&place->fabric->turn);
}

static int await_records(struct tw_collection *c, uint64_t count)
{
    struct twi_place *place = twi_place_here();
    twi_lock_take(&place->fabric->turn);
    c->far.awaited = count;
    check_arrived(c);
    twi_lock_drop(&place->fabric->turn);
    return tw_future_wait(&c->far.all);
}

// ---- leaving and coming ----

// Copies of what goes to a place, with the seats it goes to.
static int pack(struct tw_collection *c, const struct tw_move *moves, size_t count, uint32_t to,
                struct twi_shelf *parcel)
{
    for (size_t i = 0; i < count; i++) {
        if (moves[i].to_place != to)
            continue;
        struct twi_item *copy = twi_shelf_add(c, parcel);
        if (!copy)
            return TW_ENOMEM;
        memcpy(copy, record_of(c, &moves[i]), c->item_size);
        copy->flags = 0;
        copy->seat = moves[i].to_worker;
    }
    return 0;
}

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

static int put_in(struct tw_collection *c, const struct twi_shelf *came)
{
    for (uint32_t i = 0; i < came->count; i++) {
        const struct twi_item *record = twi_shelf_at(c, came, i);
        struct twi_item *own = twi_shelf_add(c, &c->seat[record->seat].ran);
        if (!own)
            return TW_ENOMEM;
        memcpy(own, record, c->item_size);
    }
    return 0;
}

// To all places, this one too; what stays here is in `*stays`.
static int send_all(struct tw_collection *c, const struct tw_move *moves, size_t count,
                    uint64_t *numbers, struct twi_shelf *stays)
{
    int error = 0;
    for (uint32_t to = 0; to < tw_places() && !error; to++) {
        struct twi_shelf parcel = {NULL, 0, 0};
        error = pack(c, moves, count, to, to == tw_here() ? stays : &parcel);
        numbers[to] = parcel.count;
        if (parcel.count)
            twi_far_post(to, twi_far_word(c, TWI_FAR_MOVE, 0), parcel.first,
                         (size_t)parcel.count * c->item_size);
        twi_shelf_free(&parcel);
    }
    return error;
}

static int carry(struct tw_collection *c, const struct tw_move *moves, size_t count,
                 uint64_t *numbers)
{
    struct twi_shelf stays = {NULL, 0, 0};
    int error = send_all(c, moves, count, numbers, &stays);
    if (tw_places() > 1) {
        int summed = tw_places_sum(numbers, tw_places());
        int came = summed ? summed : await_records(c, numbers[tw_here()]);
        error = error ? error : came;
    }
    take_out(c);
    if (!error)
        error = put_in(c, &stays);
    if (!error && tw_places() > 1)
        error = put_in(c, &c->far.arrived);
    twi_shelf_free(&stays);
    return error;
}

int tw_collection_move(struct tw_collection *c, const struct tw_move *moves, size_t count)
{
    uint64_t *seats = calloc(tw_places(), sizeof *seats); // of each place; then what each gets
    int far = tw_places() > 1;
    if (!seats)
        return TW_ENOMEM;
    seats[tw_here()] = c->seats;
    int error = far ? tw_places_sum(seats, tw_places()) : 0;
    if (!error)
        error = c->is_processed ? mark(c, moves, count, seats) : TW_EINVAL;
    int is_marked = !error;
    if (far) {
        expect(c);
        error = twi_far_agree(error);
    }
    if (!error)
        error = carry(c, moves, count, seats);
    else if (is_marked)
        unmark(c, moves, count);
    if (far)
        twi_far_shut(c);
    free(seats);
    return error;
}

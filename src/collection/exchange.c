// SPDX-License-Identifier: Apache-2.0
// See far.h: steals between places, and notes for records elsewhere.
#include <stdlib.h>
#include <string.h>

#include "collection/active.h"
#include "collection/far.h"
#include "collection/mail.h"

enum { BYTES_MOST = 1 << 20 }; // of items in one message, if they are smaller

// ---- steals ----

uint32_t twi_far_steal(struct twi_seat *seat)
{
    struct tw_collection *c = seat->collection;
    uint32_t victim = twi_rng_below(&seat->rng, tw_places() - 1);
    seat->answer = (struct tw_future){TWI_LINE_INIT, TWI_FUTURE_CLAIMED, 0, NULL};
    seat->answered = 0;
    twi_far_post(victim + (victim >= tw_here()), twi_far_word(c, TWI_FAR_ASK, seat->number), NULL,
                 0);
    // Cancelled or not, it has to be there when the answer is: that is put into its queue.
    while (tw_future_wait(&seat->answer) != 0 && !tw_future_ready(&seat->answer))
        tw_yield();
    return seat->answered;
}

// A worker that starts with what it ran the last time has about its share. The last of it would go
// from place to place, half each time, for less than the messages take: so few tasks that are so
// short are not worth it. Those of which nothing is known, as of what tasks create, always are.
enum { TRIFLING_PART = 512 };

static int is_trifle(const struct tw_collection *c, struct twi_seat *seat)
{
    const struct twi_ledger *ledger = &seat->ledger;
    uint64_t came_ns = TWI_LOAD(&ledger->came_ns, TWI_RELAXED); // hint
    return !twi_balance_is_memoryless(c->options.balance) &&
           !TWI_LOAD(&ledger->is_vague, TWI_RELAXED) && // hint
           twi_split_shared(&seat->queue) <= ledger->seeds / TRIFLING_PART &&
           twi_ledger_left(ledger) <= came_ns / TRIFLING_PART;
}

struct gift {
    unsigned char *first;
    uint32_t count;
    uint64_t cost_ns; // as far as that is known
    uint64_t word;    // of the queue, as it was marked
};

// Items that go on from the last of the gift and take `more_ns`, if they cost as much as those.
static uint32_t enlarge(const struct tw_collection *c, struct twi_split *q, struct gift *gift,
                        uint64_t more_ns, uint32_t most)
{
    uint64_t more = more_ns * gift->count / gift->cost_ns;
    uint32_t count = twi_split_steal_more(q, more < most ? (uint32_t)more : most, &gift->word);
    gift->cost_ns +=
        twi_items_cost(c, gift->first + (size_t)gift->count * c->item_size, count, NULL);
    gift->count += count;
    return count;
}

// Half of what a seat shares, a quarter to a half of what it has. Where costs are known it is half
// of the time that is left, if so much is shared: then both are done at the same time, and nobody
// has to ask again for half of the rest. 0: it shares nothing.
static int mark(const struct tw_collection *c, struct twi_seat *seat, uint32_t most,
                struct gift *gift)
{
    uint64_t half_ns = twi_ledger_left(&seat->ledger) / 2;
    if (twi_split_steal(&seat->queue, most, &gift->first, &gift->count, &gift->word) !=
        TWI_TAKE_GOT)
        return 0;
    gift->cost_ns = twi_items_cost(c, gift->first, gift->count, NULL);
    while (gift->cost_ns && gift->cost_ns < half_ns &&
           enlarge(c, &seat->queue, gift, half_ns - gift->cost_ns, most - gift->count))
        ;
    return 1;
}

// Sends items of one of the queues here, if there are any.
static uint32_t give(struct twi_place *place, struct tw_collection *c, uint32_t to, uint64_t word)
{
    struct gift gift;
    uint32_t most = BYTES_MOST / c->item_size, start = to % c->seats;
    for (uint32_t i = 0; i < c->seats; i++) {
        struct twi_seat *seat = &c->seat[(start + i) % c->seats];
        if (is_trifle(c, seat) || !mark(c, seat, most ? most : 1, &gift))
            continue;
        c->far.traffic.sent += gift.count;
        TWI_FETCH_ADD(&seat->ledger.gone_ns, gift.cost_ns, TWI_RELAXED); // hint
        twi_far_send(place, to, word, gift.first, (size_t)gift.count * c->item_size);
        twi_split_sent(&seat->queue, gift.count);
        return gift.count;
    }
    return 0;
}

void twi_far_ask(struct twi_place *place, struct tw_collection *c, uint32_t from, uint64_t word)
{
    uint64_t answer = (word & ~((uint64_t)0xff << 40)) | (uint64_t)TWI_FAR_GIVE << 40;
    if (!c || !c->is_stealing || !give(place, c, from, answer))
        twi_far_send(place, from, answer, NULL, 0);
}

// The seat waits, so its queue can be filled from here. It counts as having something again.
static void receive(struct tw_collection *c, struct twi_seat *seat, const unsigned char *bytes,
                    uint32_t count)
{
    uint32_t is_vague = 0;
    uint64_t cost_ns = twi_items_cost(c, bytes, count, &is_vague);
    c->far.traffic.received += count;
    twi_ledger_come(&seat->ledger, cost_ns, is_vague);
    twi_active_enter(&c->active);
    while (twi_split_room(&seat->queue) < count)
        if (twi_split_grow(&seat->queue, TWI_SPLIT_ORDER_MAX) != 0)
            tw_misuse("no memory for tasks of a collection that were stolen", "");
    for (uint32_t left = count, fits; left; left -= fits) {
        unsigned char *slot;
        fits = twi_split_stretch(&seat->queue, left, &slot);
        memcpy(slot, bytes, (size_t)fits * c->item_size);
        bytes += (size_t)fits * c->item_size;
        twi_split_add(&seat->queue, fits);
    }
}

void twi_far_give(struct tw_collection *c, uint64_t word, const void *bytes, uint32_t size)
{
    struct twi_seat *seat = &c->seat[(uint32_t)(word >> 24) & 0xffff];
    seat->answered = size / c->item_size;
    if (size)
        receive(c, seat, bytes, seat->answered);
    tw_future_set(&seat->answer, 0);
}

// ---- notes ----

static void send_notes_to(struct twi_place *place, struct tw_collection *c, uint32_t to)
{
    struct twi_notes parcel = {NULL, 0, 0};
    for (uint32_t i = 0; i < c->seats; i++) {
        struct twi_notes *notes = &c->seat[i].extra;
        uint32_t kept = 0;
        for (uint32_t k = 0; k < notes->count; k++)
            if (notes->first[k].place != to)
                notes->first[kept++] = notes->first[k];
            else if (twi_notes_add(&parcel, &notes->first[k]) != 0)
                tw_misuse("no memory for notes between places", "");
        notes->count = kept;
    }
    if (parcel.count) {
        c->far.traffic.sent++;
        twi_far_send(place, to, twi_far_word(c, TWI_FAR_NOTES, 0), parcel.first,
                     parcel.count * sizeof *parcel.first);
    }
    free(parcel.first);
}

void twi_far_send_notes(struct twi_place *place, struct tw_collection *c)
{
    for (uint32_t to = 0; to < place->fabric->places; to++)
        if (to != place->fabric->place)
            send_notes_to(place, c, to);
}

void twi_far_note(struct tw_collection *c, const unsigned char *bytes, uint32_t size)
{
    struct twi_note note;
    c->far.traffic.received++;
    for (uint32_t at = 0; at < size; at += sizeof note) {
        memcpy(&note, bytes + at, sizeof note);
        if (twi_notes_add(&c->far.notes, &note) != 0)
            tw_misuse("no memory for notes between places", "");
    }
}

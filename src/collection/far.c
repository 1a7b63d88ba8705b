// SPDX-License-Identifier: Apache-2.0
// See far.h: messages, steals, notes.
//
//  [SQ5] is_stopped: a hint for seats that have more to do, with nothing behind it.
#include "collection/far.h"

#include <stdlib.h>
#include <string.h>

#include "collection/active.h"
#include "collection/wave.h"
#include "place/gather.h"
#include "place/place.h"

enum { BYTES_MOST = 1 << 20 }; // of items in one message, if they are smaller

// ---- addresses ----

uint64_t twi_far_word(const struct tw_collection *c, enum twi_far_kind kind, uint32_t seat)
{
    return (uint64_t)(c->far.number & 0xffff) << 48 | (uint64_t)kind << 40 | (uint64_t)seat << 24 |
           (c->far.round & 0xffffff);
}

void twi_far_send(struct twi_place *place, uint32_t to, uint64_t word, const void *bytes,
                  size_t size)
{
    twi_host_post(place->host, to, TWI_MAIL_ITEMS, word, bytes, (uint32_t)size);
}

// The collection that a message is about, if its process is under way; else NULL.
static struct tw_collection *find(const struct twi_place *place, uint64_t word)
{
    struct tw_collection *c = place->collections;
    while (c && (c->far.number & 0xffff) != word >> 48)
        c = c->far.next;
    return c && c->far.is_open && (c->far.round & 0xffffff) == (word & 0xffffff) ? c : NULL;
}

static uint32_t seat_of(uint64_t word)
{
    return (uint32_t)(word >> 24) & 0xffff;
}

static enum twi_far_kind kind_of(uint64_t word)
{
    return (enum twi_far_kind)(word >> 40 & 0xff);
}

// ---- letters of seats ----

struct far_letter {
    struct twi_letter letter; // first
    uint32_t to;
    uint64_t word;
};

static void post(uint32_t to, uint64_t word,
                 void (*deliver)(struct twi_place *, struct twi_letter *))
{
    struct far_letter *made = malloc(sizeof *made);
    if (!made)
        tw_misuse("no memory for a message between places", "");
    *made = (struct far_letter){.letter.deliver = deliver, .to = to, .word = word};
    twi_place_post(twi_place_here(), &made->letter);
}

// ---- steals ----

static void deliver_ask(struct twi_place *place, struct twi_letter *letter)
{
    const struct far_letter *ask = (const struct far_letter *)letter;
    twi_far_send(place, ask->to, ask->word, NULL, 0);
    free(letter);
}

uint32_t twi_far_steal(struct twi_seat *seat)
{
    struct tw_collection *c = seat->collection;
    uint32_t victim = twi_rng_below(&seat->rng, tw_places() - 1);
    seat->answer = (struct tw_future){TWI_LINE_INIT, TWI_FUTURE_CLAIMED, 0, NULL};
    seat->answered = 0;
    post(victim + (victim >= tw_here()), twi_far_word(c, TWI_FAR_ASK, seat->number), deliver_ask);
    // Cancelled or not, it has to be there when the answer is: that is put into its queue.
    while (tw_future_wait(&seat->answer) != 0 && !tw_future_ready(&seat->answer))
        tw_yield();
    return seat->answered;
}

// Sends items of one of the queues here, if there are any.
static uint32_t give(struct twi_place *place, struct tw_collection *c, uint32_t to, uint64_t word)
{
    unsigned char *first;
    uint32_t count, most = BYTES_MOST / c->item_size, start = to % c->seats;
    for (uint32_t i = 0; i < c->seats; i++) {
        struct twi_split *q = &c->seat[(start + i) % c->seats].queue;
        if (twi_split_steal(q, most ? most : 1, &first, &count) != TWI_TAKE_GOT)
            continue;
        c->far.traffic.sent += count;
        twi_far_send(place, to, word, first, (size_t)count * c->item_size);
        twi_split_sent(q, count);
        return count;
    }
    return 0;
}

static void on_ask(struct twi_place *place, uint32_t from, uint64_t word)
{
    struct tw_collection *c = find(place, word);
    uint64_t answer = (word & ~((uint64_t)0xff << 40)) | (uint64_t)TWI_FAR_GIVE << 40;
    if (!c || c->options.balance == TW_BALANCE_NONE || !give(place, c, from, answer))
        twi_far_send(place, from, answer, NULL, 0);
}

// The seat waits, so its queue can be filled from here. It counts as having something again.
static void receive(struct tw_collection *c, struct twi_seat *seat, const unsigned char *bytes,
                    uint32_t count)
{
    c->far.traffic.received += count;
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

static void on_give(struct twi_place *place, uint64_t word, const void *bytes, uint32_t size)
{
    struct tw_collection *c = find(place, word);
    if (!c)
        return;
    struct twi_seat *seat = &c->seat[seat_of(word)];
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

static void on_notes(struct twi_place *place, uint64_t word, const unsigned char *bytes,
                     uint32_t size)
{
    struct tw_collection *c = find(place, word);
    struct twi_note note;
    if (!c)
        return;
    c->far.traffic.received++;
    for (uint32_t at = 0; at < size; at += sizeof note) {
        memcpy(&note, bytes + at, sizeof note);
        if (twi_notes_add(&c->far.notes, &note) != 0)
            tw_misuse("no memory for notes between places", "");
    }
}

// ---- waves ----

static void deliver_idle(struct twi_place *place, struct twi_letter *letter)
{
    struct tw_collection *c = find(place, ((const struct far_letter *)letter)->word);
    if (c)
        twi_wave_join(place, c);
    free(letter);
}

void twi_far_idle(struct tw_collection *c)
{
    post(0, twi_far_word(c, TWI_FAR_UP, 0), deliver_idle);
}

static void on_mail(struct twi_place *place, uint32_t from, const struct twi_packet *packet,
                    const void *bytes)
{
    struct tw_collection *c = find(place, packet->word);
    switch (kind_of(packet->word)) {
    case TWI_FAR_ASK:
        on_ask(place, from, packet->word);
        break;
    case TWI_FAR_GIVE:
        on_give(place, packet->word, bytes, packet->size);
        break;
    case TWI_FAR_NOTES:
        on_notes(place, packet->word, bytes, packet->size);
        break;
    case TWI_FAR_UP:
        if (c)
            twi_wave_come(place, c, bytes);
        break;
    case TWI_FAR_AGAIN:
    case TWI_FAR_OVER:
    case TWI_FAR_STOP:
        if (c)
            twi_wave_verdict(place, c, kind_of(packet->word));
        break;
    }
}

// ---- life ----

void twi_far_open(struct tw_collection *c)
{
    struct twi_place *place = twi_place_here();
    if (tw_places() == 1)
        return;
    twi_lock_take(&place->fabric->turn);
    place->items = on_mail;
    c->far.number = ++place->collections_made;
    c->far.next = place->collections;
    place->collections = c;
    twi_lock_drop(&place->fabric->turn);
}

void twi_far_close(struct tw_collection *c)
{
    struct twi_place *place = twi_place_here();
    if (tw_places() == 1)
        return;
    twi_lock_take(&place->fabric->turn);
    for (struct tw_collection **at = &place->collections; *at; at = &(*at)->far.next)
        if (*at == c) {
            *at = c->far.next;
            break;
        }
    twi_lock_drop(&place->fabric->turn);
    free(c->far.notes.first);
}

// The error of the first place that has one.
struct verdict {
    uint32_t place;
    int32_t error;
};

static void merge_verdict(void *into, const void *from)
{
    struct verdict *mine = into;
    const struct verdict *other = from;
    if (other->error && (!mine->error || other->place < mine->place))
        *mine = *other;
}

static int agree(int error)
{
    struct verdict verdict = {tw_here(), error};
    int failed = tw_places_combine(&verdict, sizeof verdict, merge_verdict);
    return failed ? failed : verdict.error;
}

static void shut(struct tw_collection *c)
{
    struct twi_place *place = twi_place_here();
    twi_lock_take(&place->fabric->turn);
    c->far.is_open = 0;
    twi_lock_drop(&place->fabric->turn);
}

int twi_far_begin(struct tw_collection *c, int error)
{
    struct twi_place *place = twi_place_here();
    if (tw_places() == 1)
        return error;
    twi_lock_take(&place->fabric->turn);
    c->far.round++;
    c->far.is_open = 1;
    c->far.traffic = (struct twi_traffic){0, 0};
    c->far.notes.count = 0;
    twi_wave_begin(c);
    twi_lock_drop(&place->fabric->turn);
    error = agree(error);
    if (error)
        shut(c);
    return error;
}

static void deliver_stop(struct twi_place *place, struct twi_letter *letter)
{
    struct tw_collection *c = find(place, ((const struct far_letter *)letter)->word);
    if (c)
        twi_wave_stop(place, c);
    free(letter);
}

int twi_far_end(struct tw_collection *c, int error)
{
    if (tw_places() == 1)
        return error;
    if (error)
        post(0, twi_far_word(c, TWI_FAR_STOP, 0), deliver_stop);
    error = agree(error);
    shut(c);
    return error;
}

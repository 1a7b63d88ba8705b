// SPDX-License-Identifier: Apache-2.0
// See far.h: what messages are about, who gets them, and the beginning and end of a process.
#include "collection/far.h"

#include <stdlib.h>
#include <string.h>

#include "collection/mail.h"
#include "collection/parcel.h"

// ---- addresses ----

uint64_t twi_far_word(const struct tw_collection *c, enum twi_far_kind kind, uint32_t seat)
{
    return (uint64_t)(c->far.number & 0xffff) << 48 | (uint64_t)kind << 40 | (uint64_t)seat << 24 |
           (c->far.round & 0xffffff);
}

// The collection that a message is about, if its process is under way; else NULL.
static struct tw_collection *find(const struct twi_place *place, uint64_t word)
{
    struct tw_collection *c = place->collections;
    while (c && !((c->far.number & 0xffff) == word >> 48 && c->far.is_open &&
                  (c->far.round & 0xffffff) == (word & 0xffffff)))
        c = c->far.next;
    return c;
}

static enum twi_far_kind kind_of(uint64_t word)
{
    return (enum twi_far_kind)(word >> 40 & 0xff);
}

// ---- sending ----

void twi_far_send(struct twi_place *place, uint32_t to, uint64_t word, const void *bytes,
                  size_t size)
{
    if (size > INT32_MAX / 2)
        tw_misuse("a message between the places of a collection has a GiB or more", "");
    twi_host_post(place->host, to, TWI_MAIL_ITEMS, word, bytes, (uint32_t)size);
}

struct far_letter {
    struct twi_letter letter; // first
    uint32_t to;
    uint64_t word;
    size_t size;
    unsigned char bytes[];
};

static void post(const struct far_letter *like, const void *bytes)
{
    struct far_letter *made = malloc(sizeof *made + like->size);
    if (!made)
        tw_misuse("no memory for a message between places", "");
    *made = *like;
    if (bytes)
        memcpy(made->bytes, bytes, like->size);
    twi_place_post(twi_place_here(), &made->letter);
}

static void deliver_message(struct twi_place *place, struct twi_letter *letter)
{
    const struct far_letter *message = (const struct far_letter *)letter;
    twi_far_send(place, message->to, message->word, message->bytes, message->size);
    free(letter);
}

void twi_far_post(uint32_t to, uint64_t word, const void *bytes, size_t size)
{
    post(
        &(struct far_letter){
            .letter.deliver = deliver_message, .to = to, .word = word, .size = size},
        bytes);
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
    post(&(struct far_letter){.letter.deliver = deliver_idle,
                              .word = twi_far_word(c, TWI_FAR_UP, 0)},
         NULL);
}

static void on_mail(struct twi_place *place, uint32_t from, const struct twi_packet *packet,
                    const void *bytes)
{
    struct tw_collection *c = find(place, packet->word);
    switch (kind_of(packet->word)) {
    case TWI_FAR_ASK:
        twi_far_ask(place, c, from, packet->word);
        break;
    case TWI_FAR_GIVE:
        if (c)
            twi_far_give(c, packet->word, bytes, packet->size);
        break;
    case TWI_FAR_NOTES:
        if (c)
            twi_far_note(c, bytes, packet->size);
        break;
    case TWI_FAR_MOVE:
        if (c)
            twi_far_arrive(c, bytes, packet->size);
        break;
    case TWI_FAR_PARCEL:
        if (c)
            twi_far_parcel(c, bytes, packet->size);
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

void twi_far_lock(struct tw_collection *c)
{
    (void)c;
    if (tw_places() > 1)
        twi_lock_take(&twi_place_here()->fabric->turn);
}

void twi_far_unlock(struct tw_collection *c)
{
    (void)c;
    if (tw_places() > 1)
        twi_lock_drop(&twi_place_here()->fabric->turn);
}

// The number is agreed upon: in a run that was cancelled a place may have made fewer than others.
// So are the seats: each place names its own.
static int agree_on_life(struct tw_collection *c, uint64_t *number)
{
    uint32_t places = tw_places();
    uint64_t *known = calloc(places + 1, sizeof *known);
    if (!known)
        tw_misuse("no memory for the places of a collection", "");
    known[0] = *number;
    known[1 + tw_here()] = c->seats;
    int error = places > 1 ? tw_places_max(known, places + 1) : 0;
    *number = known[0];
    c->far.first_core = known; // the first is 0, as the number is kept elsewhere
    known[0] = 0;
    for (uint32_t i = 0; i < places; i++)
        known[i + 1] += known[i];
    return error;
}

int twi_far_open(struct tw_collection *c, int error)
{
    struct twi_place *place = twi_place_here();
    uint64_t number = error ? UINT64_MAX : place->collections_made + 1;
    int agreed = agree_on_life(c, &number);
    if (agreed || number == UINT64_MAX)
        return agreed ? agreed : error ? error : TW_ENOMEM;
    if (tw_places() == 1)
        return 0;
    twi_lock_take(&place->fabric->turn);
    place->items = on_mail;
    place->collections_made = c->far.number = (uint32_t)number;
    c->far.next = place->collections;
    place->collections = c;
    twi_lock_drop(&place->fabric->turn);
    return 0;
}

static void unlink_collection(struct tw_collection *c)
{
    struct twi_place *place = twi_place_here();
    for (struct tw_collection **at = &place->collections; *at; at = &(*at)->far.next)
        if (*at == c) {
            *at = c->far.next;
            break;
        }
}

void twi_far_close(struct tw_collection *c)
{
    twi_far_lock(c);
    if (tw_places() > 1)
        unlink_collection(c);
    twi_far_unlock(c);
    twi_parcel_drop_all(c);
    free(c->far.first_core);
    free(c->far.notes.first);
    twi_shelf_free(&c->far.arrived);
}

void twi_verdict_merge(struct twi_verdict *mine, const struct twi_verdict *other)
{
    if (other->error && (!mine->error || other->place < mine->place))
        *mine = *other;
}

static void merge_verdict(void *into, const void *from)
{
    twi_verdict_merge(into, from);
}

int twi_far_agree(int error)
{
    struct twi_verdict verdict = {tw_here(), error};
    int failed = tw_places_combine(&verdict, sizeof verdict, merge_verdict);
    return failed ? failed : verdict.error;
}

void twi_far_shut(struct tw_collection *c)
{
    twi_far_lock(c);
    c->far.is_open = 0;
    twi_parcel_drop_all(c);
    twi_far_unlock(c);
}

static void open_round(struct tw_collection *c, uint32_t round)
{
    struct twi_place *place = twi_place_here();
    twi_lock_take(&place->fabric->turn);
    c->far.round = round;
    c->far.is_open = 1;
    c->far.traffic = (struct twi_traffic){0, 0};
    c->far.notes.count = 0;
    twi_wave_begin(c);
    twi_lock_drop(&place->fabric->turn);
}

// Whether idle workers steal, if one of the places wants it. Read with the turn held, too.
static void set_stealing(struct tw_collection *c, uint64_t is_stealing)
{
    twi_far_lock(c);
    c->is_stealing = is_stealing != 0;
    twi_far_unlock(c);
}

// All have the same round, but after a run that was cancelled: then all take the last one, and
// nobody begins before all have.
static int agree_on_round(struct tw_collection *c, int is_stealing)
{
    uint64_t ends[] = {c->far.round, UINT32_MAX - c->far.round, (uint64_t)is_stealing};
    int error = tw_places_max(ends, 3);
    set_stealing(c, ends[2]);
    if (error || ends[0] == UINT32_MAX - ends[1])
        return error;
    open_round(c, (uint32_t)ends[0]);
    return tw_places_barrier();
}

int twi_far_begin(struct tw_collection *c, int error, int is_stealing)
{
    if (tw_places() == 1) {
        set_stealing(c, (uint64_t)is_stealing);
        return error;
    }
    open_round(c, c->far.round + 1);
    int agreed = agree_on_round(c, is_stealing);
    error = agreed ? agreed : twi_far_agree(error);
    if (error)
        twi_far_shut(c);
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
        post(&(struct far_letter){.letter.deliver = deliver_stop,
                                  .word = twi_far_word(c, TWI_FAR_STOP, 0)},
             NULL);
    error = twi_far_agree(error);
    twi_far_shut(c);
    return error;
}

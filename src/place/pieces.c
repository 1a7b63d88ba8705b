// SPDX-License-Identifier: Apache-2.0
// See pieces.h.
#include "place/pieces.h"

#include <stdlib.h>
#include <string.h>

#include <twill/pool.h>
#include <twill/wait.h>

#include "place/outcome.h"
#include "sched/attempt.h"

enum {
    BUCKETS = 256,
    ENDS_MOST = 256 // told in one message
};

struct end {
    uint32_t home;
    uint64_t handle; // there
};

struct twi_pieces {
    struct twi_away *away;
    struct twi_arrival *arrivals[BUCKETS];
    struct end ends[ENDS_MOST]; // not yet told
    unsigned end_count;
};

static struct twi_pieces *pieces_of(struct twi_place *place)
{
    if (!place->pieces)
        place->pieces = calloc(1, sizeof *place->pieces);
    if (!place->pieces)
        tw_misuse("no memory for tasks that travel", "");
    return place->pieces;
}

void twi_piece_done(struct tw_scope *scope)
{
    struct tw_fiber *owner = scope->fiber;
    if (!twi_scope_done(scope))
        return;
    if (owner)
        twi_ready_anywhere(owner);
    else
        ((struct twi_root *)scope)->over(scope);
}

// ---- away ----

struct twi_away *twi_piece_leaves(struct twi_place *place, const struct twi_away *leaves)
{
    struct twi_pieces *pieces = pieces_of(place);
    struct twi_away *away = malloc(sizeof *away);
    if (!away)
        tw_misuse("no memory for a task that goes to another place", "");
    *away = *leaves;
    away->count = 1;
    away->at = &pieces->away;
    away->next = pieces->away;
    if (away->next)
        away->next->at = &away->next;
    pieces->away = away;
    return away;
}

// A future that got no value: what should have given it was cancelled.
static void away_done(struct twi_away *away)
{
    *away->at = away->next;
    if (away->next)
        away->next->at = away->at;
    if (away->future)
        tw_future_set(away->future, TW_ECANCELED);
    for (uint32_t i = 0; i < away->count; i++)
        twi_piece_done(away->scope);
    free(away);
}

static void ends_told(const void *bytes, uint64_t count)
{
    const unsigned char *at = bytes;
    for (; count > 0; count--, at += sizeof(uint64_t)) {
        uint64_t handle;
        memcpy(&handle, at, sizeof handle);
        away_done((struct twi_away *)(uintptr_t)handle);
    }
}

static void away_gave(struct twi_away *away, const void *bytes, size_t size)
{
    struct tw_future *future = away->future;
    if (size != away->size)
        tw_misuse("another place gave a value of another size", "");
    memcpy(away->value, bytes, away->size);
    away->future = NULL;
    tw_future_set(future, 0);
}

static void away_failed(struct twi_place *place, struct twi_away *away,
                        const struct twi_sent_outcome *sent)
{
    struct tw_attempt *attempt = twi_attempt_innermost(place->pool, away->attempt);
    struct tw_outcome why = twi_outcome_unpack(sent);
    if (*why.task || why.error == TW_ETIMEDOUT)
        twi_attempt_fail(place->pool, attempt, &why);
    else
        twi_attempt_cancel(place->pool, attempt, why.error);
}

// ---- here ----

static struct twi_arrival **bucket_of(struct twi_place *place, uint32_t home, uint64_t handle)
{
    uint64_t mixed = (handle + home) * UINT64_C(0x9e3779b97f4a7c15);
    return &pieces_of(place)->arrivals[mixed >> 56];
}

// The first that was told last.
static void tell_home(struct twi_place *place, struct twi_arrival *arrival)
{
    if (arrival->is_told || !TWI_LOAD(&arrival->attempt.cancelled, TWI_ACQUIRE)) // [C1]
        return;
    twi_lock_take(&place->pool->attempts.lock);
    struct tw_outcome outcome = arrival->attempt.first;
    twi_lock_drop(&place->pool->attempts.lock);
    struct twi_sent_outcome sent = twi_outcome_pack(&outcome, place->fabric->place);
    arrival->is_told = 1;
    twi_host_post(place->host, arrival->home, TWI_MAIL_FAILED, arrival->handle, &sent, sizeof sent);
}

void twi_pieces_tell_ends(struct twi_place *place)
{
    struct twi_pieces *pieces = pieces_of(place);
    while (pieces->end_count > 0) {
        uint64_t handles[ENDS_MOST];
        uint32_t home = pieces->ends[0].home, count = 0;
        unsigned left = 0;
        for (unsigned i = 0; i < pieces->end_count; i++)
            if (pieces->ends[i].home == home)
                handles[count++] = pieces->ends[i].handle;
            else
                pieces->ends[left++] = pieces->ends[i];
        pieces->end_count = left;
        twi_host_post(place->host, home, TWI_MAIL_DONE, count, handles,
                      count * (uint32_t)sizeof *handles);
    }
}

static void deliver_end(struct twi_place *place, struct twi_letter *letter)
{
    struct twi_arrival *arrival =
        (struct twi_arrival *)((char *)letter - offsetof(struct twi_arrival, letter));
    struct twi_pieces *pieces = pieces_of(place);
    tell_home(place, arrival);
    (void)twi_attempt_outcome(place->pool, &arrival->attempt);
    TWI_FETCH_SUB(&place->pool->attempts.open, 1u, TWI_RELAXED); // hint: more harms nobody
    *arrival->at = arrival->next;
    if (arrival->next)
        arrival->next->at = arrival->at;
    if (pieces->end_count == ENDS_MOST)
        twi_pieces_tell_ends(place);
    pieces->ends[pieces->end_count++] = (struct end){arrival->home, arrival->handle};
    free(arrival);
}

static void arrival_over(struct tw_scope *scope)
{
    struct twi_place *place = twi_place_here();
    struct twi_arrival *arrival = (struct twi_arrival *)scope;
    if (arrival->is_awaited)
        twi_place_post(place, &arrival->letter);
    else
        twi_outbox_put(&place->outbox, &arrival->letter);
}

struct twi_arrival *twi_piece_arrives(struct twi_place *place, uint32_t home, uint64_t handle,
                                      int is_awaited)
{
    struct twi_arrival *arrival = calloc(1, sizeof *arrival);
    if (!arrival)
        tw_misuse("no memory for a task that came from another place", "");
    arrival->root.scope.pending = 1;
    arrival->root.over = arrival_over;
    arrival->letter.deliver = deliver_end;
    arrival->home = home;
    arrival->handle = handle;
    arrival->is_awaited = is_awaited;
    twi_attempt_init(&arrival->attempt);
    TWI_FETCH_ADD(&place->pool->attempts.open, 1u,
                  TWI_RELAXED); // relaxed: the bag's lock brings it
    arrival->at = bucket_of(place, home, handle);
    arrival->next = *arrival->at;
    if (arrival->next)
        arrival->next->at = &arrival->next;
    *arrival->at = arrival;
    return arrival;
}

// It may be over: then its end is on the way.
static void cancel_arrival(struct twi_place *place, uint32_t home, uint64_t handle)
{
    struct twi_arrival *arrival = *bucket_of(place, home, handle);
    while (arrival && (arrival->home != home || arrival->handle != handle))
        arrival = arrival->next;
    if (!arrival)
        return;
    arrival->is_told = 1;
    twi_attempt_cancel(place->pool, &arrival->attempt, TW_ECANCELED);
}

// ---- both ----

void twi_piece_mail(struct twi_place *place, uint32_t from, const struct twi_packet *packet,
                    const void *bytes)
{
    struct twi_away *away = (struct twi_away *)(uintptr_t)packet->word; // of RESULT and FAILED
    if (!place->pool)
        return; // a root that fails late: the run is over here
    switch ((enum twi_mail_kind)packet->message) {
    case TWI_MAIL_DONE:
        ends_told(bytes, packet->word);
        break;
    case TWI_MAIL_RESULT:
        away_gave(away, bytes, packet->size);
        break;
    case TWI_MAIL_FAILED:
        away_failed(place, away, bytes);
        break;
    case TWI_MAIL_CANCEL:
        cancel_arrival(place, from, packet->word);
        break;
    case TWI_MAIL_GIVE_UP:
        place->is_told = 1;
        tw_job_cancel(place->root);
        break;
    case TWI_MAIL_UP:
    case TWI_MAIL_DOWN:
    case TWI_MAIL_COLLECT:
    case TWI_MAIL_VIEWS:
    case TWI_MAIL_LEFT:
    case TWI_MAIL_GET:
    case TWI_MAIL_PUT:
    case TWI_MAIL_ADD:
    case TWI_MAIL_GOT:
    case TWI_MAIL_STORED:
    case TWI_MAIL_ITEMS:
        break;
    }
}

static int has_root_failed(struct twi_place *place)
{
    if (tw_job_done(place->root))
        return place->root->outcome.error != 0;
    return TWI_LOAD(&place->root->attempt.cancelled, TWI_ACQUIRE) != 0; // [C1]
}

static void heed_root(struct twi_place *place)
{
    if (place->is_told || !has_root_failed(place))
        return;
    place->is_told = 1;
    for (uint32_t to = 0; to < place->fabric->places; to++)
        if (to != place->fabric->place)
            twi_host_post(place->host, to, TWI_MAIL_GIVE_UP, 0, NULL, 0);
}

void twi_pieces_heed(struct twi_place *place)
{
    struct twi_pieces *pieces = pieces_of(place);
    if (place->is_spmd)
        heed_root(place);
    if (TWI_LOAD(&place->pool->attempts.cancels, TWI_RELAXED) == 0) // hint: it is looked at again
        return;
    for (struct twi_away *away = pieces->away; away; away = away->next) {
        if (away->is_told || !twi_pool_cancelled(place->pool, away->attempt))
            continue;
        away->is_told = 1;
        twi_host_post(place->host, away->place, TWI_MAIL_CANCEL, (uintptr_t)away, NULL, 0);
    }
    for (unsigned i = 0; i < BUCKETS; i++)
        for (struct twi_arrival *arrival = pieces->arrivals[i]; arrival; arrival = arrival->next)
            tell_home(place, arrival);
}

// SPDX-License-Identifier: Apache-2.0
// See gather.h. A gathering has a number, the same at all places: those inside a run are counted
// for that run, since one that is cancelled may have come further at some places than at others.
//
//  [O3] holders: who leaves last sees that the other has left.
#include "place/gather.h"

#include <stdlib.h>
#include <string.h>

#include <twill/place.h>
#include <twill/pool.h>
#include <twill/reducer.h>
#include <twill/wait.h>

#include "place/spmd.h"
#include "steal/tree.h"

// What a child sent before this place had begun.
struct early {
    struct early *next;
    size_t size;
    unsigned char bytes[];
};

// A task that takes part. It may be cancelled, and gone before it is over.
struct visit {
    struct twi_letter letter; // first
    struct twi_gift gift;
    struct tw_future over;
    uint32_t holders; // the task, and the gathering. writers: they
    unsigned char values[];
};

static void visit_leave(struct visit *visit)
{
    if (TWI_FETCH_SUB(&visit->holders, 1u, TWI_ACQ_REL) == 1) // [O3]
        free(visit);
}

struct twi_gather {
    struct twi_gather *next;
    uint64_t number;
    int is_begun, is_over;
    struct twi_gift gift; // its values are the gathering's own
    uint32_t came;        // children
    struct early *early;
    struct visit *visit; // of a task; NULL: a thread waits
};

// What a packet can carry (src/fabric/mpi.c), and a little less.
#define BYTES_MOST ((size_t)INT32_MAX - 64)

#define IN_A_RUN ((uint64_t)1 << 63)

static size_t bytes_of(const struct twi_gift *gift)
{
    return gift->count * gift->size;
}

static void *memory(void *got)
{
    if (!got)
        tw_misuse("no memory for a gathering of places", "");
    return got;
}

static struct twi_gather *find(struct twi_place *place, uint64_t number)
{
    struct twi_gather **at = &place->gather;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    if (!*at) {
        *at = memory(calloc(1, sizeof **at));
        (*at)->number = number;
    }
    return *at;
}

static void forget(struct twi_place *place, struct twi_gather *gather)
{
    struct twi_gather **at = &place->gather;
    while (*at != gather)
        at = &(*at)->next;
    *at = gather->next;
    for (struct early *early = gather->early, *next; early; early = next) {
        next = early->next;
        free(early);
    }
    if (gather->visit)
        visit_leave(gather->visit);
    free(gather->gift.values);
    free(gather);
}

// ---- what happens to it ----

static void check_size(const struct twi_gift *gift, size_t size)
{
    if (size != bytes_of(gift))
        tw_misuse("places gather values of different sizes: another has more of them, or fewer, "
                  "than this",
                  "");
}

static void add(struct twi_gather *gather, const unsigned char *bytes, size_t size)
{
    struct twi_gift *gift = &gather->gift;
    if (size == 0)
        return;
    check_size(gift, size);
    if (gift->is_empty)
        memcpy(gift->values, bytes, size);
    for (size_t i = 0; i < gift->count && !gift->is_empty; i++)
        gift->merge((unsigned char *)gift->values + i * gift->size, bytes + i * gift->size);
    gift->is_empty = 0;
}

static void send(struct twi_place *place, const struct twi_gather *gather, uint32_t to,
                 enum twi_mail_kind kind)
{
    const struct twi_gift *gift = &gather->gift;
    twi_host_post(place->host, to, (uint16_t)kind, gather->number, gift->values,
                  gift->is_empty ? 0 : (uint32_t)bytes_of(gift));
}

static void spread(struct twi_place *place, struct twi_gather *gather)
{
    struct twi_tree tree = twi_tree_of(place->fabric->place, place->fabric->places);
    for (uint32_t i = 0; i < tree.children; i++)
        send(place, gather, tree.first + i, TWI_MAIL_DOWN);
    gather->is_over = 1;
    if (gather->visit) {
        memcpy(gather->visit->values, gather->gift.values, bytes_of(&gather->gift));
        tw_future_set(&gather->visit->over, 0);
        forget(place, gather);
    }
}

static void go_on(struct twi_place *place, struct twi_gather *gather)
{
    struct twi_tree tree = twi_tree_of(place->fabric->place, place->fabric->places);
    if (!gather->is_begun || gather->came < tree.children)
        return;
    if (tree.parent == TWI_NO_PLACE)
        spread(place, gather);
    else
        send(place, gather, tree.parent, TWI_MAIL_UP);
}

static void begin(struct twi_place *place, struct twi_gather *gather, const struct twi_gift *gift)
{
    gather->gift = *gift;
    gather->gift.values = memory(malloc(bytes_of(gift) + 1));
    memcpy(gather->gift.values, gift->values, bytes_of(gift));
    for (const struct early *early = gather->early; early; early = early->next)
        add(gather, early->bytes, early->size);
    gather->is_begun = 1;
    go_on(place, gather);
}

// ---- messages ----

// Of a run that is over here; it was cancelled.
static int is_late(const struct twi_place *place, uint64_t number)
{
    uint32_t run = (uint32_t)(number >> 32) & INT32_MAX, now = twi_host_epoch(place->host);
    return (number & IN_A_RUN) && (run < now || (run == now && !place->pool));
}

static void come(struct twi_place *place, struct twi_gather *gather, const void *bytes, size_t size)
{
    gather->came++;
    if (gather->is_begun) {
        add(gather, bytes, size);
        go_on(place, gather);
        return;
    }
    struct early *early = memory(malloc(sizeof *early + size));
    *early = (struct early){.next = gather->early, .size = size};
    if (size)
        memcpy(early->bytes, bytes, size);
    gather->early = early;
}

void twi_gather_mail(struct twi_place *place, const struct twi_packet *packet, const void *bytes)
{
    if (is_late(place, packet->word))
        return;
    struct twi_gather *gather = find(place, packet->word);
    if (packet->message == TWI_MAIL_UP) {
        come(place, gather, bytes, packet->size);
        return;
    }
    if (packet->size) {
        check_size(&gather->gift, packet->size);
        memcpy(gather->gift.values, bytes, packet->size);
    }
    gather->gift.is_empty = packet->size == 0;
    spread(place, gather);
}

void twi_gather_forget(struct twi_place *place)
{
    struct twi_gather *gather = place->gather, *next;
    for (; gather; gather = next) {
        next = gather->next;
        if ((gather->number & IN_A_RUN) && is_late(place, gather->number))
            forget(place, gather);
    }
    place->run_gathers = 0;
}

// ---- taking part, outside runs ----

static int is_over(struct twi_place *place)
{
    return find(place, place->gathers)->is_over;
}

static int gather_outside(struct twi_place *place, const struct twi_gift *gift)
{
    struct twi_lock *turn = &place->fabric->turn; // workers of the run that begins may be there
    twi_lock_take(turn);
    struct twi_gather *gather = find(place, ++place->gathers);
    twi_leave_check(place);
    begin(place, gather, gift);
    twi_lock_drop(turn);
    twi_place_serve(place, is_over);
    memcpy(gift->values, gather->gift.values, bytes_of(gift));
    twi_lock_take(turn);
    forget(place, gather);
    twi_lock_drop(turn);
    return 0;
}

// ---- taking part in a task ----

static void deliver_visit(struct twi_place *place, struct twi_letter *letter)
{
    struct visit *visit = (struct visit *)letter;
    uint64_t number = IN_A_RUN | (uint64_t)twi_host_epoch(place->host) << 32 | ++place->run_gathers;
    struct twi_gather *gather = find(place, number);
    gather->visit = visit;
    begin(place, gather, &visit->gift);
}

static int gather_in_task(struct twi_place *place, const struct twi_gift *gift)
{
    struct visit *visit = memory(malloc(sizeof *visit + bytes_of(gift)));
    *visit = (struct visit){.letter.deliver = deliver_visit,
                            .gift = *gift,
                            .over = {TWI_LINE_INIT, TWI_FUTURE_CLAIMED, 0, NULL}};
    TWI_STORE(&visit->holders, 2u, TWI_RELEASE); // [O3]
    memcpy(visit->values, gift->values, bytes_of(gift));
    visit->gift.values = visit->values;
    twi_place_post(place, &visit->letter);
    int error = tw_future_wait(&visit->over);
    if (!error)
        memcpy(gift->values, visit->values, bytes_of(gift));
    visit_leave(visit);
    return error;
}

int twi_gather(const struct twi_gift *gift)
{
    struct twi_place *place = twi_place_here();
    if (twi_worker_maybe())
        twi_spmd_require("a gathering of places");
    else if (place->pool)
        tw_misuse("a gathering of places in a thread while tw_run is under way", "");
    int error = twi_worker_maybe() ? place->error : twi_place_refuse(place);
    if (error || place->fabric->places == 1)
        return error;
    if (gift->size && gift->count > BYTES_MOST / gift->size)
        return TW_ERANGE;
    return twi_worker_maybe() ? gather_in_task(place, gift) : gather_outside(place, gift);
}

// ---- what programs gather ----

TW_SUM(uint64_t, number_sum)
TW_MAX(uint64_t, number_max, 0)

int tw_places_sum(uint64_t *numbers, size_t count)
{
    return twi_gather(&(struct twi_gift){
        .values = numbers, .count = count, .size = sizeof *numbers, .merge = twi_merge_number_sum});
}

int tw_places_max(uint64_t *numbers, size_t count)
{
    return twi_gather(&(struct twi_gift){
        .values = numbers, .count = count, .size = sizeof *numbers, .merge = twi_merge_number_max});
}

int tw_places_combine(void *value, size_t size, void (*merge)(void *into, const void *from))
{
    return twi_gather(
        &(struct twi_gift){.values = value, .count = 1, .size = size, .merge = merge});
}

int tw_places_broadcast(unsigned from, void *bytes, size_t size)
{
    if (from >= tw_places())
        return TW_EINVAL;
    return twi_gather(&(struct twi_gift){
        .values = bytes, .count = 1, .size = size, .is_empty = tw_here() != from});
}

int tw_places_barrier(void)
{
    unsigned char nothing;
    return twi_gather(&(struct twi_gift){.values = &nothing});
}

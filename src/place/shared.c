// SPDX-License-Identifier: Apache-2.0
// See shared.h. A shared reducer has a number at the place that opened it, and a reducer of its own
// at each place where a task has asked for a view. Closing it collects their values along a tree of
// the places whose root is its home. Numbers are used again; their age tells old handles from new.
//
//  [R2] age release/acquire: who finds a reducer of the right age sees its views made ready.
#include "place/shared.h"

#include <stdlib.h>
#include <string.h>

#include <twill/place.h>

#include "base/lock.h"
#include "place/pieces.h"
#include "steal/tree.h"
#include "task/views.h"

enum { BUCKETS = 64 };

struct shared {
    struct shared *next; // constant
    uint32_t home, number;
    uint32_t age; // 0: closed. writer: under the lock; readers: all
    struct tw_shared_kind kind;
    struct twi_views views;
};

// Here. Those that are closed stay, to be used again.
static struct {
    struct twi_lock lock;
    struct shared *bucket[BUCKETS]; // writer: under the lock
    uint32_t opened;                // numbers given out. under the lock
    struct number {
        struct number *next;
        struct tw_shared last; // its last owner
    } * spare;                 // under the lock
} table;

// ---- finding ----

static struct shared **bucket_of(const struct tw_shared *handle)
{
    return &table.bucket[(handle->number + 31 * handle->home) % BUCKETS];
}

static struct shared *find(const struct tw_shared *handle)
{
    struct shared *shared = TWI_LOAD(bucket_of(handle), TWI_ACQUIRE); // [R2]
    while (shared && (shared->number != handle->number || shared->home != handle->home))
        shared = shared->next;
    return shared;
}

static void *no_memory(void)
{
    tw_misuse("no memory for a shared reducer", "");
    return NULL;
}

// Under the lock.
static void open_here(const struct tw_shared *handle, const struct tw_shared_kind *kind)
{
    struct shared *shared = find(handle);
    if (shared && TWI_LOAD(&shared->age, TWI_RELAXED) == handle->age) // relaxed: under the lock
        return;
    if (shared && TWI_LOAD(&shared->age, TWI_RELAXED)) // relaxed: under the lock
        tw_misuse("a shared reducer was used that is closed", "");
    struct shared *made = shared;
    if (!made)
        made = calloc(1, sizeof *made);
    if (!made)
        made = no_memory();
    made->home = handle->home;
    made->number = handle->number;
    made->kind = *kind;
    tw_views_open(&made->views, TWI_VIEW_STRIDE(kind->size), kind->first);
    TWI_STORE(&made->age, handle->age, TWI_RELEASE); // [R2]
    if (shared)
        return;
    made->next = *bucket_of(handle);
    TWI_STORE(bucket_of(handle), made, TWI_RELEASE); // [R2]
}

void *tw_shared_find(struct tw_shared handle, const struct tw_shared_kind *kind)
{
    struct shared *shared = find(&handle);
    if (!shared || TWI_LOAD(&shared->age, TWI_ACQUIRE) != handle.age) { // [R2]
        twi_lock_take(&table.lock);
        open_here(&handle, kind);
        twi_lock_drop(&table.lock);
        shared = find(&handle);
    }
    return twi_view(&shared->views, twi_fiber_here(NULL), TWI_VIEW_STRIDE(kind->size));
}

// The value of this place, if it has one. 1: it is at `value`.
static int close_here(const struct tw_shared *handle, void *value)
{
    struct shared *shared = find(handle);
    if (!shared || TWI_LOAD(&shared->age, TWI_ACQUIRE) != handle->age) // [R2]
        return 0;
    twi_views_combine(&shared->views, shared->kind.merge, value);
    TWI_STORE(&shared->age, 0u, TWI_RELAXED); // relaxed: the next use takes the lock
    return 1;
}

// ---- opening ----

struct tw_shared tw_shared_make(const struct tw_shared_kind *kind)
{
    struct tw_shared handle = {.home = tw_here(), .age = 1, .size = (uint32_t)kind->size};
    twi_lock_take(&table.lock);
    struct number *spare = table.spare;
    if (spare) {
        table.spare = spare->next;
        handle.number = spare->last.number;
        handle.age = spare->last.age + 1 ? spare->last.age + 1 : 1;
        free(spare);
    } else {
        handle.number = ++table.opened;
    }
    open_here(&handle, kind);
    twi_lock_drop(&table.lock);
    return handle;
}

static void give_number_back(const struct tw_shared *handle)
{
    struct number *spare = malloc(sizeof *spare);
    if (!spare)
        return; // it is not used again
    twi_lock_take(&table.lock);
    *spare = (struct number){table.spare, *handle};
    table.spare = spare;
    twi_lock_drop(&table.lock);
}

// ---- collecting ----

// A collection at one place: values of its own and of those below it, one after the other.
struct collection {
    struct collection *next;
    struct tw_shared handle;
    uint32_t awaited; // children
    unsigned char *values;
    size_t count;
    struct closing *closing; // at home
};

// Who closes, on its stack.
struct closing {
    struct twi_letter letter; // first
    struct tw_fiber *fiber;
    struct tw_shared handle;
    const struct tw_shared_kind *kind;
    void *value;
};

static struct collection *collections; // under way. the communication worker's

static struct twi_tree tree_of(const struct twi_place *place, uint32_t home)
{
    uint32_t places = place->fabric->places;
    return twi_tree_of((place->fabric->place + places - home) % places, places);
}

static void add_values(struct collection *c, const void *values, size_t count)
{
    unsigned char *grown = realloc(c->values, (c->count + count) * c->handle.size + 1);
    c->values = grown ? grown : no_memory();
    memcpy(c->values + c->count * c->handle.size, values, count * c->handle.size);
    c->count += count;
}

static void finish_closing(const struct collection *c)
{
    struct closing *closing = c->closing;
    closing->kind->first(closing->value);
    for (size_t i = 0; i < c->count; i++)
        closing->kind->merge(closing->value, c->values + i * c->handle.size);
    give_number_back(&c->handle);
    twi_ready_anywhere(closing->fiber);
}

// The handle stands before the values.
static void send_up(struct twi_place *place, const struct collection *c, uint32_t parent)
{
    size_t size = c->count * c->handle.size;
    if (size > (size_t)INT32_MAX / 2)
        tw_misuse("the views of a shared reducer at this place and those below it have a GiB or "
                  "more",
                  "");
    unsigned char *bytes = malloc(sizeof c->handle + size);
    if (!bytes)
        bytes = no_memory();
    memcpy(bytes, &c->handle, sizeof c->handle);
    if (size)
        memcpy(bytes + sizeof c->handle, c->values, size);
    twi_host_post(place->host, (parent + c->handle.home) % place->fabric->places, TWI_MAIL_VIEWS, 0,
                  bytes, (uint32_t)(sizeof c->handle + size));
    free(bytes);
}

static void go_on(struct twi_place *place, struct collection *c)
{
    if (c->awaited)
        return;
    if (c->closing)
        finish_closing(c);
    else
        send_up(place, c, tree_of(place, c->handle.home).parent);
    struct collection **at = &collections;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    free(c->values);
    free(c);
}

static void collect(struct twi_place *place, const struct tw_shared *handle,
                    struct closing *closing)
{
    struct twi_tree tree = tree_of(place, handle->home);
    struct collection *c = calloc(1, sizeof *c);
    if (!c)
        c = no_memory();
    *c = (struct collection){
        .next = collections, .handle = *handle, .awaited = tree.children, .closing = closing};
    collections = c;
    for (uint32_t i = 0; i < tree.children; i++)
        twi_host_post(place->host, (tree.first + i + handle->home) % place->fabric->places,
                      TWI_MAIL_COLLECT, 0, handle, sizeof *handle);
    c->values = malloc((size_t)handle->size + 1);
    if (!c->values)
        c->values = no_memory();
    c->count = (size_t)close_here(handle, c->values);
    go_on(place, c);
}

void twi_shared_mail(struct twi_place *place, const struct twi_packet *packet, const void *bytes)
{
    struct tw_shared handle;
    memcpy(&handle, bytes, sizeof handle);
    if (packet->message == TWI_MAIL_COLLECT) {
        collect(place, &handle, NULL);
        return;
    }
    struct collection *c = collections;
    while (c->handle.home != handle.home || c->handle.number != handle.number)
        c = c->next;
    add_values(c, (const unsigned char *)bytes + sizeof handle,
               (packet->size - sizeof handle) / handle.size);
    c->awaited--;
    go_on(place, c);
}

// ---- closing ----

static void deliver_closing(struct twi_place *place, struct twi_letter *letter)
{
    struct closing *closing = (struct closing *)letter;
    collect(place, &closing->handle, closing);
}

static void publish_closing(void *argument)
{
    struct closing *closing = argument;
    twi_place_post(twi_place_here(), &closing->letter);
}

void tw_shared_collect(struct tw_shared handle, const struct tw_shared_kind *kind, void *value)
{
    if (handle.home != tw_here())
        tw_misuse("a shared reducer was closed at another place than the one that opened it", "");
    if (tw_places() == 1) {
        if (!close_here(&handle, value))
            tw_misuse("a shared reducer was closed that is not open", "");
        give_number_back(&handle);
        return;
    }
    struct closing closing = {.letter.deliver = deliver_closing,
                              .fiber = twi_fiber_here(NULL),
                              .handle = handle,
                              .kind = kind,
                              .value = value};
    twi_park_for("views of a shared reducer", NULL, publish_closing, &closing);
}

void twi_shared_forget(struct twi_place *place)
{
    (void)place;
    for (unsigned i = 0; i < BUCKETS; i++)
        for (struct shared *shared = table.bucket[i], *next; shared; shared = next) {
            next = shared->next;
            for (unsigned k = 0; k < TWI_VIEW_CHUNKS && shared->age; k++)
                free(shared->views.chunk[k]);
            free(shared);
            table.bucket[i] = NULL;
        }
}

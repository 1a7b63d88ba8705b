// SPDX-License-Identifier: Apache-2.0
// How tasks leave a place and arrive at one: the pool of the host, and the outbox.
#include <stdlib.h>
#include <string.h>

#include <twill/place.h>
#include <twill/pool.h>

#include "core/attempt.h"
#include "core/bag.h"
#include "core/deque.h"
#include "place/arguments.h"
#include "place/place.h"
#include "place/registry.h"
#include "sched/attempt.h"
#include "task/task.h"

// A task on its way; its arguments follow, padded to eight bytes.
struct parcel_task {
    uint32_t number; // of its type
    uint32_t size;   // of its arguments
    uint32_t home;   // who is told of its end ...
    uint32_t unused;
    uint64_t handle; // ... by this: its scope there
};

// A piece that came from elsewhere, or that runs here though a thief was to have it.
struct arrival {
    struct twi_root root; // first
    struct twi_letter letter;
};

// In the handle of a fork that runs here: its slot, marked.
#define STRAY_FORK ((uintptr_t)1)

// A parcel has room for so many bytes; what is larger leaves alone.
#define PARCEL_ENOUGH ((size_t)1 << 20)

// ---- ends ----

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

static void arrival_over(struct tw_scope *scope)
{
    struct arrival *arrival = (struct arrival *)scope;
    twi_place_post(twi_place_here(), &arrival->letter);
}

// ---- arriving ----

static void put_in_bag(struct twi_place *place, struct twi_detached *task)
{
    struct twi_pool *pool = place->pool;
    twi_visit_enter(pool);
    twi_bag_append(&pool->workers[place->next_worker++ % pool->count].bag[TWI_NORMAL], task);
    twi_announce_in(pool);
    twi_visit_leave(pool);
}

static struct twi_detached *detach(const struct tw_task_type *type, uint32_t home, uint64_t handle)
{
    struct arrival *arrival = calloc(1, sizeof *arrival);
    struct twi_detached *detached = arrival ? twi_detach(type) : NULL;
    if (!detached)
        tw_misuse("no memory for a task that came from another place", type->name);
    arrival->root.scope.pending = 1;
    arrival->root.over = arrival_over;
    arrival->letter = (struct twi_letter){.to = home, .handle = handle};
    detached->slot.scope = &arrival->root.scope;
    return detached;
}

static void arrive(struct twi_place *place, const struct parcel_task *task, const void *bytes)
{
    const struct tw_task_type *type = twi_registry_type(task->number);
    if (!type || type->args_size != task->size)
        tw_misuse("a task came from another place that this program does not have", "");
    struct twi_detached *detached = detach(type, task->home, task->handle);
    void *args = tw_spill(bytes, task->size, type->args_align); // as aligned as the task wants it
    twi_pack(detached->slot.payload, args, type->args_size, type->args_align);
    tw_spill_free(args);
    put_in_bag(place, detached);
}

static size_t padded(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

static void pool_add(void *pool_of, uint32_t count, const void *bytes, uint32_t size)
{
    const unsigned char *at = bytes;
    (void)size;
    for (uint32_t i = 0; i < count; i++) {
        struct parcel_task task;
        memcpy(&task, at, sizeof task);
        arrive(pool_of, &task, at + sizeof task);
        at += sizeof task + padded(task.size);
    }
}

// ---- leaving ----

static void pack(struct twi_place *place, const struct tw_task_type *type, uint32_t number,
                 const void *args, struct tw_scope *scope)
{
    struct parcel_task task = {.number = number,
                               .size = (uint32_t)type->args_size,
                               .home = place->fabric->place,
                               .handle = (uintptr_t)scope};
    size_t size = sizeof task + padded(type->args_size);
    twi_arguments_check(place->fabric->place, type, args);
    if (place->parcel_size + size > place->parcel_room) {
        place->parcel_room = 2 * (place->parcel_size + size);
        place->parcel = realloc(place->parcel, place->parcel_room);
        if (!place->parcel)
            tw_misuse("no memory for a task that goes to another place", type->name);
    }
    memcpy(place->parcel + place->parcel_size, &task, sizeof task);
    memcpy(place->parcel + place->parcel_size + sizeof task, args, type->args_size);
    place->parcel_size += size;
}

static const void *args_of(const struct tw_slot *slot)
{
    return twi_fits(slot->type->args_size, slot->type->args_align) ? (const void *)slot->payload
                                                                   : *(void *const *)slot->payload;
}

// A forked function's result goes into its slot, whatever runs it.
static void run_stray_fork(struct tw_fiber *fiber, struct tw_slot *head, const void *payload,
                           void *result)
{
    struct tw_slot *slot;
    (void)result;
    memcpy(&slot, payload, sizeof slot);
    slot->type->run(fiber, head, slot->payload, slot->payload);
}

static const struct tw_task_type stray_fork_type = {
    "fork", __FILE__,      __LINE__, _Alignof(struct tw_slot *), 1, sizeof(struct tw_slot *),
    0,      run_stray_fork};

// A piece that was taken to be sent, but does not travel: a worker here runs it. Its end is
// reported like that of one that went away.
static void keep(struct twi_place *place, struct tw_slot *slot)
{
    int is_fork = slot->type->result_size != 0;
    struct twi_detached *detached =
        detach(is_fork ? &stray_fork_type : slot->type, place->fabric->place,
               is_fork ? (uintptr_t)slot | STRAY_FORK : (uintptr_t)slot->scope);
    detached->attempt = twi_attempt_of_piece(place->pool, &(struct twi_found){.piece = slot});
    if (is_fork)
        memcpy(detached->slot.payload, &slot, sizeof slot);
    else
        memcpy(detached->slot.payload, slot->payload, sizeof slot->payload);
    put_in_bag(place, detached);
}

// The oldest task of a fiber that runs or waits at the worker. NULL: none is shared.
static struct tw_slot *steal_from(struct twi_worker *w)
{
    struct tw_slot *slot = NULL;
    struct tw_fiber *f = TWI_LOAD(&w->active, TWI_ACQUIRE); // [A1]
    if (f && twi_deque_steal(f, &slot) == TWI_STEAL_GOT)
        return slot;
    return twi_stock_steal(&w->stock);
}

static struct tw_slot *nudge(struct twi_worker *w)
{
    struct tw_fiber *f = TWI_LOAD(&w->active, TWI_ACQUIRE); // [A1]
    return f && w->pool->membarrier && twi_deque_hides(f) ? twi_deque_nudge(f) : NULL;
}

// 1: a task is in the parcel.
static int take_one(struct twi_place *place, struct twi_worker *w, struct tw_slot *slot)
{
    TWI_FETCH_ADD(&w->lost, (uint64_t)1, TWI_RELAXED); // relaxed: statistic
    uint32_t number = slot->type->result_size ? UINT32_MAX : twi_registry_number(slot->type);
    if (number == UINT32_MAX) {
        keep(place, slot);
        return 0;
    }
    pack(place, slot->type, number, args_of(slot), TWI_READ(slot->scope));
    twi_slot_drop(slot);
    return 1;
}

static uint32_t pool_take(void *pool_of, uint32_t most, const void **bytes, uint32_t *size)
{
    struct twi_place *place = pool_of;
    struct twi_pool *pool = place->pool;
    uint32_t taken = 0;
    place->parcel_size = 0;
    for (unsigned i = 0; i < pool->count && taken < most; i++) {
        struct twi_worker *w = &pool->workers[(place->next_victim + i) % pool->count];
        struct tw_slot *slot;
        while (taken < most && place->parcel_size < PARCEL_ENOUGH && (slot = steal_from(w)) != NULL)
            taken += (uint32_t)take_one(place, w, slot);
    }
    place->next_victim++;
    *bytes = place->parcel;
    *size = (uint32_t)place->parcel_size;
    return taken;
}

// ---- what there is ----

static uint32_t shared_at(struct twi_worker *w)
{
    struct tw_fiber *f = TWI_LOAD(&w->active, TWI_ACQUIRE);  // [A1]
    uint32_t stock = TWI_LOAD(&w->stock.count, TWI_RELAXED); // hint
    if (!f)
        return stock;
    struct twi_ends e = twi_word_ends(TWI_LOAD(&f->word, TWI_RELAXED)); // hint
    uint32_t split = e.split & ~(uint32_t)TWI_RAISING;
    return stock + (split > e.top ? (split - e.top) / (uint32_t)sizeof(struct tw_slot) : 0);
}

static uint32_t pool_load(void *pool_of)
{
    struct twi_pool *pool = ((struct twi_place *)pool_of)->pool;
    uint32_t load = 0;
    for (unsigned i = 0; pool && i < pool->count; i++)
        load += shared_at(&pool->workers[i]);
    return load;
}

static uint32_t pool_idle(void *pool_of)
{
    struct twi_pool *pool = ((struct twi_place *)pool_of)->pool;
    uint32_t idle = 0;
    for (unsigned i = 0; pool && i < pool->count; i++)
        idle += TWI_LOAD(&pool->workers[i].is_idle, TWI_RELAXED) != 0; // hint
    return idle;
}

int twi_place_is_busy(struct twi_place *place)
{
    return pool_idle(place) < place->pool->count;
}

// What runs here belongs to a scope at place 0, however far: so that place alone can tell, by its
// root.
static int pool_is_passive(void *pool_of)
{
    struct twi_place *place = pool_of;
    return !place->root || tw_job_done(place->root);
}

const struct twi_pool_calls twi_place_pool_calls = {pool_load, pool_idle, pool_is_passive,
                                                    pool_take, pool_add};

// Owners that share nothing are asked to, so that there is something to take when it is wanted; one
// that does not come by is nudged, at the second look.
void twi_place_stir(struct twi_place *place)
{
    struct twi_pool *pool = place->pool;
    for (unsigned i = 0; i < pool->count; i++) {
        struct twi_worker *w = &pool->workers[i];
        struct tw_fiber *f = TWI_LOAD(&w->active, TWI_ACQUIRE); // [A1]
        if (!f || shared_at(w) || !twi_deque_hides(f))
            continue;
        if (TWI_LOAD(&f->limit, TWI_RELAXED) != NULL) {                // hint
            TWI_STORE(&f->limit, (struct tw_slot *)NULL, TWI_RELAXED); // [D4]
            continue;
        }
        struct tw_slot *slot = nudge(w);
        if (slot)
            keep(place, slot);
    }
}

// ---- letters ----

void tw_task_push_at(unsigned to, const struct tw_task_type *type, const void *args)
{
    struct twi_place *place = twi_place_here();
    struct tw_fiber *f = twi_fiber_here(NULL);
    if (to >= place->fabric->places)
        tw_misuse("a task was sent to a place that is not there", type->name);
    if (to == place->fabric->place) {
        tw_task_push_apart(type, args);
        return;
    }
    if (!TWI_LOAD(&twi_worker_here()->pool->on_idle, TWI_ACQUIRE)) // [O2]
        tw_misuse("a task was sent to another place from a pool that is not tw_run's", type->name);
    twi_arguments_check_size(place->fabric->place, type);
    struct twi_letter *letter = malloc(sizeof *letter + type->args_size);
    if (!letter)
        tw_misuse("no memory for a task that goes to another place", type->name);
    *letter = (struct twi_letter){.to = to, .type = type, .scope = f->scope};
    memcpy(letter->args, args, type->args_size);
    twi_scope_add(f->scope);
    twi_place_post(place, letter);
}

static void send_task(struct twi_place *place, const struct twi_letter *letter)
{
    uint32_t number = twi_registry_number(letter->type);
    place->parcel_size = 0;
    pack(place, letter->type, number, letter->args, letter->scope);
    twi_host_push(place->host, letter->to, 1, place->parcel, (uint32_t)place->parcel_size);
}

static void finish_stray(uint64_t handle)
{
    if (!(handle & STRAY_FORK)) {
        twi_piece_done((struct tw_scope *)(uintptr_t)handle);
        return;
    }
    struct tw_fiber *waiter =
        twi_fork_finish((struct tw_slot *)(uintptr_t)(handle & ~(uint64_t)STRAY_FORK), NULL);
    if (waiter)
        twi_ready_anywhere(waiter);
}

static void send_letter(struct twi_place *place, struct twi_letter *letter)
{
    if (letter->type) {
        send_task(place, letter);
        free(letter);
        return;
    }
    if (letter->to == place->fabric->place)
        finish_stray(letter->handle);
    else
        twi_host_post(place->host, letter->to, TWI_MAIL_DONE, letter->handle, NULL, 0);
    free((char *)letter - offsetof(struct arrival, letter));
}

unsigned twi_place_send_letters(struct twi_place *place)
{
    struct twi_letter *letter = twi_outbox_take(&place->outbox), *next;
    unsigned count = 0;
    for (; letter; letter = next, count++) {
        next = letter->next;
        send_letter(place, letter);
    }
    return count;
}

void twi_place_post(struct twi_place *place, struct twi_letter *letter)
{
    twi_outbox_put(&place->outbox, letter);
    place->fabric->calls->wake(place->fabric);
}

// SPDX-License-Identifier: Apache-2.0
// How tasks leave a place and arrive at one: the pool of the host, and tw_async_at.
#include <stdlib.h>
#include <string.h>

#include <twill/place.h>
#include <twill/pool.h>

#include "core/attempt.h"
#include "core/bag.h"
#include "core/deque.h"
#include "place/arguments.h"
#include "place/call.h"
#include "place/pieces.h"
#include "place/registry.h"
#include "sched/attempt.h"
#include "steal/rules.h"
#include "task/task.h"

// A task on its way; its arguments follow, padded to eight bytes.
struct parcel_task {
    uint32_t number;     // of its type
    uint32_t size;       // of its arguments
    uint32_t home;       // who is told of its end, ...
    uint32_t is_awaited; // ... at once ...
    uint64_t handle;     // ... by this: its scope there
};

// A parcel has room for so many bytes; what is larger leaves alone.
#define PARCEL_ENOUGH ((size_t)1 << 20)

// ---- arriving ----

static void append(struct twi_place *place, struct twi_detached *task, int bag)
{
    struct twi_pool *pool = place->pool;
    twi_bag_append(&pool->workers[place->next_worker++ % pool->count].bag[bag], task);
}

void twi_place_put(struct twi_place *place, struct twi_detached *task)
{
    struct twi_pool *pool = place->pool;
    twi_visit_enter(pool);
    append(place, task, TWI_NORMAL);
    twi_announce_in(pool);
    twi_visit_leave(pool);
}

// Arguments stand at a multiple of eight in a parcel.
static void unpack(struct twi_detached *detached, const struct tw_task_type *type,
                   const void *bytes)
{
    void *aligned =
        type->args_align > 8 ? tw_spill(bytes, type->args_size, type->args_align) : NULL;
    twi_pack(detached->slot.payload, aligned ? aligned : bytes, type->args_size, type->args_align);
    tw_spill_free(aligned);
}

static void arrive(struct twi_place *place, struct twi_arrival *arrival,
                   const struct parcel_task *task, const void *bytes)
{
    const struct tw_task_type *type = twi_registry_type(task->number);
    if (!type || type->args_size != task->size)
        tw_misuse("a task came from another place that this program does not have", "");
    struct twi_detached *detached =
        type->result_size ? twi_call_arrives(type, bytes, arrival) : twi_detach(type);
    if (!detached)
        tw_misuse("no memory for a task that came from another place", type->name);
    detached->slot.scope = &arrival->root.scope;
    detached->attempt = &arrival->attempt;
    if (!type->result_size)
        unpack(detached, type, bytes);
    twi_scope_add(&arrival->root.scope);
    append(place, detached, task->is_awaited || type->result_size ? TWI_NORMAL : TWI_STOLEN);
}

static size_t padded(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

static void pool_add(void *pool_of, uint32_t count, const void *bytes, uint32_t size)
{
    struct twi_place *place = pool_of;
    struct twi_pool *pool = place->pool;
    const unsigned char *at = bytes;
    struct twi_arrival *arrival = NULL;
    (void)size;
    twi_rest_tasks_came(&place->rest);
    twi_visit_enter(pool);
    for (uint32_t i = 0; i < count; i++) {
        struct parcel_task task;
        memcpy(&task, at, sizeof task);
        if (arrival && arrival->handle != task.handle) {
            twi_piece_done(&arrival->root.scope);
            arrival = NULL;
        }
        if (!arrival)
            arrival = twi_piece_arrives(place, task.home, task.handle, (int)task.is_awaited);
        arrive(place, arrival, &task, at + sizeof task);
        at += sizeof task + padded(task.size);
        if (i < pool->count || i + 1 == count) // who finds one of many wakes another
            twi_announce_in(pool);
    }
    twi_visit_leave(pool);
    if (arrival)
        twi_piece_done(&arrival->root.scope);
}

// ---- leaving ----

// Most tasks that leave together are of one type: the last is known. UINT32_MAX: none that travels.
static uint32_t number_of(struct twi_place *place, const struct tw_task_type *type)
{
    if (type != place->last_type) {
        place->last_type = type;
        place->last_number = twi_registry_number(type);
    }
    return place->last_number;
}

static void pack(struct twi_place *place, const struct tw_task_type *type, uint32_t number,
                 const void *args, const struct twi_away *away)
{
    struct parcel_task task = {.number = number,
                               .size = (uint32_t)type->args_size,
                               .home = place->fabric->place,
                               .is_awaited = (uint32_t)away->is_awaited,
                               .handle = (uintptr_t)away};
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

// A piece that was taken to be sent, but does not travel: a worker here runs it.
struct stray {
    struct twi_root root; // first
    struct tw_scope *scope;
    struct tw_slot *fork; // NULL: it is none
};

// By a worker, or by the communication worker.
static void stray_over(struct tw_scope *scope)
{
    struct stray *stray = (struct stray *)scope;
    struct tw_fiber *waiter = stray->fork ? twi_fork_finish(stray->fork, NULL) : NULL;
    if (waiter)
        twi_ready_anywhere(waiter);
    if (!stray->fork)
        twi_piece_done(stray->scope);
    free(stray);
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

static void keep(struct twi_place *place, struct tw_slot *slot)
{
    int is_fork = slot->type->result_size != 0;
    struct stray *stray = calloc(1, sizeof *stray);
    struct twi_detached *detached =
        stray ? twi_detach(is_fork ? &stray_fork_type : slot->type) : NULL;
    if (!detached)
        tw_misuse("no memory for a task that stays here", slot->type->name);
    stray->root.scope.pending = 1;
    stray->root.over = stray_over;
    stray->scope = TWI_READ(slot->scope);
    stray->fork = is_fork ? slot : NULL;
    detached->slot.scope = &stray->root.scope;
    detached->attempt = twi_attempt_of_piece(place->pool, &(struct twi_found){.piece = slot});
    if (is_fork)
        memcpy(detached->slot.payload, &slot, sizeof slot);
    else
        memcpy(detached->slot.payload, slot->payload, sizeof slot->payload);
    twi_place_put(place, detached);
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

// The same of what the owner has for itself, half of which, or all that is wanted, is shared then.
static struct tw_slot *nudge(struct twi_worker *w, uint32_t want)
{
    struct tw_fiber *f = TWI_LOAD(&w->active, TWI_ACQUIRE); // [A1]
    return f && w->pool->membarrier && twi_deque_hides(f) ? twi_deque_nudge(f, want) : NULL;
}

// With the piece that left before it, if that is of the same scope.
static void leave(struct twi_place *place, struct twi_away **last, const struct twi_away *leaves)
{
    if (*last && (*last)->scope == leaves->scope && (*last)->attempt == leaves->attempt)
        (*last)->count++;
    else
        *last = twi_piece_leaves(place, leaves);
}

static void send_off(struct twi_place *place, const struct twi_found *found, uint32_t number,
                     uint32_t thief, struct twi_away **last)
{
    const struct tw_slot *slot = found->piece;
    leave(place, last,
          &(struct twi_away){.scope = TWI_READ(slot->scope),
                             .attempt = twi_attempt_of_piece(place->pool, found),
                             .place = thief});
    pack(place, slot->type, number, args_of(slot), *last);
    twi_slot_drop(slot);
}

// 1: a task is in the parcel.
static int take_slot(struct twi_place *place, struct twi_worker *w, struct tw_slot *slot,
                     uint32_t thief, struct twi_away **last)
{
    TWI_FETCH_ADD(&w->lost, (uint64_t)1, TWI_RELAXED); // relaxed: statistic
    uint32_t number = slot->type->result_size ? UINT32_MAX : number_of(place, slot->type);
    if (number == UINT32_MAX) {
        keep(place, slot);
        return 0;
    }
    send_off(place, &(struct twi_found){.piece = slot}, number, thief, last);
    return 1;
}

static int has_room(const struct twi_place *place, uint32_t taken, uint32_t most)
{
    return taken < most && place->parcel_size < PARCEL_ENOUGH;
}

// Of what came from other places and has not begun, what idle workers here do not need.
static uint32_t spare_stolen(const struct twi_pool *pool)
{
    uint32_t idle = 0, stolen = 0;
    for (unsigned i = 0; i < pool->count; i++) {
        idle += TWI_LOAD(&pool->workers[i].is_idle, TWI_RELAXED) != 0;            // hint
        stolen += TWI_LOAD(&pool->workers[i].bag[TWI_STOLEN].count, TWI_RELAXED); // hint
    }
    return stolen > idle ? stolen - idle : 0;
}

static void take_stolen(struct twi_place *place, struct twi_detached *task, uint32_t thief,
                        struct twi_away **last)
{
    send_off(place, &(struct twi_found){.piece = &task->slot, .detached = task},
             number_of(place, task->slot.type), thief, last);
    free(task);
}

static uint32_t pool_take(void *pool_of, uint32_t thief, uint32_t most, const void **bytes,
                          uint32_t *size)
{
    struct twi_place *place = pool_of;
    struct twi_pool *pool = place->pool;
    struct twi_away *last = NULL;
    uint32_t taken = 0, spare = spare_stolen(pool);
    place->parcel_size = 0;
    for (unsigned i = 0; i < pool->count; i++) {
        struct twi_worker *w = &pool->workers[(place->next_victim + i) % pool->count];
        struct twi_detached *task;
        struct tw_slot *slot;
        for (; spare > 0 && has_room(place, taken, most) &&
               (task = twi_bag_take(&w->bag[TWI_STOLEN]));
             spare--, taken++)
            take_stolen(place, task, thief, &last);
        while (has_room(place, taken, most) &&
               ((slot = steal_from(w)) || (slot = nudge(w, most - taken))))
            taken += (uint32_t)take_slot(place, w, slot, thief, &last);
    }
    place->next_victim++;
    place->is_bare = taken == 0;
    *bytes = place->parcel;
    *size = (uint32_t)place->parcel_size;
    return taken;
}

// ---- what there is ----

static uint32_t slots_between(uint32_t low, uint32_t high)
{
    return high > low ? (high - low) / (uint32_t)sizeof(struct tw_slot) : 0;
}

// Tasks that a thief can get, hidden ones too where their owner can be nudged.
static uint32_t load_of(struct twi_worker *w)
{
    struct tw_fiber *f = TWI_LOAD(&w->active, TWI_ACQUIRE);    // [A1]
    uint32_t waiting = TWI_LOAD(&w->stock.count, TWI_RELAXED); // hint
    if (!f)
        return waiting;
    struct twi_ends e = twi_word_ends(TWI_LOAD(&f->word, TWI_RELAXED));           // hint
    uint32_t end = w->pool->membarrier ? twi_low(TWI_LOAD(&f->head, TWI_RELAXED)) // hint
                                       : e.split & ~(uint32_t)TWI_RAISING;
    return waiting + slots_between(e.top, end);
}

// None after a thief found none, until the next look: what there is cannot be had just now, and a
// policy that is told of it would try again at once.
static uint32_t pool_load(void *pool_of)
{
    struct twi_place *place = pool_of;
    struct twi_pool *pool = place->pool;
    if (!pool || place->is_bare)
        return 0;
    uint32_t load = spare_stolen(pool);
    for (unsigned i = 0; i < pool->count; i++)
        load += load_of(&pool->workers[i]);
    return load;
}

// A task that has come will soon have a worker. Who asked for more until that one runs would hardly
// let it: the communication worker may be on its processor.
uint32_t twi_place_idle(const struct twi_pool *pool)
{
    uint32_t idle = 0, come = 0;
    for (unsigned i = 0; i < pool->count; i++) {
        const struct twi_worker *w = &pool->workers[i];
        idle += TWI_LOAD(&w->is_idle, TWI_RELAXED) != 0;          // hint
        come += TWI_LOAD(&w->bag[TWI_NORMAL].count, TWI_RELAXED); // hint
        come += TWI_LOAD(&w->bag[TWI_STOLEN].count, TWI_RELAXED); // hint
    }
    return idle > come ? idle - come : 0;
}

static uint32_t pool_idle(void *pool_of)
{
    struct twi_place *place = pool_of;
    return place->pool ? twi_crowd_hungry(place, twi_place_idle(place->pool)) : 0;
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

void twi_place_stir(struct twi_place *place)
{
    struct twi_pool *pool = place->pool;
    place->is_bare = 0;
    for (unsigned i = 0; i < pool->count && !pool->membarrier; i++) {
        struct tw_fiber *f = TWI_LOAD(&pool->workers[i].active, TWI_ACQUIRE); // [A1]
        if (f && twi_deque_hides(f))
            TWI_STORE(&f->limit, (struct tw_slot *)NULL, TWI_RELAXED); // [D4]
    }
}

// ---- sending a task to a place ----

struct sent_task {
    struct twi_letter letter; // first
    uint32_t to;
    const struct tw_task_type *type;
    struct twi_away away;
    unsigned char args[];
};

static void deliver_task(struct twi_place *place, struct twi_letter *letter)
{
    struct sent_task *task = (struct sent_task *)letter;
    place->parcel_size = 0;
    pack(place, task->type, number_of(place, task->type), task->args,
         twi_piece_leaves(place, &task->away));
    twi_host_push(place->host, task->to, 1, place->parcel, (uint32_t)place->parcel_size);
    free(task);
}

int twi_is_place_here(unsigned to, const struct tw_task_type *type)
{
    struct twi_place *place = twi_place_here();
    if (to >= place->fabric->places)
        tw_misuse("a task was sent to a place that is not there", type->name);
    if (to == place->fabric->place)
        return 1;
    if (!TWI_LOAD(&twi_worker_here()->pool->outside, TWI_ACQUIRE)) // [O2]
        tw_misuse("a task was sent to another place from a pool that is not tw_run's", type->name);
    return 0;
}

void twi_send_task(unsigned to, const struct tw_task_type *type, const void *args,
                   const struct twi_away *away)
{
    struct tw_fiber *f = twi_fiber_here(NULL);
    twi_arguments_check_size(twi_place_here()->fabric->place, type);
    struct sent_task *task = malloc(sizeof *task + type->args_size);
    if (!task)
        tw_misuse("no memory for a task that goes to another place", type->name);
    *task =
        (struct sent_task){.letter.deliver = deliver_task, .to = to, .type = type, .away = *away};
    task->away.scope = f->scope;
    task->away.attempt = twi_attempt_current(twi_fiber_of(f));
    task->away.place = to;
    task->away.is_awaited = 1;
    memcpy(task->args, args, type->args_size);
    twi_scope_add(f->scope);
    twi_place_post(twi_place_here(), &task->letter);
}

void tw_task_push_at(unsigned to, const struct tw_task_type *type, const void *args)
{
    if (twi_is_place_here(to, type))
        tw_task_push_apart(type, args);
    else
        twi_send_task(to, type, args, &(struct twi_away){0});
}

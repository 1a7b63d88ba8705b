// SPDX-License-Identifier: Apache-2.0
// Adding tasks: seeds by whoever makes a collection, and by the tasks of another; more of the same
// by its own tasks, straight into the queue of the seat that runs them.
#include "collection/collection.h"

#include <string.h>

#include "place/registry.h"
#include "task/task.h"

const struct tw_local twi_seat_key = {"seat of a collection"};

struct twi_seat *twi_seat_here(void)
{
    return tw_local_get(&twi_seat_key);
}

struct tw_collection *tw_collection_current(void)
{
    struct twi_seat *seat = twi_seat_here();
    return seat ? seat->collection : NULL;
}

void *tw_collection_local(void)
{
    struct twi_seat *seat = twi_seat_here();
    return seat ? seat->collection->options.local : NULL;
}

void tw_collection_null(void)
{
    struct twi_seat *seat = twi_seat_here();
    if (!seat)
        tw_misuse("tw_collection_null outside a task of a collection", "");
    TWI_STORE(&seat->is_null, 1u,
              TWI_RELAXED); // relaxed: its task ends, by a scope, before it is read
}

// ---- items ----

static int fits(const struct tw_collection *c, const struct tw_task_type *type)
{
    return type->args_size <= c->options.task_size && type->args_align <= TWI_ITEM_ALIGN;
}

// Its tasks know, since it was set before they began; for others it is a hint.
static int is_processing(struct tw_collection *c)
{
    return TWI_LOAD(&c->is_processing, TWI_RELAXED) != 0; // hint
}

static void head_item(struct twi_item *item, const struct tw_task_type *type)
{
    *item = (struct twi_item){.type = twi_registry_number(type)};
}

// An item that the task of `seat` has created.
static void head_created(struct twi_item *item, const struct tw_task_type *type,
                         struct twi_seat *seat)
{
    head_item(item, type);
    item->flags = TWI_ITEM_CREATED;
    item->place = seat->seed.place;
    item->seat = seat->seed.seat;
    item->index = seat->seed.index;
    TWI_STORE(&seat->is_fertile, 1u, TWI_RELAXED); // relaxed: as is_null
}

// ---- by tasks of the collection ----

static int add_own(struct tw_collection *c, struct twi_seat *seat, const struct tw_task_type *type,
                   const void *args)
{
    int error;
    struct twi_item *item = twi_seat_next(c, seat, &error);
    if (!item)
        return error;
    head_created(item, type, seat);
    memcpy(item->args, args, type->args_size);
    twi_ledger_come(&seat->ledger, 0, 1);
    twi_split_add(&seat->queue, 1);
    if (c->is_stealing)
        twi_split_offer(&seat->queue, 0);
    return 0;
}

// By an async of the seat's task: it may run beside the runner, which alone may use the queue.
static int add_beside(struct tw_collection *c, struct twi_seat *seat,
                      const struct tw_task_type *type, const void *args)
{
    twi_lock_take(&seat->guard);
    size_t most = c->options.tasks_max;
    int is_full = most && seat->came.count >= most;
    struct twi_item *item = is_full ? NULL : twi_shelf_add(c, &seat->came);
    if (item) {
        head_created(item, type, seat);
        memcpy(item->args, args, type->args_size);
        TWI_STORE(&seat->has_come, 1u, TWI_RELEASE); // [SQ4]
    }
    twi_lock_drop(&seat->guard);
    return item ? 0 : is_full ? TW_ERANGE : TW_ENOMEM;
}

// ---- seeds ----

static struct twi_seat *choose_seat(struct tw_collection *c, int worker)
{
    struct twi_seat *here = twi_seat_here();
    uint32_t number;
    if (worker >= 0)
        number = (uint32_t)worker;
    else if (here)
        number = here->number;
    else {
        twi_lock_take(&c->guard);
        number = c->next_seat++;
        twi_lock_drop(&c->guard);
    }
    return &c->seat[number % c->seats];
}

static int add_seed(struct tw_collection *c, struct tw_hint hint, const struct tw_task_type *type,
                    const void *args)
{
    int error;
    struct twi_seat *seat = choose_seat(c, hint.worker);
    twi_lock_take(&seat->guard);
    struct twi_item *item = twi_seat_next(c, seat, &error);
    if (item) {
        head_item(item, type);
        item->flags = TWI_ITEM_NEW;
        item->cost_ns = hint.cost_ns;
        memcpy(item->args, args, type->args_size);
        twi_split_add(&seat->queue, 1);
    }
    twi_lock_drop(&seat->guard);
    return error;
}

int tw_collection_put(struct tw_collection *c, struct tw_hint hint, const struct tw_task_type *type,
                      const void *args)
{
    if (!fits(c, type))
        return TW_EINVAL;
    if (!is_processing(c))
        return add_seed(c, hint, type, args);
    struct twi_seat *seat = twi_seat_here();
    if (!seat || seat->collection != c)
        return TW_EAGAIN;
    return tw_fiber_current() == seat->fiber ? add_own(c, seat, type, args)
                                             : add_beside(c, seat, type, args);
}

void *tw_collection_reserve(struct tw_collection *c, struct tw_hint hint,
                            const struct tw_task_type *type)
{
    int error;
    if (!fits(c, type) || is_processing(c))
        return NULL;
    struct twi_seat *seat = choose_seat(c, hint.worker);
    twi_lock_take(&seat->guard);
    struct twi_item *item = twi_seat_next(c, seat, &error);
    if (!item) {
        twi_lock_drop(&seat->guard);
        return NULL;
    }
    head_item(item, type);
    item->flags = TWI_ITEM_NEW;
    item->cost_ns = hint.cost_ns;
    c->reserved = seat;
    return item->args;
}

void tw_collection_commit(struct tw_collection *c)
{
    struct twi_seat *seat = c->reserved;
    if (!seat)
        tw_misuse("tw_collection_commit without tw_collection_slot", "");
    c->reserved = NULL;
    twi_split_add(&seat->queue, 1);
    twi_lock_drop(&seat->guard);
}

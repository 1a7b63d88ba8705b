// SPDX-License-Identifier: Apache-2.0
// Making collections, what they are asked, and putting seeds back.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <twill/runtime.h>

#include "collection/far.h"
#include "place/registry.h"
#include "sched/sched.h"
#include "task/task.h"

enum { TASKS_FIRST = 1024 };

static const char *const names[] = {
    [TW_BALANCE_RETENTIVE] = "retentive",
    [TW_BALANCE_STEAL] = "steal",
    [TW_BALANCE_STEAL_ALL] = "steal-all",
    [TW_BALANCE_NONE] = "none",
    [TW_BALANCE_PERSIST_CENTRAL] = "persist-central",
    [TW_BALANCE_PERSIST_TREE] = "persist-tree",
    [TW_BALANCE_AUTO] = "auto",
};

const char *tw_balance_name(enum tw_balance balance)
{
    return (size_t)balance < sizeof names / sizeof *names ? names[balance] : "unknown";
}

int tw_balance_find(const char *name, enum tw_balance *balance)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) {
            *balance = (enum tw_balance)i;
            return 0;
        }
    return TW_ENOENT;
}

// ---- making ----

static uint32_t order_for(size_t tasks)
{
    uint32_t order = 0;
    while (order < TWI_SPLIT_ORDER_MAX && (size_t)1 << order < tasks)
        order++;
    return order;
}

// 0: the settings are refused.
static unsigned workers_for(const struct tw_collection_options *options)
{
    struct tw_options defaults;
    if (options->workers)
        return options->workers <= TW_WORKERS_MAX ? options->workers : 0;
    if (twi_worker_maybe())
        return tw_workers();
    if (tw_options_init(&defaults, NULL, 0) != 0 || twi_options_settle(&defaults) != 0)
        return 0;
    return defaults.workers;
}

static int open_seats(struct tw_collection *c, uint32_t order)
{
    for (uint32_t i = 0; i < c->seats; i++) {
        struct twi_seat *seat = &c->seat[i];
        seat->collection = c;
        seat->number = i;
        seat->rng.counter = (uint64_t)c->place << 32 | i;
        seat->created = aligned_alloc(64, (c->item_size + 63) & ~(size_t)63);
        if (!seat->created || twi_split_open(&seat->queue, c->item_size, order) != 0)
            return TW_ENOMEM;
    }
    return 0;
}

static int open_collection(struct tw_collection *c)
{
    struct tw_collection_options *o = &c->options;
    o->tasks_first = o->tasks_first ? o->tasks_first : TASKS_FIRST;
    if (o->tasks_max && o->tasks_first > o->tasks_max)
        o->tasks_first = o->tasks_max;
    size_t rounded = (o->task_size + TWI_ITEM_ALIGN - 1) / TWI_ITEM_ALIGN * TWI_ITEM_ALIGN;
    c->item_size = (uint32_t)(sizeof(struct twi_item) + rounded);
    c->seat = aligned_alloc(64, c->seats * sizeof *c->seat);
    if (!c->seat)
        return TW_ENOMEM;
    memset(c->seat, 0, c->seats * sizeof *c->seat);
    return open_seats(c, order_for(o->tasks_first));
}

int tw_collection_create(struct tw_collection **collection,
                         const struct tw_collection_options *options)
{
    static pthread_once_t numbered = PTHREAD_ONCE_INIT;
    unsigned workers = workers_for(options);
    *collection = NULL;
    if (options->task_size == 0 || options->task_size > TWI_TASK_SIZE_MAX || !workers ||
        (options->tasks_max && options->tasks_first > options->tasks_max) ||
        (size_t)options->balance >= sizeof names / sizeof *names)
        return TW_EINVAL;
    if (tw_places() == 1)
        pthread_once(&numbered, twi_registry_close);
    struct tw_collection *c = calloc(1, sizeof *c);
    if (!c)
        return TW_ENOMEM;
    c->options = *options;
    c->seats = workers;
    c->place = tw_here();
    int error = twi_far_open(c, open_collection(c));
    if (error) {
        tw_collection_free(c);
        return error;
    }
    *collection = c;
    return 0;
}

void tw_collection_free(struct tw_collection *c)
{
    if (c)
        twi_far_close(c);
    for (uint32_t i = 0; c && c->seat && i < c->seats; i++) {
        struct twi_seat *seat = &c->seat[i];
        twi_split_close(&seat->queue);
        twi_shelf_free(&seat->begun);
        twi_shelf_free(&seat->ran);
        twi_shelf_free(&seat->came);
        free(seat->extra.first);
        free(seat->created);
    }
    if (c)
        free(c->seat);
    free(c);
}

// ---- asking ----

void tw_collection_set_balance(struct tw_collection *c, enum tw_balance balance)
{
    if ((size_t)balance >= sizeof names / sizeof *names)
        tw_misuse("no such balance of a collection", "");
    if (balance == TW_BALANCE_AUTO && c->options.balance != balance)
        twi_auto_start(&c->rule);
    c->options.balance = balance;
}

size_t tw_collection_count(const struct tw_collection *c)
{
    size_t count = 0;
    for (uint32_t i = 0; i < c->seats; i++)
        count += twi_split_count(&c->seat[i].queue);
    return count;
}

const struct tw_collection_stats *tw_collection_stats(const struct tw_collection *c)
{
    return &c->stats;
}

void tw_collection_visit(const struct tw_collection *c,
                         void (*visit)(const struct tw_record *record, void *argument),
                         void *argument)
{
    for (uint32_t i = 0; i < c->seats; i++)
        for (uint32_t k = 0; k < c->seat[i].ran.count; k++) {
            const struct twi_item *item = twi_shelf_at(c, &c->seat[i].ran, k);
            const struct tw_task_type *type = twi_registry_type(item->type);
            struct tw_record record = {type->name, item->args, type->args_size,
                                       i,          k,          item->cost_ns};
            visit(&record, argument);
        }
}

// ---- putting back ----

int twi_balance_is_memoryless(enum tw_balance balance)
{
    return balance == TW_BALANCE_STEAL || balance == TW_BALANCE_STEAL_ALL ||
           balance == TW_BALANCE_NONE;
}

static const struct twi_shelf *restored(const struct tw_collection *c, const struct twi_seat *seat)
{
    return twi_balance_is_memoryless(c->options.balance) ? &seat->begun : &seat->ran;
}

// A seat may have run more than tasks_max: stolen ones, one after the other.
static int make_room(const struct tw_collection *c, struct twi_seat *seat)
{
    while (twi_split_room(&seat->queue) < restored(c, seat)->count)
        if (twi_split_grow(&seat->queue, TWI_SPLIT_ORDER_MAX) != 0)
            return TW_ENOMEM;
    return 0;
}

static void restore_seat(const struct tw_collection *c, struct twi_seat *seat)
{
    const struct twi_shelf *shelf = restored(c, seat);
    for (uint32_t i = 0; i < shelf->count; i++) {
        const struct twi_item *record = twi_shelf_at(c, shelf, i);
        if (record->flags & TWI_ITEM_NULL && c->options.balance != TW_BALANCE_STEAL_ALL)
            continue;
        memcpy(twi_split_next(&seat->queue), record, c->item_size);
        twi_split_add(&seat->queue, 1);
    }
}

int tw_collection_restore(struct tw_collection *c)
{
    int error = c->is_processed ? 0 : TW_EINVAL;
    for (uint32_t i = 0; i < c->seats && !error; i++)
        error = make_room(c, &c->seat[i]);
    for (uint32_t i = 0; i < c->seats && !error; i++)
        restore_seat(c, &c->seat[i]);
    if (!error) {
        c->is_processed = 0;
        c->is_planned = c->is_rebalanced && !twi_balance_is_memoryless(c->options.balance);
    }
    return error;
}

// SPDX-License-Identifier: Apache-2.0
// The runner of a seat: takes items from its queue, runs and measures them, until nothing is left
// anywhere. It is a task as any other: what it runs may wait, and spawn.
#include "collection/collection.h"

#include <string.h>

#include "base/os.h"
#include "place/registry.h"
#include "task/task.h"

// Runs what stands at `now`, with all that it starts.
static void call_item(struct twi_seat *seat)
{
    const struct tw_task_type *type = twi_registry_type(seat->now->type);
    unsigned char packed[TW_SLOT_PAYLOAD] __attribute__((aligned(TWI_PAYLOAD_ALIGN)));
    struct tw_fiber *fiber = seat->fiber;
    struct tw_scope scope;
    twi_pack(packed, seat->now->args, type->args_size, type->args_align);
    tw_scope_begin(&scope);
    type->run(fiber, TWI_LOAD_OWN(&fiber->head), packed, (void *)type);
    tw_scope_end(&scope);
}

// Copies an item to where it stands while it runs, since what runs may add others in its slot: a
// seed to its record here, for which everything counts that comes of it.
static int hold(struct tw_collection *c, struct twi_seat *seat, const struct twi_item *item)
{
    int is_created = (item->flags & TWI_ITEM_CREATED) != 0;
    struct twi_item *held = is_created ? seat->created : twi_shelf_add(c, &seat->ran);
    if (!held)
        return TW_ENOMEM;
    memcpy(held, item, c->item_size);
    seat->now = held;
    seat->seed =
        is_created
            ? (struct twi_note){.place = held->place, .seat = held->seat, .index = held->index}
            : (struct twi_note){
                  .place = c->place, .seat = seat->number, .index = seat->ran.count - 1};
    return 0;
}

// The seed had nothing to do: its record goes, and where it began that is noted.
static int note_null(struct twi_seat *seat)
{
    const struct twi_item *now = seat->now; // it stays where it is until the next is held
    seat->ran.count--;
    seat->tally.nulls++;
    return twi_notes_add(&seat->extra, &(struct twi_note){.place = now->place,
                                                          .seat = now->seat,
                                                          .index = now->index,
                                                          .is_null = 1});
}

static int account(struct twi_seat *seat, uint64_t cost_ns)
{
    struct twi_note note = seat->seed;
    seat->tally.run++;
    seat->tally.work_ns += cost_ns;
    uint64_t done_ns = TWI_LOAD_OWN(&seat->ledger.done_ns) + seat->now->cost_ns;
    TWI_STORE(&seat->ledger.done_ns, done_ns, TWI_RELAXED); // hint
    if (seat->now->flags & TWI_ITEM_CREATED) {
        note.cost_ns = cost_ns;
        return twi_notes_add(&seat->extra, &note);
    }
    seat->tally.seeds++;
    if (TWI_LOAD(&seat->is_null, TWI_RELAXED) &&   // relaxed: see where it is written
        !TWI_LOAD(&seat->is_fertile, TWI_RELAXED)) // relaxed: likewise
        return note_null(seat);
    seat->now->cost_ns = cost_ns;
    return 0;
}

static int run_item(struct twi_seat *seat)
{
    TWI_STORE(&seat->is_null, 0u, TWI_RELAXED);    // relaxed: nothing runs yet
    TWI_STORE(&seat->is_fertile, 0u, TWI_RELAXED); // relaxed: likewise
    uint64_t begun = twi_now_ns();
    call_item(seat);
    return account(seat, twi_now_ns() - begun);
}

uint32_t twi_seat_collect(struct twi_seat *seat)
{
    struct tw_collection *c = seat->collection;
    uint32_t moved = 0;
    int error;
    if (!TWI_LOAD(&seat->has_come, TWI_ACQUIRE)) // [SQ4]
        return 0;
    twi_lock_take(&seat->guard);
    for (struct twi_item *slot; moved < seat->came.count; moved++) {
        if (!(slot = twi_seat_next(c, seat, &error)))
            break;
        memcpy(slot, twi_shelf_at(c, &seat->came, seat->came.count - 1 - moved), c->item_size);
        twi_split_add(&seat->queue, 1);
    }
    seat->came.count -= moved;
    twi_ledger_come(&seat->ledger, 0, moved != 0);
    if (seat->came.count == 0)
        TWI_STORE(&seat->has_come, 0u, TWI_RELAXED); // relaxed: set under the guard
    twi_lock_drop(&seat->guard);
    return moved;
}

// The next item, held at `now`. 0: there is none here, or an error.
static int take_item(struct tw_collection *c, struct twi_seat *seat, int *error)
{
    const void *slot = twi_split_take(&seat->queue);
    if (!slot && twi_seat_collect(seat))
        slot = twi_split_take(&seat->queue);
    if (!slot)
        return 0;
    *error = hold(c, seat, slot);
    if (c->is_stealing)
        twi_split_offer(&seat->queue, 1);
    return !*error;
}

static int is_stopped(struct tw_collection *c)
{
    return tw_cancelled() || TWI_LOAD(&c->is_stopped, TWI_RELAXED); // [SQ5]
}

static void run_seat(struct tw_collection *c, struct twi_seat *seat)
{
    int error = 0;
    do
        while (!error && !is_stopped(c) && take_item(c, seat, &error))
            error = run_item(seat);
    while (!error && !is_stopped(c) && twi_seat_search(seat));
    if (error)
        tw_attempt_fail(error, "a collection", NULL, "", 0);
}

// Everything inside finds the seat.
static void run_runner(struct tw_fiber *fiber, struct tw_slot *head, const void *payload,
                       void *result)
{
    struct twi_runner runner;
    struct tw_scope scope;
    (void)head, (void)result;
    memcpy(&runner, payload, sizeof runner);
    struct tw_attempt given = {.key = &twi_seat_key, .value = runner.seat};
    runner.seat->fiber = fiber;
    tw_attempt_begin(&given);
    tw_scope_begin(&scope);
    run_seat(runner.seat->collection, runner.seat);
    tw_scope_end(&scope);
    tw_attempt_end(&given);
    runner.seat->fiber = NULL;
}

const struct tw_task_type twi_runner_type = {.name = "collection",
                                             .file = __FILE__,
                                             .line = __LINE__,
                                             .args_align = _Alignof(struct twi_runner),
                                             .result_align = 1,
                                             .args_size = sizeof(struct twi_runner),
                                             .run = run_runner};

// SPDX-License-Identifier: Apache-2.0
// A process: records what there is, lets a runner work for each seat, and settles what they noted.

#include <string.h>

#include <twill/runtime.h>

#include "base/os.h"
#include "collection/far.h"
#include "collection/figures.h"
#include "sched/sched.h"
#include "task/task.h"

// ---- before ----

// What the seat starts with. 0 or TW_ENOMEM. A seed that is new is in no plan.
static int begin_seat(struct tw_collection *c, struct twi_seat *seat)
{
    struct twi_split *q = &seat->queue;
    seat->begun.count = seat->ran.count = seat->came.count = seat->extra.count = 0;
    seat->tally = (struct twi_tally){0};
    seat->ledger = (struct twi_ledger){0};
    for (uint32_t at = q->split; at != q->head; at++) {
        struct twi_item *item = (struct twi_item *)twi_split_slot(q, at);
        c->is_planned &= !(item->flags & TWI_ITEM_NEW);
        seat->ledger.seeds += !(item->flags & TWI_ITEM_NEW);
        seat->ledger.came_ns += item->cost_ns;
        seat->ledger.is_vague |= item->cost_ns == 0;
        item->flags = 0;
        item->place = c->place;
        item->seat = seat->number;
        item->index = seat->begun.count;
        struct twi_item *record = twi_shelf_add(c, &seat->begun);
        if (!record)
            return TW_ENOMEM;
        memcpy(record, item, c->item_size);
    }
    return 0;
}

static int wants_to_steal(const struct tw_collection *c)
{
    enum tw_balance balance = c->options.balance;
    return balance != TW_BALANCE_NONE && !(twi_balance_is_persistent(balance) && c->is_planned);
}

static int begin_all(struct tw_collection *c)
{
    int error = 0;
    for (uint32_t i = 0; i < c->seats && !error; i++)
        error = begin_seat(c, &c->seat[i]);
    TWI_STORE(&c->active, c->seats, TWI_RELAXED); // relaxed: nobody runs yet
    TWI_STORE(&c->is_stopped, 0u, TWI_RELAXED);   // relaxed: likewise
    c->over = (struct tw_future){TWI_LINE_INIT, 0, 0, NULL};
    c->is_rebalanced = 0;
    return error;
}

// ---- during ----

static int run_all(struct tw_collection *c)
{
    struct tw_outcome outcome = twi_outcome_none();
    struct tw_attempt attempt = {.outcome = &outcome};
    struct tw_scope scope;
    tw_attempt_begin(&attempt);
    tw_scope_begin(&scope);
    for (uint32_t i = 0; i < c->seats; i++)
        tw_task_push(&twi_runner_type, &(struct twi_runner){&c->seat[i]});
    tw_scope_end(&scope);
    tw_attempt_end(&attempt);
    return outcome.error;
}

// ---- after ----

static void settle(struct tw_collection *c, const struct twi_note *note)
{
    struct twi_seat *seat = &c->seat[note->seat];
    if (note->is_null)
        twi_shelf_at(c, &seat->begun, note->index)->flags |= TWI_ITEM_NULL;
    else
        twi_shelf_at(c, &seat->ran, note->index)->cost_ns += note->cost_ns;
}

// What a process that failed has left is dropped.
static void end_seat(struct tw_collection *c, struct twi_seat *seat)
{
    while (twi_split_take(&seat->queue))
        ;
    seat->came.count = 0;
    TWI_STORE(&seat->has_come, 0u, TWI_RELAXED); // relaxed: nobody runs any more
    twi_split_calm(&seat->queue);
    for (uint32_t i = 0; i < seat->extra.count; i++)
        settle(c, &seat->extra.first[i]);
}

static void end_all(struct tw_collection *c)
{
    for (uint32_t i = 0; i < c->seats; i++)
        end_seat(c, &c->seat[i]);
    for (uint32_t i = 0; i < c->far.notes.count; i++)
        settle(c, &c->far.notes.first[i]);
    TWI_STORE(&c->is_processing, 0u, TWI_RELAXED); // relaxed: its tasks have ended
    c->is_processed = 1;
}

static int process(struct tw_collection *c)
{
    uint64_t begun_ns = twi_now_ns();
    if (TWI_LOAD(&c->is_processing, TWI_RELAXED)) // relaxed: in one of its tasks, or never
        tw_misuse("tw_collection_process of a collection that is being processed", "");
    c->stats.rebalance = (struct tw_rebalance_stats){0};
    int planned = twi_rebalance_before(c);
    int begun = begin_all(c);
    int error = twi_far_begin(c, planned ? planned : begun, wants_to_steal(c));
    if (error)
        return error;
    TWI_STORE(&c->is_processing, 1u, TWI_RELAXED); // relaxed: before its tasks begin
    error = twi_far_end(c, run_all(c));
    end_all(c);
    int counted = twi_figures_count(c, 1e-9 * (double)(twi_now_ns() - begun_ns));
    error = error ? error : counted;
    return error ? error : twi_rebalance_after(c);
}

// ---- from outside tasks ----

TW_TASK(process_outside, {
    struct tw_collection *collection;
    int *result;
})
{
    *self.result = process(self.collection);
}

int tw_collection_process(struct tw_collection *c)
{
    int result = 0;
    if (twi_worker_maybe())
        return process(c);
    int error = tw_run_spmd(process_outside, .collection = c, .result = &result);
    return error ? error : result;
}

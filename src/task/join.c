// SPDX-License-Identifier: Apache-2.0
// Joining a fork, the slow half.
//
// Newest first, a join pops its slot. In another order there are younger tasks above it, which must
// not run on this frame: the joined slot becomes a hole, a function that does nothing, and stays.
// If it was stolen it stays too, as dead. A function must not return with such slots at the top of
// its deque, since its caller keeps the head in a register. So while a fiber has holes, all of its
// deque is kept shared: then every join and every end of a finish comes here (or to task.c) and
// gives the holes at the top back. A hole that was stolen is waited for, which is short.
#include <stdlib.h>
#include <string.h>

#include "task/task.h"

static void run_hole(struct tw_fiber *fiber, struct tw_slot *head, const void *args, void *result)
{
    (void)fiber, (void)head, (void)args, (void)result;
}

static const struct tw_task_type hole = {"hole", __FILE__, __LINE__, 1, 1, 0, 1, run_hole};
static const struct tw_task_type dead = {"dead", __FILE__, __LINE__, 1, 1, 0, 1, run_hole};

// ---- waiting ----

struct join {
    struct tw_fiber *fiber;
    struct tw_slot *slot;
};

static void publish_join(void *argument)
{
    struct join *join = argument;
    struct tw_fiber *fiber = join->fiber;
    if (!twi_fork_wait(join->slot, fiber))
        twi_ready(fiber);
}

void twi_join_elsewhere(struct tw_fiber *f, struct tw_slot *slot, struct tw_scope *scope)
{
    if (!twi_fork_finished(slot)) {
        struct join join = {f, slot};
        twi_park_for("join", slot, publish_join, &join);
    }
    struct tw_fiber *woken = twi_fork_adopt(slot, scope);
    if (woken)
        twi_ready(woken);
    twi_fork_forget(slot);
}

// The innermost scope whose range holds the slot.
static struct tw_scope *scope_of(struct tw_fiber *f, const struct tw_slot *slot)
{
    struct tw_scope *scope = f->scope;
    while (scope->parent && scope->base > slot)
        scope = scope->parent;
    return scope;
}

static void join_stolen(struct tw_fiber *f, struct tw_slot *slot)
{
    twi_join_elsewhere(f, slot, scope_of(f, slot));
}

static int take_back(struct tw_fiber *f, struct tw_slot *slot)
{
    return twi_take_private(f, slot) || twi_deque_reclaim(f, slot);
}

// ---- holes ----

// Everything is shared, so that whatever is taken next comes by a slow path.
static void hole_add(struct tw_fiber *f)
{
    twi_fiber_of(f)->holes++;
    if (twi_deque_share_all(f))
        twi_announce(twi_worker_here());
}

// 1 when the slot was a hole and is gone.
static int hole_remove(struct tw_fiber *f, struct tw_slot *slot)
{
    if (slot->type == &dead) {
        twi_scope_add(scope_of(f, slot)); // undoes the discount
    } else if (slot->type != &hole) {
        return 0;
    } else if (take_back(f, slot)) {
        slot->type = NULL;
        return 1;
    } else {
        join_stolen(f, slot);
    }
    slot->type = NULL;
    twi_deque_reset(f, slot);
    return 1;
}

void twi_holes_collapse(struct tw_fiber *f)
{
    struct twi_fiber *fiber = twi_fiber_of(f);
    if (!fiber->holes)
        return;
    struct tw_slot *lowest = f->scope ? f->scope->base : fiber->slots;
    while (fiber->holes) {
        struct tw_slot *head = TWI_LOAD_OWN(&f->head);
        if (head <= lowest || !hole_remove(f, head - 1))
            break;
        fiber->holes--;
    }
    if (fiber->holes)
        (void)twi_deque_share_all(f);
}

int64_t twi_holes_discount(struct tw_fiber *f, struct tw_slot *base, int64_t stolen)
{
    struct twi_fiber *fiber = twi_fiber_of(f);
    int64_t pieces = stolen;
    for (int64_t i = 0; i < stolen; i++) {
        struct tw_slot *slot = &base[i];
        if (!slot->type->result_size)
            continue;
        if (slot->type == &hole) {
            join_stolen(f, slot);
            pieces--;
        } else if (slot->type != &dead) { // a dead one was discounted when it died
            tw_misuse("a forked function was not joined before its finish ended", slot->type->name);
        }
        slot->type = NULL;
        fiber->holes--;
    }
    return pieces;
}

// ---- the join itself ----

// Runs the body here, on top of the task that joins it. Its result is kept in a free slot, where it
// is read before the next push.
static struct tw_slot *run_here(struct tw_fiber *f, const struct tw_slot *slot)
{
    const struct tw_task_type *type = slot->type;
    unsigned char payload[TW_SLOT_PAYLOAD] __attribute__((aligned(TWI_PAYLOAD_ALIGN)));
    memcpy(payload, slot->payload, sizeof payload);
    type->run(f, TWI_LOAD_OWN(&f->head), payload, payload);
    struct tw_slot *spare = TWI_LOAD_OWN(&f->head);
    memcpy(spare->payload, payload, sizeof payload);
    return spare;
}

// Runs the body on another stack, where it is in the attempt it was forked in.
static struct tw_slot *run_outside(struct tw_fiber *f, const struct tw_slot *slot,
                                   struct tw_attempt *attempt)
{
    struct twi_detached *elsewhere = twi_run_elsewhere(f, slot, attempt);
    twi_join_elsewhere(f, &elsewhere->slot, f->scope);
    struct tw_slot *spare = TWI_LOAD_OWN(&f->head);
    memcpy(spare->payload, elsewhere->slot.payload, sizeof spare->payload);
    free(elsewhere);
    return spare;
}

// Lowered for a moment, head keeps thieves off while it is decided whose the slot is.
static struct tw_slot *join_below(struct tw_fiber *f, struct tw_slot *slot, struct tw_slot *head)
{
    struct tw_slot taken;
    struct tw_attempt *attempt = twi_attempt_at(twi_fiber_of(f), slot);
    int mine = take_back(f, slot);
    if (mine) {
        taken = *slot;
        TWI_WRITE(slot->type, &hole);
    }
    TWI_STORE(&f->head, head, TWI_RELEASE); // [D1]
    if (mine) {
        hole_add(f);
        return attempt == twi_attempt_current(twi_fiber_of(f)) ? run_here(f, &taken)
                                                               : run_outside(f, &taken, attempt);
    }
    join_stolen(f, slot);
    TWI_WRITE(slot->type, &dead);
    twi_scope_discount(scope_of(f, slot));
    hole_add(f);
    return slot;
}

static struct tw_slot *join_top(struct tw_fiber *f, struct tw_slot *slot)
{
    if (!take_back(f, slot)) {
        join_stolen(f, slot);
        twi_deque_reset(f, slot);
        twi_holes_collapse(f);
        return slot;
    }
    if (!twi_fiber_of(f)->holes)
        return NULL;
    struct tw_slot taken = *slot;
    twi_holes_collapse(f);
    return run_here(f, &taken);
}

struct tw_slot *tw_slot_take(struct tw_fiber *f, struct tw_slot *slot)
{
    struct tw_slot *head = TWI_LOAD_OWN(&f->head);
    if (slot >= head || slot < twi_fiber_of(f)->slots)
        tw_misuse("a handle was joined twice, or by a task that did not fork it", "");
    if (slot < f->scope->base) {
        twi_scope_poke(f->scope); // its end gives the hole back
        return join_below(f, slot, head);
    }
    return head > slot + 1 ? join_below(f, slot, head) : join_top(f, slot);
}

void tw_task_join(const struct tw_task_type *type, struct tw_slot *forked, void *result)
{
    struct tw_fiber *f = twi_fiber_here(NULL);
    struct tw_slot *done = twi_take(f, forked, f->scope);
    if (!done)
        done = run_here(f, forked);
    twi_unpack(result, done->payload, type->result_size, type->result_align);
}

// SPDX-License-Identifier: Apache-2.0
// The slow halves of spawning and joining (fast ones: include/twill/inline.h), and the same as plain
// functions.
//
// A task that finds no slot, or too little stack, goes on a stack of its own: it is copied to a
// detached slot on the heap, its fiber is put among the ready ones, and the piece runs first.
// A fork whose slot is not where its handle says, for that reason or because the body's guess of the
// head was wrong, is entered in the fiber's table of misplaced ones, where its join looks.
#include <stdlib.h>
#include <string.h>

#include "core/deque.h"
#include "core/scope.h"
#include "sched/sched.h"

// A joined slot that could not be popped, because tasks stand above it, becomes this.
static void run_hole(struct tw_fiber *fiber, struct tw_slot *head, const void *args, void *result)
{
    (void)fiber, (void)head, (void)args, (void)result;
}

static const struct tw_task_type hole = {"hole", __FILE__, __LINE__, 1, 0, 0, 0, run_hole};

// ---- detached and misplaced slots ----

struct detached {
    struct tw_slot slot;    // first: known by it
    struct tw_scope *scope; // the innermost one where it was spawned
};

static void misplace(struct tw_fiber *f, const struct tw_slot *handle, struct tw_slot *slot)
{
    if (!twi_misplaced_put(&twi_fiber_of(f)->misplaced, handle, slot))
        tw_misuse("no memory is left for a task", slot->type->name);
}

// The slot a handle stands for.
static struct tw_slot *slot_of_handle(struct tw_fiber *f, struct tw_slot *handle)
{
    struct tw_slot *slot = twi_misplaced_take(&twi_fiber_of(f)->misplaced, handle);
    return slot ? slot : handle;
}

static int is_detached(const struct twi_fiber *fiber, const struct tw_slot *slot)
{
    return slot < fiber->slots || slot >= fiber->bound + TWI_SLOTS_SPARE;
}

// Runs the task in `slot`, which is the caller's own, on another stack; the caller goes on when a
// worker is free for it.
static struct tw_slot *run_elsewhere(struct tw_fiber *f, const struct tw_slot *slot)
{
    struct detached *detached = aligned_alloc(64, sizeof *detached);
    if (!detached)
        tw_misuse("no memory is left for a task", slot->type->name);
    memcpy(&detached->slot, slot, sizeof *slot);
    detached->scope = f->scope;
    if (slot->type->result_size == 0)
        twi_scope_add(slot->scope);
    twi_park_behind(&detached->slot);
    return &detached->slot;
}

// ---- push ----

// The owner was asked to share: half of what is private, and one sleeper is woken if nobody looks.
static void answer_request(struct tw_fiber *f)
{
    struct twi_worker *w = twi_worker_here();
    TWI_STORE(&f->limit, twi_fiber_of(f)->bound, TWI_RELAXED); // [D4] rechecked by the fence
    if (twi_deque_share(f))
        w->stats.shares++;
    twi_announce(w); // [D4] a request this overwrote was made by a worker that is seen here
}

// No slot is left after this one: takes it back before it can be shared. A nudging thief may have
// been faster; the spare slots are for that.
static void overflow(struct tw_fiber *f, struct tw_slot *slot, const struct tw_slot *handle)
{
    if (slot >= twi_fiber_of(f)->bound + TWI_SLOTS_SPARE - 1)
        tw_misuse("the spare slots of a fiber were used up", slot->type->name);
    if (twi_take_private(f, slot) || twi_deque_reclaim(f, slot)) {
        int is_fork = slot->type->result_size != 0;
        struct tw_slot *detached = run_elsewhere(f, slot);
        if (is_fork)
            misplace(f, handle, detached);
    } else {
        TWI_STORE(&f->head, slot + 1, TWI_RELEASE); // [D1]
        if (handle != slot)
            misplace(f, handle, slot);
    }
}

void tw_slot_pushed(struct tw_fiber *f, struct tw_slot *slot)
{
    if (slot >= twi_fiber_of(f)->bound)
        overflow(f, slot, slot);
    else
        answer_request(f);
}

void tw_slot_push_elsewhere(struct tw_fiber *f, struct tw_slot *handle,
                            const struct tw_task_type *type, const void *payload)
{
    struct tw_slot *slot = TWI_LOAD_OWN(&f->head);
    TWI_WRITE(slot->type, type);
    memcpy(slot->payload, payload, sizeof slot->payload);
    if (slot >= twi_fiber_of(f)->bound) {
        TWI_STORE(&f->head, slot + 1, TWI_RELEASE); // [D1]
        overflow(f, slot, handle);
        return;
    }
    misplace(f, handle, slot);
    twi_publish(f, slot);
}

// ---- join ----

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

static void wait_for_fork(struct tw_fiber *f, struct tw_slot *slot)
{
    if (twi_fork_finished(slot))
        return;
    struct join join = {f, slot};
    twi_park(publish_join, &join);
}

// The innermost scope whose range holds the slot.
static struct tw_scope *scope_of(struct tw_fiber *f, const struct tw_slot *slot)
{
    struct tw_scope *scope = f->scope;
    while (scope->parent && scope->base > slot)
        scope = scope->parent;
    return scope;
}

// What the function left behind is a piece of the scope it was forked in.
static void adopt_leftovers(struct tw_slot *slot, struct tw_scope *scope)
{
    struct tw_fiber *woken = twi_fork_adopt(slot, scope);
    if (woken)
        twi_ready(woken);
}

// A copy of the payload in a slot that nobody uses: results and arguments are read there before the
// next push.
static struct tw_slot *keep(struct tw_fiber *f, const struct tw_slot *slot)
{
    struct tw_slot *spare = TWI_LOAD_OWN(&f->head);
    if (spare != slot)
        memcpy(spare->payload, slot->payload, sizeof spare->payload);
    return spare;
}

static struct tw_slot *join_detached(struct tw_fiber *f, struct tw_slot *slot)
{
    wait_for_fork(f, slot);
    adopt_leftovers(slot, ((struct detached *)slot)->scope);
    struct tw_slot *result = keep(f, slot);
    free(slot);
    return result;
}

static void join_stolen(struct tw_fiber *f, struct tw_slot *slot)
{
    wait_for_fork(f, slot);
    adopt_leftovers(slot, scope_of(f, slot));
    twi_fork_forget(slot);
}

// Runs the body here, on top of the task that joins it. Its result is kept in a spare slot.
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

// A slot below others: lowered for a moment, head keeps thieves off while it is decided.
static struct tw_slot *join_below(struct tw_fiber *f, struct tw_slot *slot, struct tw_slot *head)
{
    struct tw_slot taken;
    struct tw_scope *scope = scope_of(f, slot);
    int mine = twi_take_private(f, slot) || twi_deque_reclaim(f, slot);
    if (mine) {
        taken = *slot;
        TWI_WRITE(slot->type, &hole);
        TWI_WRITE(slot->scope, scope);
    }
    TWI_STORE(&f->head, head, TWI_RELEASE); // [D1]
    if (mine)
        return run_here(f, &taken);
    join_stolen(f, slot);
    twi_scope_discount(scope);
    return slot;
}

struct tw_slot *tw_slot_take(struct tw_fiber *f, struct tw_slot *handle)
{
    struct tw_slot *slot = slot_of_handle(f, handle);
    if (is_detached(twi_fiber_of(f), slot))
        return join_detached(f, slot);
    struct tw_slot *head = TWI_LOAD_OWN(&f->head);
    if (slot >= head)
        tw_misuse("a handle was joined twice, or by a task that did not fork it", "");
    if (head > slot + 1)
        return join_below(f, slot, head);
    if (twi_take_private(f, slot) || twi_deque_reclaim(f, slot))
        return slot == handle ? NULL : run_here(f, slot);
    join_stolen(f, slot);
    twi_deque_reset(f, slot);
    return slot;
}

// ---- finish ----

struct settle {
    struct tw_scope *scope;
    int64_t left;
};

static void publish_settle(void *argument)
{
    struct settle *settle = argument;
    struct tw_scope *scope = settle->scope;
    struct tw_fiber *fiber = scope->fiber;
    if (twi_scope_settle(scope, settle->left))
        twi_ready(fiber);
}

// Runs the slots of the scope that are still there; returns how many were stolen.
static int64_t drain(struct tw_fiber *f, const struct tw_scope *scope)
{
    for (;;) {
        struct tw_slot *slot = TWI_LOAD_OWN(&f->head) - 1;
        if (slot < scope->base)
            return 0;
        if (!twi_take_private(f, slot) && !twi_deque_reclaim(f, slot))
            return slot + 1 - scope->base;
        if (twi_stack_low(f))
            (void)run_elsewhere(f, slot);
        else
            slot->type->run(f, slot, slot->payload, NULL);
    }
}

void tw_scope_wait(struct tw_fiber *f, struct tw_scope *scope)
{
    int64_t left = drain(f, scope);
    if (!twi_scope_all_done(scope, left)) {
        struct settle settle = {scope, left};
        twi_park(publish_settle, &settle);
    }
    twi_scope_rearm(scope);
    if (left) // else head is at the base, or below when a join inside the block took it there
        twi_deque_reset(f, scope->base);
}

// ---- plain functions ----

void tw_scope_begin(struct tw_scope *scope)
{
    twi_scope_open(scope, NULL, NULL);
}

void tw_scope_end(struct tw_scope *scope)
{
    twi_scope_close(scope, scope->fiber, scope->base);
}

void tw_task_push(const struct tw_task_type *type, const void *args)
{
    struct tw_fiber *f = twi_fiber_here(NULL);
    if (type->result_size)
        tw_misuse("a function was pushed as a task: fork it", type->name);
    twi_push_async(f, TWI_LOAD_OWN(&f->head), type, f->scope, args,
                   type->args_size, type->args_align);
}

struct tw_slot *tw_task_fork(const struct tw_task_type *type, const void *args)
{
    struct tw_fiber *f = twi_fiber_here(NULL);
    struct tw_slot *handle = TWI_LOAD_OWN(&f->head);
    if (!type->result_size)
        tw_misuse("a task without a result was forked: push it", type->name);
    twi_push_fork(f, handle, type, args, type->args_size, type->args_align);
    return handle;
}

void tw_task_join(const struct tw_task_type *type, struct tw_slot *forked, void *result)
{
    struct tw_fiber *f = twi_fiber_here(NULL);
    struct tw_slot *done = twi_take(f, forked);
    if (!done)
        done = run_here(f, forked);
    twi_unpack(result, done->payload, type->result_size, type->result_align);
}

// SPDX-License-Identifier: Apache-2.0
// Spawning and finishing, the slow halves (fast ones: include/twill/inline.h), and the same as
// plain functions. Joins are in join.c.
//
// An async that finds no slot, or too little stack, goes on a stack of its own: it is copied to the
// heap, its fiber is put among the ready ones, and the piece runs first. Tasks that would stand
// above a caller that keeps its head in a register stay out of the deque too, in a bag.
#include "task/task.h"

#include <stdlib.h>
#include <string.h>

struct twi_detached *twi_detach(const struct tw_task_type *type)
{
    struct twi_detached *detached = aligned_alloc(64, sizeof *detached);
    if (!detached)
        return NULL;
    memset(detached, 0, sizeof *detached);
    detached->slot.type = type;
    return detached;
}

struct twi_detached *twi_detach_here(struct tw_fiber *f, const struct tw_task_type *type)
{
    struct twi_detached *detached = twi_detach(type);
    if (!detached)
        tw_misuse("no memory is left for a task", type->name);
    detached->slot.scope = f->scope;
    detached->attempt = twi_attempt_current(twi_fiber_of(f));
    return detached;
}

struct twi_detached *twi_run_elsewhere(struct tw_fiber *f, const struct tw_slot *slot,
                                       struct tw_attempt *attempt)
{
    struct twi_detached *detached = twi_detach_here(f, slot->type);
    detached->attempt = attempt;
    memcpy(detached->slot.payload, slot->payload, sizeof slot->payload);
    if (slot->type->result_size == 0) {
        detached->slot.scope = slot->scope;
        twi_scope_add(slot->scope);
    }
    twi_park_behind(detached);
    return detached;
}

// ---- push ----

// The owner was asked to share: half of what is private, and one sleeper is woken if nobody looks.
static void answer_request(struct tw_fiber *f)
{
    struct twi_worker *w = twi_worker_here();
    twi_fiber_of(f)->is_asked = 0;
    TWI_STORE(&f->limit, twi_fiber_of(f)->bound, TWI_RELAXED); // [D4] rechecked by the fence
    if (twi_deque_share(f)) {
        w->stats.shares++;
        twi_trace(w->ring, TWI_EVENT_SHARE, f, NULL);
    }
    twi_announce(w); // [D4] a request this overwrote was made by a worker that is seen here
    if (TWI_LOAD(&w->has_mail, TWI_RELAXED)) {    // hint
        TWI_STORE(&w->has_mail, 0u, TWI_RELAXED); // hint
        twi_give_way(w);
    }
}

// Slots have run out. A fork needs its own, for its handle is the slot: a few are spare. An async
// is taken back before it can be shared, unless a nudging thief is faster.
static void overflow(struct tw_fiber *f, struct tw_slot *slot)
{
    if (slot >= twi_fiber_of(f)->bound + TWI_SLOTS_SPARE - 1)
        tw_misuse("too many forks of one task wait to be joined; TWILL_STACK_SIZE gives more room",
                  slot->type->name);
    if (slot->type->result_size)
        return;
    if (twi_take_private(f, slot) || twi_deque_reclaim(f, slot))
        (void)twi_run_elsewhere(f, slot, twi_attempt_current(twi_fiber_of(f)));
    else
        TWI_STORE(&f->head, slot + 1, TWI_RELEASE); // [D1]
}

struct tw_slot *tw_slot_pushed(struct tw_fiber *f, struct tw_slot *slot)
{
    if (slot >= twi_fiber_of(f)->bound)
        overflow(f, slot);
    else
        answer_request(f);
    return TWI_LOAD_OWN(&f->head);
}

// ---- tasks that stay out of the deque ----

void twi_put_in_bag(struct tw_fiber *f, struct twi_detached *task, int priority)
{
    twi_scope_add(f->scope);
    struct twi_worker *w = twi_worker_here();
    if (priority == TWI_HIGH)
        TWI_FETCH_ADD(&w->pool->urgent, 1u, TWI_RELAXED); // hint
    twi_bag_put(&w->bag[priority], task);
    twi_announce(w);
}

static void push_to_bag(const struct tw_task_type *type, const void *args, int priority)
{
    struct tw_fiber *f = twi_fiber_here(NULL);
    struct twi_detached *task = twi_detach_here(f, type);
    twi_pack(task->slot.payload, args, type->args_size, type->args_align);
    twi_put_in_bag(f, task, priority);
}

void tw_task_push_apart(const struct tw_task_type *type, const void *args)
{
    push_to_bag(type, args, TWI_NORMAL);
}

void tw_task_push_urgent(const struct tw_task_type *type, const void *args)
{
    push_to_bag(type, args, TWI_HIGH);
}

void tw_task_push_idle(const struct tw_task_type *type, const void *args)
{
    push_to_bag(type, args, TWI_LOW);
}

// A call as a function of its own: the caller waits for its return, not for what it leaves.
struct apart {
    const struct tw_task_type *type;
    const void *args;
};

static void run_apart(struct tw_fiber *fiber, struct tw_slot *head, const void *payload,
                      void *result)
{
    struct apart apart;
    unsigned char packed[TW_SLOT_PAYLOAD] __attribute__((aligned(TWI_PAYLOAD_ALIGN)));
    (void)result;
    memcpy(&apart, payload, sizeof apart);
    twi_pack(packed, apart.args, apart.type->args_size, apart.type->args_align);
    apart.type->run(fiber, head, packed, (void *)apart.type);
}

static const struct tw_task_type apart_type = {
    "call", __FILE__, __LINE__, 1, 1, sizeof(struct apart), 1, run_apart};

void tw_task_call_apart(const struct tw_task_type *type, const void *args)
{
    struct tw_fiber *f = twi_fiber_here(NULL);
    struct apart apart = {type, args};
    struct tw_slot call = {.type = &apart_type};
    memcpy(call.payload, &apart, sizeof apart);
    struct twi_detached *elsewhere =
        twi_run_elsewhere(f, &call, twi_attempt_current(twi_fiber_of(f)));
    twi_join_elsewhere(f, &elsewhere->slot, f->scope);
    free(elsewhere);
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
        twi_holes_collapse(f);
        struct tw_slot *slot = TWI_LOAD_OWN(&f->head) - 1;
        if (slot < scope->base)
            return 0;
        if (!twi_take_private(f, slot) && !twi_deque_reclaim(f, slot))
            return slot + 1 - scope->base;
        const struct tw_task_type *type = slot->type;
        if (twi_heed(f) && !type->result_size) {
            twi_worker_here()->stats.dropped++;
            twi_slot_drop(slot);
        } else if (twi_stack_low(f) && !twi_attention_called(f)) {
            (void)twi_run_elsewhere(f, slot, twi_attempt_current(twi_fiber_of(f)));
        } else {
            type->run(f, slot, slot->payload, (void *)type);
        }
    }
}

void tw_scope_wait(struct tw_fiber *f, struct tw_scope *scope)
{
    twi_scope_unpoke(scope);
    int64_t stolen = drain(f, scope);
    int64_t left = twi_holes_discount(f, scope->base, stolen);
    if (!twi_scope_all_done(scope, left)) {
        struct settle settle = {scope, left};
        twi_park_for("end of a finish", scope, publish_settle, &settle);
    }
    twi_scope_rearm(scope);
    if (stolen) // else head is at the base, or below when a join inside the block took it there
        twi_deque_reset(f, scope->base);
    f->scope = scope->parent;
    twi_holes_collapse(f);
}

// ---- plain functions ----

void tw_scope_begin(struct tw_scope *scope)
{
    twi_scope_open(scope, NULL, NULL);
    twi_fiber_of(scope->fiber)->plain_scope = scope;
}

void tw_scope_end(struct tw_scope *scope)
{
    twi_scope_close(scope, scope->fiber);
    twi_fiber_of(scope->fiber)->plain_scope = NULL;
}

// Whoever began the innermost scope as a plain function ends it before it returns to a body.
void tw_task_push(const struct tw_task_type *type, const void *args)
{
    struct tw_fiber *f = twi_fiber_here(NULL);
    if (type->result_size)
        tw_misuse("a function was pushed as a task: fork it", type->name);
    if (f->scope != twi_fiber_of(f)->plain_scope) {
        tw_task_push_apart(type, args);
        return;
    }
    struct tw_slot *slot = TWI_LOAD_OWN(&f->head);
    twi_pack(slot->payload, args, type->args_size, type->args_align);
    twi_push_async(f, slot, type, f->scope);
}

struct tw_slot *tw_task_fork(const struct tw_task_type *type, const void *args)
{
    struct tw_fiber *f = twi_fiber_here(NULL);
    struct tw_slot *handle = TWI_LOAD_OWN(&f->head);
    if (!type->result_size)
        tw_misuse("a task without a result was forked: push it", type->name);
    twi_pack(handle->payload, args, type->args_size, type->args_align);
    twi_push_fork(f, handle, type);
    return handle;
}

// SPDX-License-Identifier: Apache-2.0
// How pieces that left a fiber report back: a finish by its count, a fork by its slot's state.
//
// Count: `pending` starts at the bias. A finished piece takes one off; the owner, which knows by
// position how many left, adds that number less the bias once, when its block has ended. So the
// count reaches zero exactly once, when both the block and all pieces are done, and whoever brings
// it there wakes the owner; nobody touches the scope after that but the owner. A thief never adds:
// the scope might have ended. (A piece that is still inside an open scope may add; the bias keeps
// zero away.)
//
// State of a forked slot: 0 -> DONE, or 0 -> waiter -> DONE. A piece whose function has returned
// but left tasks behind adds the proxy scope they run under; the joining task adopts it.
//
// Edges:
//  [S1] pending release/acquire: the owner sees what the pieces did.
//  [J1] state release/acquire: the joining task sees the result; the finishing one sees the waiter.
//  [J2] proxy: the adopting task's release of `parent`; the proxy's end acquires it through [S1].
#ifndef TWI_SCOPE_H
#define TWI_SCOPE_H

#include <twill/inline.h>

#define TWI_FORK_WAITED ((uintptr_t)1)
#define TWI_FORK_DONE ((uintptr_t)2)

// A piece is done. 1: it was the last, and the owner waits to be woken.
static inline int twi_scope_done(struct tw_scope *scope)
{
    return TWI_FETCH_SUB(&scope->pending, (int64_t)1, TWI_ACQ_REL) == 1; // [S1]
}

// One more piece, by someone inside the open scope.
static inline void twi_scope_add(struct tw_scope *scope)
{
    TWI_FETCH_ADD(&scope->pending, (int64_t)1, TWI_RELAXED); // relaxed: the bias keeps zero away
}

// One of the slots in the scope's range turned out to be no piece of it.
static inline void twi_scope_discount(struct tw_scope *scope)
{
    TWI_FETCH_SUB(&scope->pending, (int64_t)1, TWI_RELAXED); // relaxed: the bias keeps zero away
}

// The block's end shall come by the slow path, once.
static inline void twi_scope_poke(struct tw_scope *scope)
{
    if (TWI_LOAD(&scope->pending, TWI_RELAXED) < TWI_SCOPE_POKE)     // relaxed: owner-only
        TWI_FETCH_ADD(&scope->pending, TWI_SCOPE_POKE, TWI_RELAXED); // relaxed: far from zero
}

static inline void twi_scope_unpoke(struct tw_scope *scope)
{
    if (TWI_LOAD(&scope->pending, TWI_RELAXED) >= TWI_SCOPE_POKE)    // relaxed: owner-only
        TWI_FETCH_SUB(&scope->pending, TWI_SCOPE_POKE, TWI_RELAXED); // relaxed: far from zero
}

// Whether all of the `left` pieces are done already.
static inline int twi_scope_all_done(struct tw_scope *scope, int64_t left)
{
    return TWI_LOAD(&scope->pending, TWI_ACQUIRE) == TWI_SCOPE_BIAS - left; // [S1]
}

// The owner's only addition, to be made when it can be woken. 1: all done, nobody will wake it.
static inline int twi_scope_settle(struct tw_scope *scope, int64_t left)
{
    int64_t more = left - TWI_SCOPE_BIAS;
    return TWI_FETCH_ADD(&scope->pending, more, TWI_ACQ_REL) == -more; // [S1]
}

// Ready for use again after the wait.
static inline void twi_scope_rearm(struct tw_scope *scope)
{
    TWI_STORE(&scope->pending, TWI_SCOPE_BIAS, TWI_RELAXED); // relaxed: owner-only, nobody is left
}

// The forked function has returned, its result is in the slot. Returns the waiter to wake, or NULL.
// `proxy` is the scope of what it left behind, or NULL.
static inline struct tw_fiber *twi_fork_finish(struct tw_slot *slot, struct tw_scope *proxy)
{
    uintptr_t done = (uintptr_t)proxy | TWI_FORK_DONE;
    uintptr_t before = TWI_EXCHANGE(&slot->state, done, TWI_ACQ_REL); // [J1] [J2]
    return (struct tw_fiber *)(before & ~TWI_FORK_WAITED);
}

static inline int twi_fork_finished(struct tw_slot *slot)
{
    return (TWI_LOAD(&slot->state, TWI_ACQUIRE) & TWI_FORK_DONE) != 0; // [J1]
}

// Enters the waiter, which can be woken from now on. 0: the piece is done, nobody will wake it.
static inline int twi_fork_wait(struct tw_slot *slot, struct tw_fiber *waiter)
{
    uintptr_t before = 0;
    return TWI_CAS(&slot->state, &before, (uintptr_t)waiter | TWI_FORK_WAITED, TWI_RELEASE,
                   TWI_ACQUIRE); // [J1]
}

// The fork is joined: its slot may be used again.
static inline void twi_fork_forget(struct tw_slot *slot)
{
    TWI_STORE(&slot->state, (uintptr_t)0, TWI_RELAXED); // relaxed: owner-only, the piece is done
}

// What a finished fork left behind, if anything, becomes a piece of `scope`. Returns the fiber to
// wake when that was all its proxy waited for.
static inline struct tw_fiber *twi_fork_adopt(struct tw_slot *slot, struct tw_scope *scope)
{
    uintptr_t state = TWI_LOAD(&slot->state, TWI_ACQUIRE); // [J1] [J2]
    struct tw_scope *proxy = (struct tw_scope *)(state & ~TWI_FORK_DONE);
    if (!proxy)
        return NULL;
    twi_scope_add(scope);
    TWI_WRITE(proxy->parent, scope);
    struct tw_fiber *owner = proxy->fiber;
    return twi_scope_done(proxy) ? owner : NULL; // [J2]
}

#endif

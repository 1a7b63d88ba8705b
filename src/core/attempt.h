// SPDX-License-Identifier: Apache-2.0
// Which attempt a task is in, and how a fiber learns that one was cancelled.
//
// Open attempts of a fiber are a list, newest first; each has the slot its tasks begin at. A task
// that is taken from the fiber at slot s is inside the newest attempt with base <= s, and that one
// stays open until the task is done. So nothing is written for it when a task is spawned.
//
// A fiber looks for cancellation only in slow paths. To bring it there, the canceller overwrites
// the word that the fast path compares the stack pointer with.
//
// Edges:
//  [C1] cancelled and stack_soft: a canceller sets cancelled, then stack_soft of every running
//       fiber; a fiber that heeds restores stack_soft, then reads cancelled. Forbidden: the request
//       is overwritten and the flag not seen, for then the fiber would run what it should drop.
//  [C2] active and cancels: a fiber that becomes active is stored as active, then reads cancels; a
//       canceller counts up cancels, calls membarrier, then reads active. Forbidden: both miss.
#ifndef TWI_ATTEMPT_H
#define TWI_ATTEMPT_H

#include <twill/attempt.h>

#include "core/fiber.h"

// The innermost attempt of the task that runs on the fiber; NULL: only the run itself.
static inline struct tw_attempt *twi_attempt_current(const struct twi_fiber *fiber)
{
    struct tw_attempt *own = TWI_READ(fiber->attempts);
    return own ? own : TWI_READ(fiber->inherited);
}

static inline void twi_attempt_push(struct twi_fiber *fiber, struct tw_attempt *attempt)
{
    attempt->outer = twi_attempt_current(fiber);
    attempt->below = TWI_READ(fiber->attempts);
    twi_lock_take(&fiber->attempt_lock);
    TWI_WRITE(fiber->attempts, attempt);
    twi_lock_drop(&fiber->attempt_lock);
}

static inline void twi_attempt_pop(struct twi_fiber *fiber, struct tw_attempt *attempt)
{
    twi_lock_take(&fiber->attempt_lock);
    TWI_WRITE(fiber->attempts, attempt->below);
    twi_lock_drop(&fiber->attempt_lock);
}

// The attempt of a task that was taken from the fiber's deque at `slot`. By who took it.
static inline struct tw_attempt *twi_attempt_at(struct twi_fiber *fiber, const struct tw_slot *slot)
{
    twi_lock_take(&fiber->attempt_lock);
    struct tw_attempt *attempt = TWI_READ(fiber->attempts);
    while (attempt && attempt->base > slot)
        attempt = attempt->below;
    if (!attempt)
        attempt = TWI_READ(fiber->inherited);
    twi_lock_drop(&fiber->attempt_lock);
    return attempt;
}

static inline int twi_attempt_cancelled(const struct tw_attempt *attempt)
{
    for (; attempt; attempt = attempt->outer)
        if (TWI_LOAD(&attempt->cancelled, TWI_ACQUIRE)) // [C1]
            return 1;
    return 0;
}

// A task that shall not run: what it spilled is given back.
static inline void twi_slot_drop(const struct tw_slot *slot)
{
    if (!twi_fits(slot->type->args_size, slot->type->args_align))
        tw_spill_free(*(void *const *)slot->payload);
}

// Asks a fiber to look.
static inline void twi_attention_call(struct tw_fiber *f)
{
    TWI_STORE(&f->stack_soft, TWI_ATTENTION, TWI_RELAXED); // [C1] after a fence
}

static inline int twi_attention_called(struct tw_fiber *f)
{
    return TWI_LOAD(&f->stack_soft, TWI_RELAXED) == TWI_ATTENTION; // [C1]
}

// The fiber becomes the one its worker runs. Where those on the other side of both edges call
// membarrier, which is rare, this side does without a fence, for it is frequent.
static inline void twi_attention_arrive(struct tw_fiber *f, struct tw_fiber **active,
                                        uint32_t *cancels, int membarrier)
{
    if (membarrier) {
        TWI_STORE(active, f, TWI_RELEASE); // [A1] [C2]
        TWI_COMPILER_FENCE();
    } else {
        (void)TWI_EXCHANGE(active, f, TWI_SEQ_CST); // [A1] [C2]
    }
    if (TWI_LOAD(cancels, TWI_SEQ_CST)) // [C2]
        twi_attention_call(f);
}

// The owner is about to look.
static inline void twi_attention_heed(struct tw_fiber *f)
{
    TWI_STORE(&f->stack_soft, (const char *)twi_fiber_of(f)->stack_soft, TWI_RELAXED); // [C1]
    TWI_FENCE(TWI_SEQ_CST);                                                            // [C1]
}

#endif

// SPDX-License-Identifier: Apache-2.0
// The owner's side of a fiber's deque, inlined into every task: what spawning and joining cost
// when nobody steals. Users write the macros of task.h; this header is what they expand to.
//
// A fiber's tasks stand in an array of slots that never move. Slots from `split` up to `head` are
// private to the owner: plain loads and stores. Slots from `top` up to `split` are shared: thieves
// take from the top by compare-and-swap on `word` = {top, split}, each the low half of a slot's
// address (src/core/deque.h has the thieves' side and the proof).
//
// Edges of this file (partners in src/core/deque.h and src/sched/sleep.h):
//  [D1] head: the owner's release publishes the slots below it; a nudging thief's acquire.
//  [D3] take stores head, then reads split; a nudging thief raises split, calls membarrier, then
//       reads head. Forbidden: both see the old value, for then both run the task.
//  [D4] a push stores head, then reads limit; a worker going to sleep stores 0 there, calls
//       membarrier, then reads head. Forbidden: both miss, for then a task waits for a sleeper.
//  [S1] pending: a finished piece's release; the owner's acquire, which sees what the piece did.
//  [C1] stack_soft: also overwritten by who cancels (src/core/attempt.h).
//
// A body keeps its head in a register. It stays true because whatever could leave tasks above it
// does not use the deque (src/core/bag.h), or tells: calls of tasks, ends of finishes and slow
// paths give the new head.
#ifndef TWILL_INLINE_H
#define TWILL_INLINE_H

#include <stddef.h>
#include <stdint.h>

#include <twill/api.h>
#include <twill/atomic.h>

#define TWI_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define TWI_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

// A line that will be written soon, so that it comes with the right to write it. (Compilers have a
// builtin, which only fetches it unless they are told that the processor knows better.)
#if defined(__x86_64__) && !defined(TWI_MODEL)
#define TWI_PREFETCH_WRITE(place) __asm__ volatile("prefetchw %0" : : "m"(*(const char *)(place)))
#else
#define TWI_PREFETCH_WRITE(place) __builtin_prefetch((place), 1)
#endif

#ifdef __clang__
#define TWI_COLD_LABEL
#else
#define TWI_COLD_LABEL __attribute__((cold))
#endif

// Bytes of arguments (or of a result) that a slot holds itself; larger ones are spilled.
#define TW_SLOT_PAYLOAD 40
#define TWI_PAYLOAD_ALIGN 16

struct tw_fiber;
struct tw_slot;

// What can be run: one constant object for each TW_TASK or TW_FUNCTION.
struct tw_task_type {
    const char *name;
    const char *file;
    unsigned line;
    unsigned args_align, result_align;
    size_t args_size, result_size; // no result: a TW_TASK
    // Runs the body on `fiber` with the first free slot `head`. A function puts its result where
    // its arguments are, and `result` says so; for a TW_TASK `result` is its type, as spawned.
    void (*run)(struct tw_fiber *fiber, struct tw_slot *head, const void *args, void *result);
};

// One spawned task, a cache line.
struct tw_slot {
    const struct tw_task_type *type; // writer: owner; readers: the thief that took the slot
    struct tw_scope *scope;          // of an async. likewise
    unsigned char payload[TW_SLOT_PAYLOAD];
    uintptr_t state; // of a fork that was taken: a waiter, or done; 0 at all other times, so that
                     // spawning need not write it
} __attribute__((aligned(64)));

// Kept by a finish block. `pending` starts at TWI_SCOPE_BIAS, so that it cannot reach zero before
// the owner, at the end of the block, has added the number of pieces that left its deque.
struct tw_scope {
    int64_t pending;         // writers: the owner once, finished pieces
    struct tw_scope *parent; // owner only
    struct tw_fiber *fiber;  // whose block it is; NULL: the scope of a whole run
    struct tw_slot *base;    // the first slot of the block
};
// stack_soft when someone wants the fiber to look at its attempts.
#define TWI_ATTENTION ((const char *)UINTPTR_MAX)
#define TWI_SCOPE_BIAS ((int64_t)1 << 30)
#define TWI_SCOPE_POKE ((int64_t)1 << 40) // added by the owner: the end of the block is to be slow

// The part of a fiber that inlined code knows.
struct tw_fiber {
    struct tw_slot *head;   // first free slot. writer: owner; readers: thieves
    struct tw_scope *scope; // innermost open scope. owner only
    const char *stack_soft; // below this a task is run on another stack. writers: owner, whoever
                            // wants its attention (src/core/attempt.h)
    uint64_t spawned;       // tasks, where the program was compiled with TWILL_COUNT_TASKS.
                            // owner only
    uint32_t index;         // counts the fibers of a pool. constant
    uint32_t checks_locks;  // mutexes are taken by the slow path (src/core/order.h). constant
    char owner_line[24];    // thieves write the next line, so the owner's own stays clean
    uint64_t word;          // {top, split}. writers: owner, thieves
    struct tw_slot *limit;  // at or past it a push is slow; 0 is a request to share.
                            // writers: owner, workers in need
    uint32_t nudge_lock;    // held by a nudging thief; an owner never waits for it
    char shared_line[44];
} __attribute__((aligned(64)));

#ifdef __cplusplus
extern "C" {
#endif

// The fiber of the calling task, NULL on a thread that is not a worker. Never cache it in a
// variable that outlives a suspension in a plain function: ask again.
TW_API struct tw_fiber *tw_fiber_current(void);

// Slow halves of the functions below; not for direct use. Each may suspend the calling task.
TW_API struct tw_slot *tw_slot_pushed(struct tw_fiber *fiber, struct tw_slot *slot);
TW_API void tw_task_push_apart(const struct tw_task_type *type, const void *args);
TW_API void tw_task_push_urgent(const struct tw_task_type *type, const void *args);
TW_API void tw_task_push_idle(const struct tw_task_type *type, const void *args);
TW_API void tw_task_call_apart(const struct tw_task_type *type, const void *args);
TW_API struct tw_slot *tw_slot_take(struct tw_fiber *fiber, struct tw_slot *slot);
TW_API void tw_scope_wait(struct tw_fiber *fiber, struct tw_scope *scope);
TW_API void *tw_spill(const void *args, size_t size, size_t align);
TW_API void tw_spill_free(void *spilled);
TW_API void tw_misuse(const char *what, const char *task) __attribute__((noreturn, cold));

#ifdef __cplusplus
}
#endif

// ---- the fiber and its head ----

TWI_INLINE struct tw_fiber *twi_fiber_here(struct tw_fiber *known)
{
    if (known)
        return known;
    struct tw_fiber *found = tw_fiber_current();
    if (TWI_UNLIKELY(!found))
        tw_misuse("Twill was called outside tw_run, or in the child of a fork()", "");
    return found;
}

// ---- arguments ----

TWI_INLINE int twi_fits(size_t size, size_t align)
{
    return size <= TW_SLOT_PAYLOAD && align <= TWI_PAYLOAD_ALIGN;
}

// Puts a value into a payload, or a pointer to a copy of it when it is too large.
TWI_INLINE void twi_pack(void *payload, const void *value, size_t size, size_t align)
{
    if (twi_fits(size, align)) {
        __builtin_memcpy(payload, value, size);
    } else {
        void *spilled = tw_spill(value, size, align);
        __builtin_memcpy(payload, &spilled, sizeof spilled);
    }
}

TWI_INLINE void twi_unpack(void *value, const void *payload, size_t size, size_t align)
{
    if (twi_fits(size, align)) {
        __builtin_memcpy(value, payload, size);
    } else {
        void *spilled;
        __builtin_memcpy(&spilled, payload, sizeof spilled);
        __builtin_memcpy(value, spilled, size);
        tw_spill_free(spilled);
    }
}

// ---- push and take ----

// TWI_GOTO_IF_LIMIT and TWI_GOTO_IF_SPLIT: a relaxed load of a word that others write, compared
// with a slot, and a jump. Compilers take three to five instructions for what here is two.
#if defined(__x86_64__) && !defined(TWI_MODEL) && !defined(__SANITIZE_THREAD__)
#define TWI_GOTO_IF_LIMIT(f, slot, label)                                                          \
    __asm__ goto("cmpq %0, %1\n\tjae %l2" : : "m"((f)->limit), "r"(slot) : "cc" : label)
#define TWI_GOTO_IF_SPLIT(f, slot, label)                                                          \
    __asm__ goto("cmpl %0, %k1\n\tjb %l2" : : "m"((f)->word), "r"(slot) : "cc" : label)
#else
TWI_INLINE int twi_limit_reached(struct tw_fiber *f, struct tw_slot *slot)
{
    return (uintptr_t)slot >= (uintptr_t)TWI_LOAD(&f->limit, TWI_RELAXED); // [D4]
}

TWI_INLINE int twi_split_above(struct tw_fiber *f, struct tw_slot *slot)
{
    return TWI_LOAD((uint32_t *)&f->word, TWI_RELAXED) > (uint32_t)(uintptr_t)slot; // [D3]
}

#define TWI_GOTO_IF_LIMIT(f, slot, label)                                                          \
    do                                                                                             \
        if (TWI_UNLIKELY(twi_limit_reached(f, slot)))                                              \
            goto label;                                                                            \
    while (0)
#define TWI_GOTO_IF_SPLIT(f, slot, label)                                                          \
    do                                                                                             \
        if (TWI_UNLIKELY(twi_split_above(f, slot)))                                                \
            goto label;                                                                            \
    while (0)
#endif

// The slot is written: makes it visible. Returns the head that follows.
TWI_INLINE struct tw_slot *twi_publish(struct tw_fiber *f, struct tw_slot *slot)
{
#ifdef TWILL_COUNT_TASKS
    f->spawned++;
#endif
    TWI_STORE(&f->head, slot + 1, TWI_RELEASE); // [D1] [D4]
    TWI_COMPILER_FENCE();
    TWI_GOTO_IF_LIMIT(f, slot, asked); // [D4]
    return slot + 1;
asked:
    TWI_COLD_LABEL;
    return tw_slot_pushed(f, slot);
}

// The arguments stand in the payload already, for both kinds of push.
TWI_INLINE struct tw_slot *twi_push_async(struct tw_fiber *f, struct tw_slot *slot,
                                          const struct tw_task_type *type, struct tw_scope *scope)
{
    TWI_WRITE(slot->type, type);
    TWI_WRITE_ALONE(slot->scope, scope);
    return twi_publish(f, slot);
}

// The fork's handle is `slot`, and head is the next whatever the slow path does: so the compiler
// knows all handles of a body by their distance.
TWI_INLINE void twi_push_fork(struct tw_fiber *f, struct tw_slot *slot,
                              const struct tw_task_type *type)
{
    TWI_WRITE(slot->type, type);
    (void)twi_publish(f, slot);
}

// Takes back `slot`, the topmost. True: it is the caller's, and head is at the slot again. False:
// see the slow path.
TWI_INLINE int twi_take_private(struct tw_fiber *f, struct tw_slot *slot)
{
    TWI_STORE(&f->head, slot, TWI_RELEASE); // [D1] [D3]
    TWI_COMPILER_FENCE();
    TWI_GOTO_IF_SPLIT(f, slot, shared); // [D3]
    return 1;
shared:
    TWI_COLD_LABEL;
    return 0;
}

// Whether so little stack is left that a task should start on another. __builtin_frame_address
// would cost every body a frame pointer.
TWI_INLINE int twi_stack_low(const struct tw_fiber *f)
{
#if defined(__x86_64__) && !defined(TWI_MODEL) && !defined(__SANITIZE_THREAD__)
    __asm__ goto("cmpq %0, %%rsp\n\tjb %l1" : : "m"(f->stack_soft) : "cc" : low); // [C1]
    return 0;
low:
    TWI_COLD_LABEL;
    return 1;
#else
    const char *sp;
#if defined(__x86_64__)
    __asm__("mov %%rsp, %0" : "=r"(sp));
#elif defined(__aarch64__)
    __asm__("mov %0, sp" : "=r"(sp));
#else
    sp = (const char *)__builtin_frame_address(0);
#endif
    return TWI_UNLIKELY(sp < TWI_LOAD(&f->stack_soft, TWI_RELAXED)); // [C1]
#endif
}

// Takes back the fork of a handle. NULL: run its body now, arguments in the handle. Else it was run
// elsewhere (and waited for, if need be), and its result stands in the payload of the slot
// returned. `scope` is the block the caller is in, if that may be younger than the fork: head must
// not sink below its base.
TWI_INLINE struct tw_slot *twi_take(struct tw_fiber *f, struct tw_slot *slot,
                                    const struct tw_scope *scope)
{
    if (TWI_LIKELY(TWI_LOAD_OWN(&f->head) == slot + 1) && !(scope && slot < scope->base)) {
        if (twi_take_private(f, slot))
            return NULL;
        TWI_STORE(&f->head, slot + 1, TWI_RELEASE); // [D1] undone, for the slow path to decide
    }
    return tw_slot_take(f, slot);
}

// ---- scopes ----

TWI_INLINE struct tw_scope *twi_scope_open(struct tw_scope *scope, struct tw_fiber *known,
                                           struct tw_slot *head)
{
    struct tw_fiber *f = twi_fiber_here(known);
    TWI_STORE(&scope->pending, TWI_SCOPE_BIAS, TWI_RELAXED); // relaxed: not yet shared
    TWI_WRITE_ALONE(scope->parent, f->scope);
    scope->fiber = f;
    scope->base = known ? head : TWI_LOAD_OWN(&f->head);
    struct tw_scope *block = scope;
    __asm__("" : "+r"(block)); // the block outlives the store; compilers warn if they see it
    f->scope = block;
    return scope;
}

// Something started in the block may still be undone.
TWI_INLINE int twi_scope_busy(const struct tw_scope *scope)
{
    return TWI_LOAD_OWN(&scope->fiber->head) > scope->base ||
           TWI_LOAD(&scope->pending, TWI_ACQUIRE) != TWI_SCOPE_BIAS; // [S1]
}

// Runs what is left of the block, then waits for what went elsewhere. `f` is the scope's fiber,
// which the caller has in a register; all else comes from memory, since a register that a body
// keeps over its calls costs it more than a load here.
TWI_INLINE void twi_scope_close(struct tw_scope *scope, struct tw_fiber *f)
{
    for (;;) {
        struct tw_slot *head = TWI_LOAD_OWN(&f->head), *slot = head - 1;
        if (head <= TWI_LOAD(&scope->base, TWI_RELAXED)) { // relaxed: owner-only
            if (TWI_LIKELY(TWI_LOAD(&scope->pending, TWI_ACQUIRE) == TWI_SCOPE_BIAS)) // [S1]
                break;
        } else if (!twi_stack_low(f)) {
            if (twi_take_private(f, slot)) {
                const struct tw_task_type *type = slot->type;
                type->run(f, slot, slot->payload, (void *)type);
                continue;
            }
            TWI_STORE(&f->head, head, TWI_RELEASE); // [D1] undone, for the slow path to decide
        }
        tw_scope_wait(f, f->scope);
        return;
    }
    f->scope = scope->parent;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// A fiber: a stack, its deque, and a place to keep what the scheduler knows of it.
//
// One block of address space for each, a power of two in size and aligned to it:
//
//      guard | stack ... <- | header | slots -> ...
//
// The stack grows down from the header, the slots up. The header stands in the middle of a page, so
// that a fiber which waits with little on its stack occupies just that page. Blocks are given back
// to the system only with the whole arena, since a thief may look at any fiber at any time.
#ifndef TWI_FIBER_H
#define TWI_FIBER_H

#include <stddef.h>

#include <twill/inline.h>

#include "base/context.h"
#include "base/lock.h"
#include "base/sanitize.h"
#include "core/mailbox.h"

struct twi_pool;
struct twi_stock;
struct tw_attempt;
struct tw_mutex;

// What a fiber waits for, for who asks.
struct twi_waits_for {
    const char *what;  // "future", "timer"; NULL: it does not wait, or nobody may cancel it
    const void *on;    // its address, or NULL
    uint64_t since_ns; // roughly
};

struct twi_fiber {
    struct tw_fiber deque; // first: public code knows the fiber by it
    // What a switch needs, on one line.
    struct twi_mail mail; // link in a mailbox or a free list
    struct twi_context context;
    struct tw_slot *bound;   // a push at or past it overflows; a few slots are left there. constant
    const char *running;     // name of the task this fiber was started for
    struct twi_stock *stock; // where it is listed while it waits with tasks in its deque, or NULL
    uint32_t home;           // the worker it ran on last. owner; read once it is parked
    uint16_t fresh;          // never switched to yet
    uint16_t is_asked;       // its limit is 0 already. owner only
    uintptr_t wanted; // what it looks at first when it goes on, or 0; the lowest bit is free for
                      // who waits. writer: owner; readers: who looks for circles (src/channel/)
    struct tw_slot *slots; // the first slot. constant
    // The rest.
    struct twi_pool *pool;          // constant
    uint64_t waits;                 // whether it waits, and how that was decided (core/wait.h)
    struct twi_waits_for waits_for; // while it waits. writer: owner; readers: see twi_waits_hold
    char *guard;                    // where the guard begins; it ends at stack_low. constant
    char *stack_low;                // the lowest byte of the stack. constant
    unsigned holes;                 // joined slots still in the deque (src/task/join.c). owner only
    struct tw_scope *plain_scope;   // begun by tw_scope_begin, if it is the innermost. owner only
    const char *stack_soft;         // what deque.stack_soft is when nobody calls. constant
    struct twi_lock attempt_lock;
    struct tw_attempt *attempts;  // open blocks, newest first. writer: owner under the lock;
                                  // readers: who takes its tasks
    struct tw_attempt *inherited; // the innermost around all of them. writer: owner
    struct tw_mutex *held;        // where their order is checked: newest first. owner only
    struct twi_fiber *stock_next, *stock_before;
    struct twi_fiber *batch_next; // of idle ones (src/sched/park.c). under the pool's lock
    struct twi_sanitize sanitize;
    size_t deepest;                  // its depth before it was last trimmed. writer: who trims
    const struct tw_task_type *type; // of the task it was started for, or NULL
};

// All fibers of a pool.
struct twi_arena {
    struct twi_lock lock;
    size_t block;  // bytes of a block
    size_t stack;  // of them for the stack, guard included
    char **chunks; // each holds TWI_CHUNK_FIBERS blocks
    size_t chunk_count;
    size_t made; // fibers handed out so far
};

enum { TWI_CHUNK_FIBERS = 16, TWI_STACK_UNIT = 65536, TWI_SLOTS_SPARE = 64 };

static inline struct twi_fiber *twi_fiber_of(struct tw_fiber *deque)
{
    return (struct twi_fiber *)deque;
}

static inline struct twi_fiber *twi_fiber_of_mail(struct twi_mail *mail)
{
    return (struct twi_fiber *)((char *)mail - offsetof(struct twi_fiber, mail));
}

// It will be switched to soon: first its header, then what that tells.
static inline void twi_fiber_prefetch(const struct twi_fiber *fiber)
{
    TWI_PREFETCH_WRITE(&fiber->deque.head);
    TWI_PREFETCH_WRITE(&fiber->mail);
}

static inline void twi_fiber_prefetch_stack(const struct twi_fiber *fiber)
{
#ifndef TWI_UCONTEXT
    const char *stack = TWI_LOAD(&fiber->context.stack_pointer, TWI_RELAXED); // hint
    for (int line = 0; line < 4; line++)
        TWI_PREFETCH_WRITE(stack + 64 * line);
#endif
    const char *wanted = (const char *)TWI_LOAD(&fiber->wanted, TWI_RELAXED); // hint
    TWI_PREFETCH_WRITE(wanted);
    TWI_PREFETCH_WRITE(wanted + 64);
}

// By the owner, before it parks and after it went on (what: NULL).
static inline void twi_says_it_waits(struct twi_fiber *fiber, const char *what, const void *on,
                                     uint64_t since_ns)
{
    struct twi_waits_for *f = &fiber->waits_for;
    TWI_STORE(&f->on, on, TWI_RELAXED);             // hint
    TWI_STORE(&f->since_ns, since_ns, TWI_RELAXED); // hint
    TWI_STORE(&f->what, what, TWI_RELAXED);         // hint
}

static inline void twi_says_it_runs(struct twi_fiber *fiber)
{
    TWI_STORE(&fiber->waits_for.what, (const char *)NULL, TWI_RELAXED); // hint
}

void twi_arena_init(struct twi_arena *arena, size_t stack_size);
void twi_arena_free(struct twi_arena *arena);

// A fiber that will call entry(fiber) when first switched to; NULL when memory is out. Any thread.
struct twi_fiber *twi_fiber_make(struct twi_arena *arena, void (*entry)(void *));

// How many were made, and one of them by number. Any thread.
size_t twi_arena_made(struct twi_arena *arena);
struct twi_fiber *twi_arena_fiber(struct twi_arena *arena, size_t n);

// The fiber in whose block a slot is.
struct twi_fiber *twi_fiber_of_slot(const struct twi_arena *arena, const struct tw_slot *slot);

// Gives back the memory a fiber that is not in use does not need to start again.
void twi_fiber_trim(struct twi_fiber *fiber);

// How many bytes of its stack were ever used, to the page. Any thread.
size_t twi_fiber_depth(const struct twi_fiber *fiber);

// Whether an address lies in the fiber's guard.
int twi_fiber_guards(const struct twi_fiber *fiber, const void *address);

#endif

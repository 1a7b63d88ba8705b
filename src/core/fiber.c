// SPDX-License-Identifier: Apache-2.0
#include "core/fiber.h"

#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "core/deque.h"

enum {
    // The rest of a block is slots: address space, touched only as far as it is used.
    BLOCK_STACKS = 2,
    // What a task started near the soft limit may still use: the frames of the runtime and of a
    // body that calls into the C library.
    STACK_RESERVE_PART = 4,
    STACK_RESERVE_MAX = 256 * 1024,
    TRIM_KEEP = 16 * 1024,
    // A frame larger than the guard could step over it: so it is as large as does no harm.
    GUARD_PART = 16,
    GUARD_MAX = 64 * 1024,
    PAGES_AT_ONCE = 4096,
};

// Slots are known by half of their address (core/deque.h).
#define BLOCK_MAX ((size_t)1 << 32)

static size_t power_of_two_above(size_t n)
{
    size_t power = 1;
    while (power < n)
        power *= 2;
    return power;
}

void twi_arena_init(struct twi_arena *arena, size_t stack_size)
{
    memset(arena, 0, sizeof *arena);
    arena->stack = (stack_size + TWI_STACK_UNIT - 1) / TWI_STACK_UNIT * TWI_STACK_UNIT;
    arena->block = power_of_two_above(BLOCK_STACKS * arena->stack);
    if (arena->block > BLOCK_MAX)
        arena->block = BLOCK_MAX;
}

static size_t guard_size(const struct twi_arena *arena)
{
    size_t page = twi_page_size(), wanted = arena->stack / GUARD_PART;
    if (wanted > GUARD_MAX)
        wanted = GUARD_MAX;
    return wanted < page ? page : wanted / page * page;
}

static struct twi_fiber *fiber_in(const struct twi_arena *arena, char *block)
{
    return (struct twi_fiber *)(block + arena->stack + TWI_FIBER_OFFSET -
                                offsetof(struct twi_fiber, mail));
}

static struct twi_fiber *block_fiber(const struct twi_arena *arena, size_t n)
{
    return fiber_in(arena,
                    arena->chunks[n / TWI_CHUNK_FIBERS] + n % TWI_CHUNK_FIBERS * arena->block);
}

static char *block_start(const struct twi_arena *arena, const void *inside)
{
    return (char *)((uintptr_t)inside & ~(uintptr_t)(arena->block - 1));
}

struct twi_fiber *twi_fiber_of_slot(const struct twi_arena *arena, const struct tw_slot *slot)
{
    return fiber_in(arena, block_start(arena, slot));
}

void twi_arena_free(struct twi_arena *arena)
{
    for (size_t n = 0; n < arena->made; n++)
        twi_sanitize_free(&block_fiber(arena, n)->sanitize);
    for (size_t i = 0; i < arena->chunk_count; i++)
        twi_unreserve(arena->chunks[i], TWI_CHUNK_FIBERS * arena->block);
    free(arena->chunks);
}

static int chunk_add(struct twi_arena *arena)
{
    char **chunks = realloc(arena->chunks, (arena->chunk_count + 1) * sizeof *chunks);
    if (!chunks)
        return 0;
    arena->chunks = chunks;
    char *chunk = twi_reserve(TWI_CHUNK_FIBERS * arena->block, arena->block);
    if (!chunk)
        return 0;
    chunks[arena->chunk_count++] = chunk;
    return 1;
}

static void deque_init(struct twi_fiber *fiber)
{
    struct tw_fiber *f = &fiber->deque;
    f->word = twi_word(twi_low(fiber->slots), twi_low(fiber->slots));
    f->head = fiber->slots;
    f->limit = fiber->bound;
}

static void fiber_init(struct twi_arena *arena, struct twi_fiber *fiber, void (*entry)(void *))
{
    char *block = block_start(arena, fiber);
    char *high = (char *)fiber;
    fiber->guard = block;
    fiber->stack_low = block + guard_size(arena);
    fiber->slots = (struct tw_slot *)(((uintptr_t)(fiber + 1) + 63) & ~(uintptr_t)63);
    fiber->bound = (struct tw_slot *)(block + arena->block) - TWI_SLOTS_SPARE;
    fiber->fresh = 1;
    size_t reserve = (size_t)(high - fiber->stack_low) / STACK_RESERVE_PART;
    if (reserve > STACK_RESERVE_MAX)
        reserve = STACK_RESERVE_MAX;
    fiber->stack_soft = fiber->stack_low + reserve;
    fiber->deque.stack_soft = fiber->stack_soft;
    deque_init(fiber);
    twi_sanitize_make(&fiber->sanitize, fiber->stack_low, (size_t)(high - fiber->stack_low));
    twi_context_make(&fiber->context, fiber->stack_low, high, entry, fiber);
}

struct twi_fiber *twi_fiber_make(struct twi_arena *arena, void (*entry)(void *))
{
    twi_lock_take(&arena->lock);
    struct twi_fiber *fiber = NULL;
    if (arena->made < arena->chunk_count * TWI_CHUNK_FIBERS || chunk_add(arena)) {
        fiber = block_fiber(arena, arena->made);
        if (twi_guard(block_start(arena, fiber), guard_size(arena)) == 0) {
            fiber_init(arena, fiber, entry);
            fiber->deque.index = (uint32_t)arena->made++;
        } else {
            fiber = NULL;
        }
    }
    twi_lock_drop(&arena->lock);
    return fiber;
}

size_t twi_arena_made(struct twi_arena *arena)
{
    twi_lock_take(&arena->lock);
    size_t made = arena->made;
    twi_lock_drop(&arena->lock);
    return made;
}

struct twi_fiber *twi_arena_fiber(struct twi_arena *arena, size_t n)
{
    twi_lock_take(&arena->lock); // the table of chunks moves as it grows
    struct twi_fiber *fiber = block_fiber(arena, n);
    twi_lock_drop(&arena->lock);
    return fiber;
}

// Pages are looked at from the far end, which is rarely used: the first that has memory tells.
static size_t resident_depth(const struct twi_fiber *fiber)
{
    unsigned char has_memory[PAGES_AT_ONCE];
    size_t page = twi_page_size();
    const char *high = (const char *)fiber;
    const char *last = (const char *)((uintptr_t)high & ~(uintptr_t)(page - 1));
    for (char *at = fiber->stack_low; at < last;) {
        size_t pages = (size_t)(last - at) / page;
        if (pages > PAGES_AT_ONCE)
            pages = PAGES_AT_ONCE;
        if (twi_resident(at, pages * page, has_memory) != 0)
            return 0;
        for (size_t i = 0; i < pages; i++)
            if (has_memory[i] & 1)
                return (size_t)(high - (at + i * page));
        at += pages * page;
    }
    return (size_t)(high - last);
}

size_t twi_fiber_depth(const struct twi_fiber *fiber)
{
    size_t now = resident_depth(fiber), before = TWI_LOAD(&fiber->deepest, TWI_RELAXED); // hint
    return now > before ? now : before;
}

void twi_fiber_trim(struct twi_fiber *fiber)
{
    size_t page = twi_page_size();
    TWI_STORE(&fiber->deepest, twi_fiber_depth(fiber), TWI_RELAXED); // hint
    char *here = (char *)((uintptr_t)fiber & ~(uintptr_t)(page - 1));
    if (here - TRIM_KEEP > fiber->stack_low)
        twi_discard(fiber->stack_low, (size_t)(here - TRIM_KEEP - fiber->stack_low));
    char *slots = here + page + TRIM_KEEP;
    if (slots < (char *)fiber->bound)
        twi_discard(slots, (size_t)((char *)(fiber->bound + TWI_SLOTS_SPARE) - slots));
}

int twi_fiber_guards(const struct twi_fiber *fiber, const void *address)
{
    const char *at = address;
    return at < fiber->stack_low && at >= fiber->guard;
}

// SPDX-License-Identifier: Apache-2.0
// The shared side of a fiber's deque. include/twill/inline.h has the owner's fast half.
//
//      base ... top ... split ... head
//        stolen | shared | private | free
//
// Invariants: top <= split while anything is shared or private; a slot below split is never run by
// its owner before the owner has moved split back over it; a slot below top belongs to its thief,
// and the owner does not write it until its piece is done (a join waits for the slot's state, a
// finish for its scope), so a thief reads the slot after its compare-and-swap, without a version.
// For the same reason a stale {top, split} that comes true again is harmless.
//
// Edges:
//  [D1] head release/acquire: a nudging thief sees the contents of the slots below head.
//  [D2] word release/acquire: a thief sees the contents of the slots the owner shared. Every change
//       of word is a read-modify-write, so each continues the releases before it.
//  [D3] take against nudge, see inline.h: the thief's half is raise, membarrier, read head.
//  [D6] nudge_lock acquire/release: one nudge at a time, so a raised word stays the nudger's own
//       until it or the owner takes the mark off.
#ifndef TWI_DEQUE_H
#define TWI_DEQUE_H

#include <twill/inline.h>

#include "base/os.h"

// Marks a split that a nudging thief proposes; free because slots are 64 bytes.
#define TWI_RAISING 1u

enum twi_steal {
    TWI_STEAL_GOT,
    TWI_STEAL_EMPTY, // nothing shared; perhaps something private
    TWI_STEAL_LOST,  // another thief was faster
};

struct twi_ends {
    uint32_t top;
    uint32_t split;
};

static inline struct twi_ends twi_word_ends(uint64_t word)
{
    return (struct twi_ends){(uint32_t)(word >> 32), (uint32_t)word};
}

static inline uint64_t twi_word(uint32_t top, uint32_t split)
{
    return (uint64_t)top << 32 | split;
}

static inline uint32_t twi_low(const struct tw_slot *slot)
{
    return (uint32_t)(uintptr_t)slot;
}

// A fiber and its slots lie within one 4 GiB stretch (src/core/fiber.c).
static inline struct tw_slot *twi_slot_at(const struct tw_fiber *f, uint32_t low)
{
    return (struct tw_slot *)(((uintptr_t)f & ~(uintptr_t)UINT32_MAX) | low);
}

// Slots from a to b, halved and rounded up; in bytes.
static inline uint32_t twi_half(uint32_t a, uint32_t b)
{
    uint32_t slots = (b - a) / sizeof(struct tw_slot);
    return (slots + 1) / 2 * (uint32_t)sizeof(struct tw_slot);
}

// So many slots if `least` bytes are fewer, all of them at most; in bytes.
static inline uint32_t twi_at_least(uint32_t least, uint32_t all, uint32_t slots)
{
    uint64_t wanted = (uint64_t)slots * sizeof(struct tw_slot);
    return wanted <= least ? least : wanted < all ? (uint32_t)wanted : all;
}

// ---- the owner's slow half ----

// The owner has lowered head to `slot`, but split is above it. Takes the slot back, with half of
// what is shared below it. 1: the slot is private now; 0: it was stolen.
static inline int twi_deque_reclaim(struct tw_fiber *f, struct tw_slot *slot)
{
    uint32_t want = twi_low(slot);
    uint64_t word = TWI_LOAD(&f->word, TWI_ACQUIRE); // [D2] stronger than needed
    for (;;) {
        struct twi_ends e = twi_word_ends(word);
        uint32_t split;
        if (e.split & TWI_RAISING)
            split = e.top; // a nudge is under way: call it off
        else if (e.top > want || e.split <= want)
            return e.top <= want;
        else
            split = e.top + (want - e.top) / 2 / sizeof *slot * (uint32_t)sizeof *slot;
        if (TWI_CAS(&f->word, &word, twi_word(e.top, split), TWI_ACQ_REL, TWI_ACQUIRE)) // [D2] [D3]
            word = twi_word(e.top, split);
    }
}

// Shares half of the private slots, rounded up. Returns how many; 0 as well when a nudge is under
// way, which will share some itself.
static inline unsigned twi_deque_share(struct tw_fiber *f)
{
    uint32_t head = twi_low(TWI_LOAD(&f->head, TWI_RELAXED)); // relaxed: owner-only
    uint64_t word = TWI_LOAD(&f->word, TWI_RELAXED);          // rechecked by [D2]
    for (;;) {
        struct twi_ends e = twi_word_ends(word);
        if (e.split & TWI_RAISING || e.split >= head)
            return 0;
        uint32_t more = twi_half(e.split, head);
        if (TWI_CAS(&f->word, &word, twi_word(e.top, e.split + more), TWI_RELEASE, // [D2]
                    TWI_RELAXED))
            return more / sizeof(struct tw_slot);
    }
}

// Shares everything: the owner is about to wait. Returns how many slots are there to steal.
static inline unsigned twi_deque_share_all(struct tw_fiber *f)
{
    uint32_t head = twi_low(TWI_LOAD(&f->head, TWI_RELAXED)); // relaxed: owner-only
    uint64_t word = TWI_LOAD(&f->word, TWI_RELAXED);          // rechecked by [D2]
    for (;;) {
        struct twi_ends e = twi_word_ends(word);
        if (e.top >= head)
            return 0;
        if (e.split == head || // [D3]: a raised split is replaced, which calls the nudge off
            TWI_CAS(&f->word, &word, twi_word(e.top, head), TWI_RELEASE, TWI_RELAXED)) // [D2]
            return (head - e.top) / sizeof(struct tw_slot);
    }
}

// All that stood at or above `slot`, stolen pieces included, is done: the deque ends there again.
static inline void twi_deque_reset(struct tw_fiber *f, struct tw_slot *slot)
{
    uint32_t end = twi_low(slot);
    TWI_STORE(&f->head, slot, TWI_RELEASE);          // [D1]
    uint64_t word = TWI_LOAD(&f->word, TWI_RELAXED); // rechecked by [D2]
    while (twi_word_ends(word).top > end &&
           !TWI_CAS(&f->word, &word, twi_word(end, end), TWI_RELEASE, TWI_RELAXED)) // [D2]
        ;
}

// ---- thieves ----

// Takes the oldest shared task.
static inline enum twi_steal twi_deque_steal(struct tw_fiber *f, struct tw_slot **taken)
{
    uint64_t word = TWI_LOAD(&f->word, TWI_RELAXED); // rechecked by [D2]
    struct twi_ends e = twi_word_ends(word);
    if (e.split & TWI_RAISING)
        return TWI_STEAL_LOST;
    if (e.top >= e.split)
        return TWI_STEAL_EMPTY;
    if (!TWI_CAS(&f->word, &word, twi_word(e.top + (uint32_t)sizeof(struct tw_slot), e.split),
                 TWI_ACQ_REL, TWI_RELAXED)) // [D2]
        return TWI_STEAL_LOST;
    *taken = twi_slot_at(f, e.top);
    return TWI_STEAL_GOT;
}

// Whether the owner has tasks it has not shared, as far as can be seen from here.
static inline int twi_deque_hides(struct tw_fiber *f)
{
    struct twi_ends e = twi_word_ends(TWI_LOAD(&f->word, TWI_RELAXED)); // hint
    return twi_low(TWI_LOAD(&f->head, TWI_RELAXED)) > e.split;          // hint
}

// With the lock held: proposes to share half of the private slots, or as many as are wanted if that
// is more; and when the owner did not object, does so and takes the first.
static inline struct tw_slot *twi_nudge_locked(struct tw_fiber *f, uint32_t want)
{
    uint64_t word = TWI_LOAD(&f->word, TWI_RELAXED); // rechecked by [D3]
    struct twi_ends e = twi_word_ends(word);
    uint32_t head = twi_low(TWI_LOAD(&f->head, TWI_RELAXED)); // hint
    if (e.top != e.split || head <= e.split)
        return NULL;
    uint32_t split = e.split + twi_at_least(twi_half(e.split, head), head - e.split, want);
    uint64_t raised = twi_word(e.top, split | TWI_RAISING);
    if (!TWI_CAS(&f->word, &word, raised, TWI_RELAXED, TWI_RELAXED)) // [D3]
        return NULL;
    twi_membarrier();                                // [D3]
    head = twi_low(TWI_LOAD(&f->head, TWI_ACQUIRE)); // [D1] [D3]
    if (split > head)
        split = head;
    int got = split > e.top;
    uint64_t settled =
        got ? twi_word(e.top + (uint32_t)sizeof(struct tw_slot), split) : twi_word(e.top, e.top);
    if (!TWI_CAS(&f->word, &raised, settled, TWI_ACQ_REL, TWI_RELAXED)) // [D2] [D3]
        return NULL;
    return got ? twi_slot_at(f, e.top) : NULL;
}

// Takes a private task of an owner that does not look, of which so many are wanted. NULL when there
// is none or it objected. Costs the owner an interrupt: not to be repeated at once.
static inline struct tw_slot *twi_deque_nudge(struct tw_fiber *f, uint32_t want)
{
    if (TWI_EXCHANGE(&f->nudge_lock, 1u, TWI_ACQUIRE)) // [D6]
        return NULL;
    struct tw_slot *taken = twi_nudge_locked(f, want);
    TWI_STORE(&f->nudge_lock, 0u, TWI_RELEASE); // [D6]
    return taken;
}

#endif

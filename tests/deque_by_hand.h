// SPDX-License-Identifier: Apache-2.0
// A deque whose ends a test places and compares by the number of the slot. Everything happens in
// one thread: what an owner does while a thief nudges it is done inside the thief's membarrier.
#ifndef TEST_DEQUE_BY_HAND_H
#define TEST_DEQUE_BY_HAND_H

#include "support.h"

#include "base/os.h"

static inline void meanwhile(void);
#define twi_membarrier meanwhile
#include "core/deque.h"

enum { SLOTS = 64, ROOM = 65536 };

static struct tw_fiber *f;
static struct tw_slot *slots;

static inline int deque_make(void **state)
{
    (void)state;
    f = twi_reserve(ROOM, ROOM);
    if (!f)
        return 1;
    slots = (struct tw_slot *)(f + 1);
    f->head = slots;
    f->word = twi_word(twi_low(slots), twi_low(slots));
    f->limit = slots + SLOTS;
    return 0;
}

static inline int deque_free(void **state)
{
    (void)state;
    twi_unreserve(f, ROOM);
    return 0;
}

static const struct tw_task_type type = {.name = "none"};

static inline void push(int count)
{
    for (int i = 0; i < count; i++)
        f->head = twi_push_async(f, f->head, &type, NULL);
}

// Everything of the deque, as numbers of slots.
static inline void expect(int top, int split, int head)
{
    assert_int_equal(f->head - slots, head);
    struct twi_ends e = twi_word_ends(f->word);
    assert_int_equal(twi_slot_at(f, e.top) - slots, top);
    assert_int_equal((int)(e.split - twi_low(slots)), split * (int)sizeof(struct tw_slot));
    assert_int_equal(f->nudge_lock, 0);
}

static inline void place(int top, int split, int head)
{
    f->head = slots + head;
    f->word = twi_word(twi_low(slots + top), twi_low(slots + split));
}

static inline void steal_expect(enum twi_steal answer, int at)
{
    struct tw_slot *taken = NULL;
    assert_int_equal(twi_deque_steal(f, &taken), answer);
    assert_ptr_equal(taken, answer == TWI_STEAL_GOT ? slots + at : NULL);
}

// What an owner does that wants its topmost slot back. 0: it was stolen.
static inline int take(int at)
{
    return twi_take_private(f, slots + at) || twi_deque_reclaim(f, slots + at);
}

// ---- nudges ----

static void (*owner)(void);

static inline void meanwhile(void)
{
    if (owner)
        owner();
}

static inline void nudge_expect(void (*by_owner)(void), int at)
{
    owner = by_owner;
    assert_ptr_equal(twi_deque_nudge(f, 1), at < 0 ? NULL : slots + at);
    owner = NULL;
}

#define ON_FIBER(f) cmocka_unit_test_setup_teardown(f, deque_make, deque_free)

#endif

// SPDX-License-Identifier: Apache-2.0
// ctest: workers=2
// What each operation of the deque means, one thread at a time. What an owner does while a thief
// nudges it is done inside the thief's membarrier.
#include "support.h"

#include "base/os.h"

static void meanwhile(void);
#define twi_membarrier meanwhile
#include "core/deque.h"

#include "base/rng.h"

enum { SLOTS = 64, ROOM = 65536 };

static struct tw_fiber *f;
static struct tw_slot *slots;

// ---- a fiber made by hand ----

static int deque_make(void **state)
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

static int deque_free(void **state)
{
    (void)state;
    twi_unreserve(f, ROOM);
    return 0;
}

static const struct tw_task_type type = {.name = "none"};

static void push(int count)
{
    for (int i = 0; i < count; i++)
        f->head = twi_push_async(f, f->head, &type, NULL);
}

// Everything of the deque, as numbers of slots.
static void expect(int top, int split, int head)
{
    assert_int_equal(f->head - slots, head);
    struct twi_ends e = twi_word_ends(f->word);
    assert_int_equal(twi_slot_at(f, e.top) - slots, top);
    assert_int_equal((int)(e.split - twi_low(slots)), split * (int)sizeof(struct tw_slot));
    assert_int_equal(f->nudge_lock, 0);
}

static void place(int top, int split, int head)
{
    f->head = slots + head;
    f->word = twi_word(twi_low(slots + top), twi_low(slots + split));
}

static void steal_expect(enum twi_steal answer, int at)
{
    struct tw_slot *taken = NULL;
    assert_int_equal(twi_deque_steal(f, &taken), answer);
    assert_ptr_equal(taken, answer == TWI_STEAL_GOT ? slots + at : NULL);
}

// What an owner does that wants its topmost slot back. 0: it was stolen.
static int take(int at)
{
    return twi_take_private(f, slots + at) || twi_deque_reclaim(f, slots + at);
}

// ---- an empty deque ----

static void test_deque_empty_has_nothing_for_anyone(void **state)
{
    (void)state;
    steal_expect(TWI_STEAL_EMPTY, 0);
    assert_false(twi_deque_hides(f));
    assert_null(twi_deque_nudge(f));
    assert_int_equal(twi_deque_share(f), 0);
    assert_int_equal(twi_deque_share_all(f), 0);
    twi_deque_reset(f, slots);
    expect(0, 0, 0);
}

// ---- push and take ----

static void test_deque_push_is_private(void **state)
{
    (void)state;
    push(1);
    expect(0, 0, 1);
    assert_ptr_equal(slots[0].type, &type);
    assert_true(twi_deque_hides(f));
    steal_expect(TWI_STEAL_EMPTY, 0);
    push(2);
    expect(0, 0, 3);
}

static void test_deque_take_private_newest_first(void **state)
{
    (void)state;
    push(3);
    for (int at = 2; at >= 0; at--) {
        assert_true(twi_take_private(f, slots + at));
        expect(0, 0, at);
    }
    assert_false(twi_deque_hides(f));
}

static void test_deque_take_private_stops_at_the_split(void **state)
{
    (void)state;
    push(2);
    assert_int_equal(twi_deque_share(f), 1);
    assert_true(twi_take_private(f, slots + 1));
    assert_false(twi_take_private(f, slots));
    assert_true(twi_deque_reclaim(f, slots));
    expect(0, 0, 0);
}

// ---- share ----

static void test_deque_share_gives_half_rounded_up(void **state)
{
    (void)state;
    for (int private = 1; private <= 9; private ++) {
        place(0, 0, private);
        assert_int_equal(twi_deque_share(f), (private + 1) / 2);
        expect(0, (private + 1) / 2, private);
    }
}

static void test_deque_share_again_gives_half_of_the_rest(void **state)
{
    (void)state;
    push(8);
    assert_int_equal(twi_deque_share(f), 4);
    assert_int_equal(twi_deque_share(f), 2);
    assert_int_equal(twi_deque_share(f), 1);
    assert_int_equal(twi_deque_share(f), 1);
    assert_int_equal(twi_deque_share(f), 0);
    expect(0, 8, 8);
}

static void test_deque_share_keeps_what_was_stolen(void **state)
{
    (void)state;
    place(2, 3, 5);
    assert_int_equal(twi_deque_share(f), 1);
    expect(2, 4, 5);
}

static void test_deque_share_leaves_a_nudge_alone(void **state)
{
    (void)state;
    place(1, 1, 5);
    f->word |= TWI_RAISING;
    uint64_t word = f->word;
    assert_int_equal(twi_deque_share(f), 0);
    assert_int_equal(f->word, word);
}

static void test_deque_share_all(void **state)
{
    (void)state;
    push(5);
    assert_int_equal(twi_deque_share_all(f), 5);
    expect(0, 5, 5);
    assert_int_equal(twi_deque_share_all(f), 5); // all there still
    steal_expect(TWI_STEAL_GOT, 0);
    steal_expect(TWI_STEAL_GOT, 1);
    assert_int_equal(twi_deque_share_all(f), 3);
    expect(2, 5, 5);
    for (int at = 2; at < 5; at++)
        steal_expect(TWI_STEAL_GOT, at);
    assert_int_equal(twi_deque_share_all(f), 0);
    expect(5, 5, 5);
}

static void test_deque_share_all_after_a_part(void **state)
{
    (void)state;
    place(1, 3, 7);
    assert_int_equal(twi_deque_share_all(f), 6);
    expect(1, 7, 7);
}

static void test_deque_share_all_calls_a_nudge_off(void **state)
{
    (void)state;
    for (int raised = 1; raised <= 4; raised++) {
        place(1, raised, 4);
        f->word |= TWI_RAISING;
        assert_int_equal(twi_deque_share_all(f), 3);
        expect(1, 4, 4);
    }
}

// ---- steal ----

static void test_deque_steal_oldest_first(void **state)
{
    (void)state;
    push(4);
    assert_int_equal(twi_deque_share(f), 2);
    steal_expect(TWI_STEAL_GOT, 0);
    steal_expect(TWI_STEAL_GOT, 1);
    steal_expect(TWI_STEAL_EMPTY, 0);
    expect(2, 2, 4);
    assert_true(twi_deque_hides(f));
}

static void test_deque_steal_of_the_last_slot(void **state)
{
    (void)state;
    place(SLOTS - 1, SLOTS, SLOTS);
    assert_false(twi_deque_hides(f));
    steal_expect(TWI_STEAL_GOT, SLOTS - 1);
    steal_expect(TWI_STEAL_EMPTY, 0);
    expect(SLOTS, SLOTS, SLOTS);
}

static void test_deque_steal_waits_for_a_nudge(void **state)
{
    (void)state;
    place(0, 2, 4);
    f->word |= TWI_RAISING;
    uint64_t word = f->word;
    steal_expect(TWI_STEAL_LOST, 0);
    assert_int_equal(f->word, word);
}

// A split above head is for a moment what an owner in the middle of a take leaves.
static void test_deque_steal_does_not_look_at_head(void **state)
{
    (void)state;
    place(0, 2, 1);
    steal_expect(TWI_STEAL_GOT, 0);
    steal_expect(TWI_STEAL_GOT, 1);
    steal_expect(TWI_STEAL_EMPTY, 0);
}

// ---- reclaim ----

static void test_deque_reclaim_takes_half_of_what_is_shared_below(void **state)
{
    (void)state;
    for (int top = 0; top <= 3; top++)
        for (int at = top; at <= 12; at++) {
            place(top, at + 1, at);
            assert_true(twi_deque_reclaim(f, slots + at));
            expect(top, top + (at - top) / 2, at);
        }
}

static void test_deque_reclaim_of_a_stolen_slot(void **state)
{
    (void)state;
    push(2);
    assert_int_equal(twi_deque_share_all(f), 2);
    steal_expect(TWI_STEAL_GOT, 0);
    steal_expect(TWI_STEAL_GOT, 1);
    assert_false(take(1));
    expect(2, 2, 1);
}

static void test_deque_reclaim_of_the_only_one_left(void **state)
{
    (void)state;
    push(2);
    assert_int_equal(twi_deque_share_all(f), 2);
    steal_expect(TWI_STEAL_GOT, 0);
    assert_true(take(1));
    expect(1, 1, 1);
    steal_expect(TWI_STEAL_EMPTY, 0);
    assert_false(take(0));
}

static void test_deque_reclaim_of_a_private_slot_changes_nothing(void **state)
{
    (void)state;
    place(1, 2, 4);
    assert_true(twi_deque_reclaim(f, slots + 3));
    assert_true(twi_deque_reclaim(f, slots + 2));
    expect(1, 2, 4);
}

static void test_deque_reclaim_calls_a_nudge_off(void **state)
{
    (void)state;
    for (int raised = 2; raised <= 4; raised++)
        for (int at = 1; at <= 5; at++) {
            place(1, raised, at);
            f->word |= TWI_RAISING;
            assert_true(twi_deque_reclaim(f, slots + at));
            expect(1, 1, at);
        }
    place(2, 3, 1); // the slot wanted had been stolen before
    f->word |= TWI_RAISING;
    assert_false(twi_deque_reclaim(f, slots + 1));
    expect(2, 2, 1);
}

// ---- reset ----

static void test_deque_reset_after_steals(void **state)
{
    (void)state;
    place(4, 4, 4);
    twi_deque_reset(f, slots + 1);
    expect(1, 1, 1);
    push(2);
    expect(1, 1, 3);
}

static void test_deque_reset_where_nothing_was_stolen(void **state)
{
    (void)state;
    place(1, 1, 3);
    twi_deque_reset(f, slots + 2); // a deque that only grew
    expect(1, 1, 2);
    twi_deque_reset(f, slots + 1);
    expect(1, 1, 1);
}

// ---- nudge ----

static void (*owner)(void);

static void meanwhile(void)
{
    if (owner)
        owner();
}

static void nudge_expect(void (*by_owner)(void), int at)
{
    owner = by_owner;
    assert_ptr_equal(twi_deque_nudge(f), at < 0 ? NULL : slots + at);
    owner = NULL;
}

static void test_deque_nudge_shares_half_and_takes_the_first(void **state)
{
    (void)state;
    for (int top = 0; top <= 2; top++)
        for (int private = 1; private <= 9; private ++) {
            place(top, top, top + private);
            nudge_expect(NULL, top);
            expect(top + 1, top + (private + 1) / 2, top + private);
        }
}

// A membarrier interrupts every worker: none without need.
static void disturbed(void)
{
    fail();
}

static void test_deque_nudge_of_what_is_not_hidden(void **state)
{
    (void)state;
    push(3);
    assert_int_equal(twi_deque_share(f), 2);
    nudge_expect(disturbed, -1); // something is there to steal
    expect(0, 2, 3);
    place(3, 3, 3);
    nudge_expect(disturbed, -1); // nothing is there at all
    expect(3, 3, 3);
    place(3, 3, 1);
    nudge_expect(disturbed, -1); // the owner is about to wait for stolen ones
    expect(3, 3, 1);
}

static void test_deque_nudge_one_at_a_time(void **state)
{
    (void)state;
    push(4);
    f->nudge_lock = 1;
    assert_null(twi_deque_nudge(f));
    assert_int_equal(f->nudge_lock, 1);
    f->nudge_lock = 0;
    nudge_expect(NULL, 0);
    expect(1, 2, 4);
}

static void nudge_too(void)
{
    owner = NULL;
    assert_null(twi_deque_nudge(f));
    steal_expect(TWI_STEAL_LOST, 0);
}

static void test_deque_nudge_meets_another_thief(void **state)
{
    (void)state;
    push(4);
    nudge_expect(nudge_too, 0);
    expect(1, 2, 4);
}

static void take_the_topmost(void)
{
    assert_true(twi_take_private(f, slots + 3));
}

static void test_deque_nudge_while_the_owner_stays_above(void **state)
{
    (void)state;
    push(4);
    nudge_expect(take_the_topmost, 0);
    expect(1, 2, 3);
}

// The mark makes the slot right above the split proposed look shared: the owner objects there.
static void take_down_to_the_split(void)
{
    assert_true(twi_take_private(f, slots + 3));
    assert_false(twi_take_private(f, slots + 2));
    assert_true(twi_deque_reclaim(f, slots + 2));
}

static void take_below_the_split(void)
{
    assert_false(twi_take_private(f, slots + 1));
    assert_true(twi_deque_reclaim(f, slots + 1));
}

static void test_deque_nudge_called_off_by_a_take(void **state)
{
    (void)state;
    push(4); // split at 2 is proposed
    nudge_expect(take_down_to_the_split, -1);
    expect(0, 0, 2);
    place(0, 0, 4);
    nudge_expect(take_below_the_split, -1);
    expect(0, 0, 1);
}

// The owner has lowered head but not yet looked at the split: the thief sees that and keeps off.
static void lower_head_to_one(void)
{
    f->head = slots + 1;
}

static void lower_head_to_zero(void)
{
    f->head = slots;
}

static void test_deque_nudge_keeps_below_head(void **state)
{
    (void)state;
    push(4);
    nudge_expect(lower_head_to_one, 0);
    expect(1, 1, 1);
    place(0, 0, 4);
    nudge_expect(lower_head_to_zero, -1);
    expect(0, 0, 0);
    assert_true(twi_deque_reclaim(f, slots)); // the owner finds it untouched
}

static void push_three(void)
{
    push(3);
}

static void test_deque_nudge_while_the_owner_pushes(void **state)
{
    (void)state;
    push(3);
    nudge_expect(push_three, 0);
    expect(1, 2, 6);
}

static void share_some(void)
{
    assert_int_equal(twi_deque_share(f), 0);
}

static void share_everything(void)
{
    assert_int_equal(twi_deque_share_all(f), 4);
}

static void test_deque_nudge_while_the_owner_shares(void **state)
{
    (void)state;
    push(4);
    nudge_expect(share_some, 0);
    expect(1, 2, 4);
    place(0, 0, 4);
    nudge_expect(share_everything, -1);
    expect(0, 4, 4);
}

static void start_anew(void)
{
    twi_deque_reset(f, slots);
}

static void test_deque_nudge_while_the_owner_starts_anew(void **state)
{
    (void)state;
    place(2, 2, 4);
    nudge_expect(start_anew, -1);
    expect(0, 0, 0);
}

// Called off and back where it was: the mark is what tells.
static void take_and_push_again(void)
{
    for (int at = 3; at >= 0; at--)
        assert_true(take(at));
    push(4);
}

static void test_deque_nudge_called_off_stays_off(void **state)
{
    (void)state;
    push(4);
    nudge_expect(take_and_push_again, -1);
    expect(0, 0, 4);
}

// ---- random sequences against three numbers ----

struct ends {
    int top, split, head;
};

static int half(int n)
{
    return (n + 1) / 2;
}

// The owner wants its topmost slot; when it was stolen, all is done and the deque starts anew.
static void step_take(struct ends *m)
{
    if (m->head == 0)
        return;
    int at = m->head - 1;
    int mine = m->top <= at;
    assert_int_equal(take(at), mine);
    if (!mine) {
        twi_deque_reset(f, slots);
        *m = (struct ends){0, 0, 0};
        return;
    }
    if (m->split > at)
        m->split = m->top + (at - m->top) / 2;
    m->head = at;
}

static void step_share_all(struct ends *m)
{
    int there = m->head > m->top ? m->head - m->top : 0;
    assert_int_equal(twi_deque_share_all(f), there);
    if (there)
        m->split = m->head;
}

static void step_steal(struct ends *m)
{
    int got = m->top < m->split;
    steal_expect(got ? TWI_STEAL_GOT : TWI_STEAL_EMPTY, m->top);
    m->top += got;
}

static void step_nudge(struct ends *m)
{
    int got = m->top == m->split && m->head > m->split;
    nudge_expect(NULL, got ? m->top : -1);
    if (got) {
        m->split += half(m->head - m->split);
        m->top++;
    }
}

static void step(struct ends *m, uint32_t choice)
{
    switch (choice) {
    case 0:
        step_take(m);
        break;
    case 1:
        assert_int_equal(twi_deque_share(f), half(m->head - m->split));
        m->split += half(m->head - m->split);
        break;
    case 2:
        step_share_all(m);
        break;
    case 3:
        step_steal(m);
        break;
    case 4:
        step_nudge(m);
        break;
    default:
        if (m->head < SLOTS) {
            push(1);
            m->head++;
        }
        break;
    }
}

static void test_deque_random_sequences(void **state)
{
    (void)state;
    struct ends m = {0, 0, 0};
    struct twi_rng rng = {3};
    for (int i = 0; i < test_scaled(300000); i++) {
        // Phases of growing and of shrinking, so that both ends of the slots are reached.
        uint32_t choices = i / 200 % 2 ? 9 : 6;
        step(&m, twi_rng_below(&rng, choices));
        expect(m.top, m.split, m.head);
        assert_int_equal(twi_deque_hides(f), m.head > m.split);
    }
}

#define ON_FIBER(f) cmocka_unit_test_setup_teardown(f, deque_make, deque_free)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_FIBER(test_deque_empty_has_nothing_for_anyone),
        ON_FIBER(test_deque_push_is_private),
        ON_FIBER(test_deque_take_private_newest_first),
        ON_FIBER(test_deque_take_private_stops_at_the_split),
        ON_FIBER(test_deque_share_gives_half_rounded_up),
        ON_FIBER(test_deque_share_again_gives_half_of_the_rest),
        ON_FIBER(test_deque_share_keeps_what_was_stolen),
        ON_FIBER(test_deque_share_leaves_a_nudge_alone),
        ON_FIBER(test_deque_share_all),
        ON_FIBER(test_deque_share_all_after_a_part),
        ON_FIBER(test_deque_share_all_calls_a_nudge_off),
        ON_FIBER(test_deque_steal_oldest_first),
        ON_FIBER(test_deque_steal_of_the_last_slot),
        ON_FIBER(test_deque_steal_waits_for_a_nudge),
        ON_FIBER(test_deque_steal_does_not_look_at_head),
        ON_FIBER(test_deque_reclaim_takes_half_of_what_is_shared_below),
        ON_FIBER(test_deque_reclaim_of_a_stolen_slot),
        ON_FIBER(test_deque_reclaim_of_the_only_one_left),
        ON_FIBER(test_deque_reclaim_of_a_private_slot_changes_nothing),
        ON_FIBER(test_deque_reclaim_calls_a_nudge_off),
        ON_FIBER(test_deque_reset_after_steals),
        ON_FIBER(test_deque_reset_where_nothing_was_stolen),
        ON_FIBER(test_deque_nudge_shares_half_and_takes_the_first),
        ON_FIBER(test_deque_nudge_of_what_is_not_hidden),
        ON_FIBER(test_deque_nudge_one_at_a_time),
        ON_FIBER(test_deque_nudge_meets_another_thief),
        ON_FIBER(test_deque_nudge_while_the_owner_stays_above),
        ON_FIBER(test_deque_nudge_called_off_by_a_take),
        ON_FIBER(test_deque_nudge_keeps_below_head),
        ON_FIBER(test_deque_nudge_while_the_owner_pushes),
        ON_FIBER(test_deque_nudge_while_the_owner_shares),
        ON_FIBER(test_deque_nudge_while_the_owner_starts_anew),
        ON_FIBER(test_deque_nudge_called_off_stays_off),
        ON_FIBER(test_deque_random_sequences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// ctest: workers=2
// What each operation of the deque means, one thread at a time. Nudges are in deque_nudge_test.c.
#include "deque_by_hand.h"

// ---- an empty deque ----

static void test_deque_empty_has_nothing_for_anyone(void **state)
{
    (void)state;
    steal_expect(TWI_STEAL_EMPTY, 0);
    assert_false(twi_deque_hides(f));
    assert_null(twi_deque_nudge(f, 1));
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// ctest: workers=2
// Nudging: what a thief gets, whatever the owner does meanwhile; and all operations of the deque in
// random order against three numbers.
#include "deque_by_hand.h"

#include "base/rng.h"

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

static void test_deque_nudge_shares_what_is_wanted(void **state)
{
    (void)state;
    static const int shared[] = {4, 4, 4, 4, 4, 5, 6, 7, 7, 7}; // of seven, half at least
    for (int want = 0; want < 10; want++) {
        place(1, 1, 8);
        assert_ptr_equal(twi_deque_nudge(f, (uint32_t)want), slots + 1);
        expect(2, 1 + shared[want], 8);
    }
    place(0, 0, 4);
    assert_ptr_equal(twi_deque_nudge(f, UINT32_MAX), slots);
    expect(1, 4, 4);
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
    assert_null(twi_deque_nudge(f, 1));
    assert_int_equal(f->nudge_lock, 1);
    f->nudge_lock = 0;
    nudge_expect(NULL, 0);
    expect(1, 2, 4);
}

static void nudge_too(void)
{
    owner = NULL;
    assert_null(twi_deque_nudge(f, 1));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_FIBER(test_deque_nudge_shares_half_and_takes_the_first),
        ON_FIBER(test_deque_nudge_shares_what_is_wanted),
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

// SPDX-License-Identifier: Apache-2.0
// The policies of the work-stealing paper by hand: which events make them do what.
// ctest: workers=1
#include "steal_hand.h"

// ---- baseline ----

// Up to the request: place 3 has enough, and its lock is ours.
static void baseline_ask(struct hand *hand)
{
    hand_hungry(hand);
    hand_expect(hand, TWI_DO_READ, 3);
    hand_get(hand, TWI_ON_READ, 3, 9);
    hand_expect(hand, TWI_DO_LOCK, 3);
    hand_get(hand, TWI_ON_LOCK, 3, 1);
    hand_expect_message(hand, 3, "request");
    hand_expect_no_more(hand);
}

static void test_steal_paper_baseline_asks_under_a_lock(void **state)
{
    (void)state;
    struct hand hand;
    hand_start(&hand, &twi_policy_baseline, hand_rules());
    baseline_ask(&hand);
    hand.idle = hand.load = 0; // what came is being run
    hand_get(&hand, TWI_ON_TASKS, 3, 3);
    hand_expect(&hand, TWI_DO_UNLOCK, 3);
    hand_expect_timer(&hand, 100); // until it shows whether they were enough
    hand_expect_no_more(&hand);
    hand_fed(&hand);
    hand_expect_timer(&hand, 0);
    assert_int_equal(hand_stats(&hand)->victims[1], 1);
    assert_int_equal(hand_stats(&hand)->steals, 1);
    hand_end(&hand);
}

static void test_steal_paper_baseline_goes_on_when_denied(void **state)
{
    (void)state;
    struct hand hand;
    hand_start(&hand, &twi_policy_baseline, hand_rules());
    baseline_ask(&hand);
    hand_message(&hand, 3, "deny");
    hand_expect(&hand, TWI_DO_UNLOCK, 3);
    hand_expect(&hand, TWI_DO_READ, 4);
    hand_get(&hand, TWI_ON_READ, 4, 100);
    hand_expect(&hand, TWI_DO_LOCK, 4);
    hand_get(&hand, TWI_ON_LOCK, 4, 0); // somebody else's
    hand_expect(&hand, TWI_DO_READ, 0);
    hand_expect_no_more(&hand);
    assert_int_equal(hand_stats(&hand)->failed, 1);
    hand_end(&hand);
}

static void test_steal_paper_baseline_pauses_twice_as_long(void **state)
{
    (void)state;
    static const uint32_t ring[] = {3, 4, 0, 1};
    static const uint64_t pauses[] = {100, 200, 400, 400};
    struct hand hand;
    hand_start(&hand, &twi_policy_baseline, hand_rules());
    hand_hungry(&hand);
    for (int pause = 0; pause < 4; pause++) {
        for (int i = 0; i < 4; i++) {
            hand_expect(&hand, TWI_DO_READ, ring[i]);
            hand_expect_no_more(&hand);
            hand_get(&hand, TWI_ON_READ, ring[i], 8); // not above the threshold
        }
        hand_expect_timer(&hand, pauses[pause]);
        hand_get(&hand, TWI_ON_TIMER, 0, 0);
    }
    assert_int_equal(hand_stats(&hand)->backoffs, 4);
    assert_int_equal(hand_stats(&hand)->probes, 17);
    hand_end(&hand);
}

static void test_steal_paper_baseline_gives_back_a_late_lock(void **state)
{
    (void)state;
    struct hand hand;
    hand_start(&hand, &twi_policy_baseline, hand_rules());
    hand_hungry(&hand);
    hand_get(&hand, TWI_ON_READ, 3, 9);
    hand_fed(&hand);
    hand_get(&hand, TWI_ON_LOCK, 3, 1);
    hand_expect(&hand, TWI_DO_UNLOCK, 3);
    hand_expect_no_more(&hand);
    hand_hungry(&hand);
    hand_expect(&hand, TWI_DO_READ, 4);
    hand_fed(&hand);
    hand_get(&hand, TWI_ON_READ, 4, 9);
    hand_expect_no_more(&hand);
    hand_end(&hand);
}

static void test_steal_paper_baseline_is_answered_late(void **state)
{
    (void)state;
    struct hand hand;
    hand_start(&hand, &twi_policy_baseline, hand_rules());
    baseline_ask(&hand);
    hand_fed(&hand);
    hand_hungry(&hand);
    hand_expect_no_more(&hand); // the answer first
    hand_message(&hand, 3, "deny");
    hand_expect(&hand, TWI_DO_UNLOCK, 3);
    hand_expect(&hand, TWI_DO_READ, 4);
    assert_int_equal(hand_stats(&hand)->searches, 2);
    hand_end(&hand);
}

static void test_steal_paper_baseline_serves_or_denies(void **state)
{
    (void)state;
    struct hand hand;
    hand_start(&hand, &twi_policy_baseline, hand_rules());
    hand.load = 5;
    hand_message(&hand, 1, "request");
    hand_expect_count(&hand, TWI_DO_GIVE, 1, 3);
    hand_expect_no_more(&hand);
    hand_get(&hand, TWI_ON_GAVE, 1, 3);
    hand_expect_no_more(&hand);
    hand_message(&hand, 1, "request");
    hand_get(&hand, TWI_ON_GAVE, 1, 0);
    hand_expect_message(&hand, 1, "deny");
    hand.idle = 1;
    hand_message(&hand, 1, "request");
    hand_expect_message(&hand, 1, "deny");
    hand.idle = hand.load = 0;
    hand_message(&hand, 1, "request");
    hand_expect_message(&hand, 1, "deny");
    hand_expect_no_more(&hand);
    hand_end(&hand);
}

// ---- success-only ----

// Registers with place `victim`, which is the next in question.
static void register_with(struct hand *hand, uint32_t victim)
{
    hand_expect(hand, TWI_DO_READ, victim);
    hand_expect_no_more(hand);
    hand_get(hand, TWI_ON_READ, victim, 9);
    hand_expect_message(hand, victim, "request");
    hand_expect_no_more(hand);
    hand_message(hand, victim, "registered");
}

static void test_steal_paper_success_only_asks_nobody_twice(void **state)
{
    (void)state;
    struct hand hand;
    hand_start(&hand, &twi_policy_success_only, hand_rules());
    hand_hungry(&hand);
    register_with(&hand, 3);
    register_with(&hand, 4);
    register_with(&hand, 0);
    register_with(&hand, 1);
    hand_expect_no_more(&hand); // all are contacted: no timer either
    hand.idle = 1;
    hand_get(&hand, TWI_ON_TASKS, 4, 3); // which is forgotten, but does not feed all workers
    register_with(&hand, 4);
    hand_expect_no_more(&hand);
    assert_int_equal(hand_stats(&hand)->victims[4], 1);
    assert_int_equal(hand_stats(&hand)->requests, 5);
    hand_end(&hand);
}

static void test_steal_paper_success_only_forgets_with_the_phase(void **state)
{
    (void)state;
    struct hand hand;
    hand_start(&hand, &twi_policy_success_only, hand_rules());
    for (int phase = 0; phase < 2; phase++) {
        hand_hungry(&hand);
        register_with(&hand, 3);
        hand_expect(&hand, TWI_DO_READ, 4);
        hand_message(&hand, 1, "request");
        hand_expect_message(&hand, 1, "registered");
        hand_expect_count(&hand, TWI_DO_WATCH, 0, 1);
        hand_get(&hand, TWI_ON_START, 0, 1);
        hand_expect_no_more(&hand);
    }
    hand.load = 5;
    hand.idle = 0;
    hand_get(&hand, TWI_ON_LOAD, 0, 0);
    hand_expect_no_more(&hand); // nobody waits
    hand_end(&hand);
}

static void test_steal_paper_success_only_serves_in_order(void **state)
{
    (void)state;
    struct hand hand;
    hand_start(&hand, &twi_policy_success_only, hand_rules());
    hand.idle = 1;
    hand_message(&hand, 4, "request");
    hand_expect_message(&hand, 4, "registered");
    hand_expect_count(&hand, TWI_DO_WATCH, 0, 1);
    hand_message(&hand, 0, "request");
    hand_expect_message(&hand, 0, "registered");
    hand_expect_no_more(&hand);
    hand.idle = 0;
    hand.load = 9;
    hand_get(&hand, TWI_ON_LOAD, 0, 0);
    hand_expect_count(&hand, TWI_DO_GIVE, 4, 3);
    hand_expect_no_more(&hand); // one at a time
    hand_get(&hand, TWI_ON_GAVE, 4, 0);
    hand_expect_count(&hand, TWI_DO_WATCH, 0, 1);
    hand_get(&hand, TWI_ON_LOAD, 0, 0);
    hand_expect_count(&hand, TWI_DO_GIVE, 4, 3); // it is still the first
    hand_get(&hand, TWI_ON_GAVE, 4, 3);
    hand_expect_count(&hand, TWI_DO_GIVE, 0, 3);
    hand.load = 0;
    hand_get(&hand, TWI_ON_GAVE, 0, 3);
    hand_expect_no_more(&hand);
    hand_end(&hand);
}

// Its tasks may arrive, and it ask again, before the gift is reported here.
static void test_steal_paper_success_only_thief_is_quicker_than_the_report(void **state)
{
    (void)state;
    struct hand hand;
    hand_start(&hand, &twi_policy_success_only, hand_rules());
    hand.load = 9;
    hand_message(&hand, 4, "request");
    hand_expect_message(&hand, 4, "registered");
    hand_expect_count(&hand, TWI_DO_GIVE, 4, 3);
    hand_message(&hand, 4, "request");
    hand_expect_message(&hand, 4, "registered");
    hand_expect_no_more(&hand);
    hand_get(&hand, TWI_ON_GAVE, 4, 3);
    hand_expect_count(&hand, TWI_DO_GIVE, 4, 3);
    hand_get(&hand, TWI_ON_GAVE, 4, 3);
    hand_expect_no_more(&hand);
    hand_end(&hand);
}

static void test_steal_paper_success_only_counts_cycles(void **state)
{
    (void)state;
    struct hand hand;
    hand_start(&hand, &twi_policy_success_only, hand_rules());
    hand_hungry(&hand);
    hand_message(&hand, 3, "request");
    hand_get(&hand, TWI_ON_READ, 3, 9);
    hand_expect_message(&hand, 3, "request");
    assert_int_equal(hand_stats(&hand)->cyclic, 1);
    hand_end(&hand);
}

// ---- success-only-acyclic ----

static void test_steal_paper_acyclic_gives_a_request_back_first(void **state)
{
    (void)state;
    struct hand hand;
    hand_start(&hand, &twi_policy_success_only_acyclic, hand_rules());
    hand_hungry(&hand);
    hand_message(&hand, 3, "request");
    hand_expect_message(&hand, 3, "registered");
    hand_get(&hand, TWI_ON_READ, 3, 9);
    hand_expect_message(&hand, 3, "withdrawn");
    hand_expect_message(&hand, 3, "request");
    hand_message(&hand, 3, "registered");
    hand.idle = 0;
    hand.load = 9;
    hand_get(&hand, TWI_ON_LOAD, 0, 0);
    hand_expect_no_more(&hand); // place 3 waits no more
    assert_int_equal(hand_stats(&hand)->cyclic, 0);
    hand_end(&hand);
}

static void test_steal_paper_acyclic_requests_cross(void **state)
{
    (void)state;
    struct hand hand; // place 2
    hand_start(&hand, &twi_policy_success_only_acyclic, hand_rules());
    hand_hungry(&hand);
    hand_get(&hand, TWI_ON_READ, 3, 9);
    hand_expect_message(&hand, 3, "request");
    hand_message(&hand, 3, "request"); // the lower number stands: ours
    hand_expect_message(&hand, 3, "withdrawn");
    hand_expect_no_more(&hand);
    hand_message(&hand, 3, "registered");
    hand_expect(&hand, TWI_DO_READ, 4);
    hand_get(&hand, TWI_ON_READ, 4, 0);
    hand_get(&hand, TWI_ON_READ, 0, 9);
    hand_expect_message(&hand, 0, "request");
    hand_message(&hand, 0, "request"); // the lower number stands: theirs
    hand_expect_message(&hand, 0, "registered");
    hand_expect_count(&hand, TWI_DO_WATCH, 0, 1);
    hand_expect_no_more(&hand);
    hand_message(&hand, 0, "withdrawn");
    hand_expect(&hand, TWI_DO_READ, 1);
    assert_int_equal(hand_stats(&hand)->withdrawn, 1);
    assert_int_equal(hand_stats(&hand)->failed, 0);
    hand_end(&hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steal_paper_baseline_asks_under_a_lock),
        cmocka_unit_test(test_steal_paper_baseline_goes_on_when_denied),
        cmocka_unit_test(test_steal_paper_baseline_pauses_twice_as_long),
        cmocka_unit_test(test_steal_paper_baseline_gives_back_a_late_lock),
        cmocka_unit_test(test_steal_paper_baseline_is_answered_late),
        cmocka_unit_test(test_steal_paper_baseline_serves_or_denies),
        cmocka_unit_test(test_steal_paper_success_only_asks_nobody_twice),
        cmocka_unit_test(test_steal_paper_success_only_forgets_with_the_phase),
        cmocka_unit_test(test_steal_paper_success_only_serves_in_order),
        cmocka_unit_test(test_steal_paper_success_only_thief_is_quicker_than_the_report),
        cmocka_unit_test(test_steal_paper_success_only_counts_cycles),
        cmocka_unit_test(test_steal_paper_acyclic_gives_a_request_back_first),
        cmocka_unit_test(test_steal_paper_acyclic_requests_cross),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// The other steal policies by hand, and what holds for all.
// ctest: workers=1
#include "steal_hand.h"

// ---- lifeline ----

static void test_steal_policy_lifeline_tries_then_waits(void **state)
{
    (void)state;
    struct hand hand; // buddies of 2 among 5: 3 and 0
    hand_start(&hand, &twi_policy_lifeline, hand_rules());
    hand_hungry(&hand);
    hand_expect_message(&hand, 3, "request");
    hand_expect_no_more(&hand);
    hand_message(&hand, 3, "deny");
    hand_expect_message(&hand, 3, "request"); // a lifeline
    hand_message(&hand, 3, "noted");
    hand_expect_message(&hand, 0, "request");
    hand_message(&hand, 0, "noted");
    hand_expect_no_more(&hand); // no timer
    hand.idle = 1;
    hand_get(&hand, TWI_ON_TASKS, 0, 3);
    hand_expect_message(&hand, 4, "request");
    hand_message(&hand, 4, "deny");
    hand_expect_message(&hand, 0, "request"); // that of 3 is pending
    hand_message(&hand, 0, "noted");
    hand_expect_no_more(&hand);
    assert_int_equal(hand_stats(&hand)->failed, 2);
    hand_end(&hand);
}

static void test_steal_policy_lifeline_remembers_buddies(void **state)
{
    (void)state;
    struct hand hand;
    struct twi_event lifeline = {
        .kind = TWI_ON_MESSAGE, .peer = 3, .message = TWI_REQUEST, .word = 1};
    hand_start(&hand, &twi_policy_lifeline, hand_rules());
    hand.idle = 1;
    hand_message(&hand, 4, "request");
    hand_expect_message(&hand, 4, "deny");
    hand_expect_no_more(&hand);
    hand_feed(&hand, lifeline);
    hand_expect_message(&hand, 3, "noted");
    hand_expect_count(&hand, TWI_DO_WATCH, 0, 1);
    hand.idle = 0;
    hand.load = 9;
    hand_get(&hand, TWI_ON_LOAD, 0, 0);
    hand_expect_count(&hand, TWI_DO_GIVE, 3, 5); // half, rounded up
    hand_message(&hand, 4, "request"); // one gift at a time
    hand_expect_message(&hand, 4, "deny");
    hand.load = 4;
    hand_get(&hand, TWI_ON_GAVE, 3, 5);
    hand_expect_no_more(&hand);
    hand_feed(&hand, lifeline);
    hand_expect_count(&hand, TWI_DO_GIVE, 3, 2);
    hand_get(&hand, TWI_ON_GAVE, 3, 0);
    hand_expect_message(&hand, 3, "noted");
    hand_expect_count(&hand, TWI_DO_WATCH, 0, 1);
    hand_end(&hand);
}

// ---- random ----

static void test_steal_policy_random_tries_all_then_pauses(void **state)
{
    (void)state;
    struct hand hand;
    hand_start(&hand, &twi_policy_random, hand_rules());
    hand_hungry(&hand);
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t victim = (uint32_t[]){3, 4, 0, 1, 3}[i];
        hand_expect_message(&hand, victim, "request");
        hand_expect_no_more(&hand);
        hand_message(&hand, victim, "deny");
    }
    hand_expect_timer(&hand, 100);
    hand_get(&hand, TWI_ON_TIMER, 0, 0);
    hand_expect_message(&hand, 4, "request");
    assert_int_equal(hand_stats(&hand)->failed, 5);
    hand_end(&hand);
}

static void test_steal_policy_random_gives_half(void **state)
{
    (void)state;
    struct hand hand;
    hand_start(&hand, &twi_policy_random, hand_rules());
    hand.load = 21;
    hand.idle = 1; // all the same
    hand_message(&hand, 0, "request");
    hand_expect_count(&hand, TWI_DO_GIVE, 0, 11);
    hand.load = 1;
    hand_message(&hand, 1, "request");
    hand_expect_count(&hand, TWI_DO_GIVE, 1, 1);
    hand.load = 0;
    hand_message(&hand, 1, "request");
    hand_expect_message(&hand, 1, "deny");
    hand_end(&hand);
}

// ---- adaptive ----

static void test_steal_policy_adaptive_asks_the_most_loaded(void **state)
{
    (void)state;
    struct hand hand;
    hand_start(&hand, &twi_policy_adaptive, hand_rules());
    hand_expect_count(&hand, TWI_DO_WATCH, 0, 17); // four a worker, and one
    hand_hungry(&hand);
    for (uint32_t i = 0; i < 4; i++)
        hand_expect(&hand, TWI_DO_READ, (uint32_t[]){3, 4, 0, 1}[i]);
    hand_get(&hand, TWI_ON_READ, 0, 7);
    hand_get(&hand, TWI_ON_READ, 3, 0);
    hand_get(&hand, TWI_ON_READ, 1, 2);
    hand_expect_no_more(&hand);
    hand_get(&hand, TWI_ON_READ, 4, 5);
    hand_expect_message(&hand, 0, "request");
    hand_expect_no_more(&hand); // until it says something
    hand_message(&hand, 0, "queued");
    for (uint32_t i = 0; i < 3; i++)
        hand_expect(&hand, TWI_DO_READ, (uint32_t[]){3, 4, 1}[i]);
    hand_expect_no_more(&hand);
    hand_end(&hand);
}

static void test_steal_policy_adaptive_asks_buddies_when_nobody_has_any(void **state)
{
    (void)state;
    struct hand hand;
    hand_start(&hand, &twi_policy_adaptive, hand_rules());
    hand_hungry(&hand);
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 4; i++)
            hand_get(&hand, TWI_ON_READ, (uint32_t[]){3, 4, 0, 1}[i], 0);
    hand_expect_message(&hand, 3, "request");
    hand_expect_message(&hand, 0, "request");
    hand_expect(&hand, TWI_DO_READ, 4);
    hand_expect(&hand, TWI_DO_READ, 1);
    hand_expect_no_more(&hand);
    for (int round = 0; round < 2; round++) {
        hand_get(&hand, TWI_ON_READ, 4, 0);
        hand_get(&hand, TWI_ON_READ, 1, 0);
    }
    hand_expect_timer(&hand, 100);
    hand_expect_no_more(&hand);
    hand_end(&hand);
}

static void test_steal_policy_adaptive_gives_by_surplus(void **state)
{
    (void)state;
    struct hand hand;
    hand_start(&hand, &twi_policy_adaptive, hand_rules());
    hand.load = 40;
    hand_feed(&hand, (struct twi_event){
                         .kind = TWI_ON_MESSAGE, .peer = 0, .message = TWI_REQUEST, .word = 10});
    const struct twi_action *gift = hand_expect(&hand, TWI_DO_GIVE, 0);
    assert_int_equal(gift->count, 15);
    assert_int_equal(gift->word, 25); // what is left here
    hand_message(&hand, 1, "request");
    hand_expect_message(&hand, 1, "queued");
    hand_message(&hand, 3, "request");
    hand_expect_message(&hand, 3, "queued");
    hand.load = 30;
    hand_get(&hand, TWI_ON_GAVE, 0, 15);
    hand_expect_count(&hand, TWI_DO_GIVE, 1, 10); // a third: two wait
    hand.load = 5;
    hand_get(&hand, TWI_ON_GAVE, 1, 10);
    hand_expect_count(&hand, TWI_DO_GIVE, 3, 3); // a batch
    hand_end(&hand);
}

static void test_steal_policy_adaptive_asks_before_it_is_dry(void **state)
{
    (void)state;
    struct hand hand;
    hand_start(&hand, &twi_policy_adaptive, hand_rules());
    hand.load = 17;
    hand_get(&hand, TWI_ON_LOAD, 0, 0);
    hand_expect_count(&hand, TWI_DO_WATCH_LOW, 0, 8);
    hand_expect_no_more(&hand);
    hand.load = 8;
    hand_get(&hand, TWI_ON_LOAD, 0, 0);
    for (uint32_t i = 0; i < 4; i++)
        hand_expect(&hand, TWI_DO_READ, (uint32_t[]){3, 4, 0, 1}[i]);
    hand_expect_count(&hand, TWI_DO_WATCH, 0, 17);
    hand_get(&hand, TWI_ON_READ, 3, 16); // not above what is here and the threshold
    hand_get(&hand, TWI_ON_READ, 4, 0);
    hand_get(&hand, TWI_ON_READ, 0, 0);
    hand_get(&hand, TWI_ON_READ, 1, 0);
    hand_expect_no_more(&hand); // it is over: there is something to do
    hand_hungry(&hand);
    hand_expect(&hand, TWI_DO_READ, 3);
    assert_int_equal(hand_stats(&hand)->searches, 2);
    hand_end(&hand);
}

// ---- all ----

static void test_steal_policy_table(void **state)
{
    (void)state;
    size_t count = 0;
    struct twi_rules large = hand_rules();
    large.places = 7000;
    for (; twi_policies[count]; count++) {
        const struct twi_machine *machine = twi_policies[count];
        assert_true(machine->size(&large) < 4096);
        assert_non_null(machine->message_name(TWI_REQUEST));
        assert_null(machine->message_name(1000));
        assert_true(strlen(machine->summary) < 80);
    }
    assert_int_equal(count, 6);
}

static void test_steal_policy_alone_is_quiet(void **state)
{
    (void)state;
    for (size_t i = 0; twi_policies[i]; i++) {
        struct hand hand;
        struct twi_rules rules = hand_rules();
        rules.place = 0;
        rules.places = 1;
        hand_start(&hand, twi_policies[i], rules);
        hand_hungry(&hand);
        hand_expect_no_more(&hand);
        hand_get(&hand, TWI_ON_TIMER, 0, 0);
        hand_expect_no_more(&hand);
        hand_end(&hand);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steal_policy_lifeline_tries_then_waits),
        cmocka_unit_test(test_steal_policy_lifeline_remembers_buddies),
        cmocka_unit_test(test_steal_policy_random_tries_all_then_pauses),
        cmocka_unit_test(test_steal_policy_random_gives_half),
        cmocka_unit_test(test_steal_policy_adaptive_asks_the_most_loaded),
        cmocka_unit_test(test_steal_policy_adaptive_asks_buddies_when_nobody_has_any),
        cmocka_unit_test(test_steal_policy_adaptive_gives_by_surplus),
        cmocka_unit_test(test_steal_policy_adaptive_asks_before_it_is_dry),
        cmocka_unit_test(test_steal_policy_table),
        cmocka_unit_test(test_steal_policy_alone_is_quiet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

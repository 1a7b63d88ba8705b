// SPDX-License-Identifier: Apache-2.0
// Checkers and the minimiser with machines that are wrong on purpose. Its tables stand in for those
// of the library, so that campaigns draw from them.
// ctest: workers=1 timeout=240
#include "support.h"

#include <string.h>

#include "sim/campaign.h"
#include "steal/policies.h"
#include "steal/tree.h"

// ---- machines that are wrong ----

// Gives twice.
static void generous_step(void *state, const struct twi_event *event, struct twi_actions *actions)
{
    twi_policy_random.step(state, event, actions);
    for (uint32_t i = 0, count = actions->count; i < count; i++)
        if (actions->list[i].kind == TWI_DO_GIVE)
            twi_act(actions, actions->list[i]);
}

// Hears some requests only.
static void deaf_step(void *state, const struct twi_event *event, struct twi_actions *actions)
{
    if (event->kind == TWI_ON_MESSAGE && event->message == TWI_REQUEST && event->peer % 2)
        return;
    twi_policy_random.step(state, event, actions);
}

// Asks twice.
static void greedy_step(void *state, const struct twi_event *event, struct twi_actions *actions)
{
    twi_policy_random.step(state, event, actions);
    if (actions->count == 1 && actions->list[0].kind == TWI_DO_SEND &&
        actions->list[0].message == TWI_REQUEST)
        twi_act(actions, actions->list[0]);
}

// Refuses, and then it gives all the same.
static void moody_step(void *state, const struct twi_event *event, struct twi_actions *actions)
{
    if (event->kind == TWI_ON_MESSAGE && event->message == TWI_REQUEST && event->load)
        twi_act(actions, (struct twi_action){
                             .kind = TWI_DO_SEND, .peer = event->peer, .message = TWI_REFUSED});
    twi_policy_random.step(state, event, actions);
}

// Does not care what becomes of what it gave.
static void careless_step(void *state, const struct twi_event *event, struct twi_actions *actions)
{
    int is_told = event->kind == TWI_ON_MESSAGE && event->message == 0;
    if (event->kind != TWI_ON_GAVE && !is_told)
        twi_scopes.step(state, event, actions);
}

// Never hears that a gift has arrived.
static void endless_step(void *state, const struct twi_event *event, struct twi_actions *actions)
{
    if (event->kind != TWI_ON_MESSAGE || event->message != 0)
        twi_waves.step(state, event, actions);
}

// Votes while it has work.
static void hasty_step(void *state, const struct twi_event *event, struct twi_actions *actions)
{
    struct twi_event changed = *event;
    if (changed.kind == TWI_ON_START)
        changed.count = 0;
    twi_waves.step(state, &changed, actions);
}

static size_t random_size(const struct twi_rules *rules)
{
    return twi_policy_random.size(rules);
}

static void random_start(void *state, const struct twi_rules *rules)
{
    twi_policy_random.start(state, rules);
}

static const struct twi_steal_stats *random_stats(const void *state)
{
    return twi_policy_random.stats(state);
}

static size_t detector_size(const struct twi_rules *rules)
{
    size_t scopes = twi_scopes.size(rules), waves = twi_waves.size(rules);
    return scopes > waves ? scopes : waves;
}

static void scopes_start(void *state, const struct twi_rules *rules)
{
    twi_scopes.start(state, rules);
}

static void waves_start(void *state, const struct twi_rules *rules)
{
    twi_waves.start(state, rules);
}

#define POLICY(which)                                                                              \
    static const struct twi_machine which = {.name = #which,                                       \
                                             .answers_all = 1,                                     \
                                             .size = random_size,                                  \
                                             .start = random_start,                                \
                                             .step = which##_step,                                 \
                                             .stats = random_stats}
#define DETECTOR(which, like)                                                                      \
    static const struct twi_machine which = {                                                      \
        .name = #which, .size = detector_size, .start = like##_start, .step = which##_step}

POLICY(generous);
POLICY(deaf);
POLICY(greedy);
POLICY(moody);
DETECTOR(careless, scopes);
DETECTOR(endless, waves);
DETECTOR(hasty, waves);

const struct twi_machine *const twi_policies[] = {
    &twi_policy_random, &generous, &deaf, &greedy, &moody, &twi_policy_lifeline, NULL};
const struct twi_machine *const twi_detectors[] = {&twi_scopes, &twi_waves, &careless,
                                                   &endless,    &hasty,     NULL};

// ---- what becomes of them ----

static uint64_t size_of(const struct sim_scenario *scenario)
{
    uint64_t size = 0;
    for (int knob = SIM_KNOB_PLACES; knob < SIM_KNOBS; knob++)
        size += scenario->knob[knob] - sim_knob_least((enum sim_knob)knob);
    return size;
}

// Makes it small: it still fails, in the way that is said.
static void check_minimised(const struct sim_campaign *campaign)
{
    struct sim_scenario small = campaign->scenario;
    char trouble[SIM_TROUBLE_MOST], again[SIM_TROUBLE_MOST];
    struct sim_result result;
    memcpy(trouble, campaign->trouble, sizeof trouble);
    sim_scenario_minimise(&small, trouble);
    assert_int_equal(sim_scenario_run(&small, NULL, again, &result), 1);
    assert_string_equal(again, trouble);
    assert_int_equal(small.seed, campaign->scenario.seed);
    assert_int_equal(small.knob[SIM_KNOB_POLICY], campaign->scenario.knob[SIM_KNOB_POLICY]);
    assert_int_equal(small.knob[SIM_KNOB_DETECTOR], campaign->scenario.knob[SIM_KNOB_DETECTOR]);
    assert_true(size_of(&small) < size_of(&campaign->scenario) / 4);
    assert_true(small.knob[SIM_KNOB_PLACES] <= 4);
    print_message("  %s, made small: %s, %llu places, %llu tasks\n", campaign->change, trouble,
                  (unsigned long long)small.knob[SIM_KNOB_PLACES],
                  (unsigned long long)small.knob[SIM_KNOB_TASKS]);
}

static void expect_caught(const char *change, const char *trouble)
{
    struct sim_campaign campaign = {.first = 1, .count = 1000, .change = change};
    assert_int_equal(sim_campaign_run(&campaign, NULL), 0);
    if (!campaign.failed)
        fail_msg("%s: nobody noticed", change);
    if (!strstr(campaign.trouble, trouble))
        fail_msg("%s: '%s' is not in: %s", change, trouble, campaign.trouble);
    assert_true(campaign.done < campaign.count);
    check_minimised(&campaign);
}

static void test_sim_broken_policies_are_caught(void **state)
{
    (void)state;
    expect_caught("policy=1 detector=0", "which did not ask");
    expect_caught("policy=2 detector=0", "requests wait and it does not watch");
    expect_caught("policy=3 detector=0", "again before it has answered");
    expect_caught("policy=4 detector=0", "which did not ask");
}

static void test_sim_broken_detectors_are_caught(void **state)
{
    (void)state;
    expect_caught("policy=5 detector=2", "is over; ");
    expect_caught("policy=5 detector=3", "the run is stuck");
    expect_caught("policy=5 detector=4", "is over; ");
}

// The machines that stand for what is right here are.
static void test_sim_broken_others_are_not(void **state)
{
    (void)state;
    struct sim_campaign campaign = {.first = 1, .count = 300, .change = "policy=0 detector=1"};
    assert_int_equal(sim_campaign_run(&campaign, NULL), 0);
    assert_int_equal(campaign.failed, 0);
    assert_int_equal(campaign.done, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sim_broken_policies_are_caught),
        cmocka_unit_test(test_sim_broken_detectors_are_caught),
        cmocka_unit_test(test_sim_broken_others_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Random scenarios, campaigns of them, and sweeps.
// ctest: workers=1,2 timeout=240
#include "support.h"

#include <string.h>

#include <twill/atomic.h>

#include "sim/campaign.h"
#include "sim/machine.h"
#include "sim/sweep.h"
#include "sim/works.h"

static char message[512];

// ---- scenarios ----

static void test_sim_campaign_draws_everything(void **state)
{
    (void)state;
    struct sim_scenario scenario, again;
    uint64_t least[SIM_KNOBS], most[SIM_KNOBS];
    sim_scenario_draw(&scenario, 0);
    memcpy(least, scenario.knob, sizeof least);
    memcpy(most, scenario.knob, sizeof most);
    for (uint64_t seed = 0; seed < 5000; seed++) {
        sim_scenario_draw(&scenario, seed);
        sim_scenario_draw(&again, seed);
        assert_memory_equal(&scenario, &again, sizeof scenario);
        for (int knob = 0; knob < SIM_KNOBS; knob++) {
            uint64_t value = scenario.knob[knob];
            char change[64];
            snprintf(change, sizeof change, "%s=%llu", sim_knob_name((enum sim_knob)knob),
                     (unsigned long long)value);
            if (sim_scenario_change(&again, change, message, sizeof message) != 0)
                fail_msg("seed %llu draws what cannot be given: %s", (unsigned long long)seed,
                         change);
            least[knob] = value < least[knob] ? value : least[knob];
            most[knob] = value > most[knob] ? value : most[knob];
        }
    }
    for (int knob = 0; knob < SIM_KNOBS; knob++) {
        assert_int_equal(least[knob], sim_knob_least((enum sim_knob)knob));
        assert_true(most[knob] > least[knob]);
    }
    assert_null(twi_policies[most[SIM_KNOB_POLICY] + 1]); // the last was drawn, too
    assert_null(twi_detectors[most[SIM_KNOB_DETECTOR] + 1]);
}

static void test_sim_campaign_changes_of_scenarios(void **state)
{
    (void)state;
    struct sim_scenario scenario, before;
    sim_scenario_draw(&scenario, 7);
    assert_int_equal(
        sim_scenario_change(&scenario, " places=48,jitter=0  work=2", message, sizeof message), 0);
    assert_int_equal(scenario.knob[SIM_KNOB_PLACES], 48);
    assert_int_equal(scenario.knob[SIM_KNOB_JITTER], 0);
    assert_int_equal(scenario.knob[SIM_KNOB_WORK], 2);
    before = scenario;
    assert_int_equal(sim_scenario_change(&scenario, "", message, sizeof message), 0);
    static const char *const wrong[] = {"places",
                                        "places=",
                                        "places=0",
                                        "places=49",
                                        "places=3x",
                                        "place=3",
                                        "=3",
                                        "placess=3",
                                        "policy=99",
                                        "places=-1",
                                        "places=99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[100];
        snprintf(text, sizeof text, "%s jitter=5", wrong[i]);
        message[0] = '\0';
        if (sim_scenario_change(&scenario, text, message, sizeof message) != -1)
            fail_msg("'%s' was accepted", wrong[i]);
        snprintf(text, sizeof text, "'%s'", wrong[i]);
        if (!strstr(message, text))
            fail_msg("%s is not in: %s", text, message);
    }
    assert_memory_equal(&scenario, &before, sizeof scenario);
}

static void test_sim_campaign_scenario_repeats(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct sim_scenario scenario;
        char trouble[SIM_TROUBLE_MOST];
        struct sim_result first, again;
        sim_scenario_draw(&scenario, seed);
        assert_int_equal(sim_scenario_run(&scenario, NULL, trouble, &first), 0);
        assert_int_equal(sim_scenario_run(&scenario, NULL, trouble, &again), 0);
        assert_string_equal(trouble, "");
        assert_memory_equal(&first, &again, sizeof first);
    }
}

// ---- campaigns ----

static void run_campaign(struct sim_campaign *campaign)
{
    assert_int_equal(sim_campaign_run(campaign, NULL), 0);
    if (campaign->failed)
        fail_msg("twill sim campaign --seeds 1 --seed %llu: %s",
                 (unsigned long long)campaign->scenario.seed, campaign->trouble);
}

static void test_sim_campaign_finds_nothing_wrong(void **state)
{
    (void)state;
    struct sim_campaign campaign = {.first = 1, .count = (uint64_t)test_scaled(6000)};
    run_campaign(&campaign);
    assert_int_equal(campaign.done, campaign.count);
    assert_true(campaign.events > campaign.tasks && campaign.tasks > campaign.count);
}

// Several at a time find what one after the other finds.
static void test_sim_campaign_sums(void **state)
{
    (void)state;
    uint64_t events = 0, tasks = 0;
    struct sim_campaign campaign = {.first = 500, .count = 100, .change = "places=7 phases=2"};
    for (uint64_t seed = 500; seed < 600; seed++) {
        struct sim_scenario scenario;
        char trouble[SIM_TROUBLE_MOST];
        struct sim_result result;
        sim_scenario_draw(&scenario, seed);
        (void)sim_scenario_change(&scenario, campaign.change, message, sizeof message);
        assert_int_equal(sim_scenario_run(&scenario, NULL, trouble, &result), 0);
        events += result.events;
        tasks += result.answer.tasks;
    }
    run_campaign(&campaign);
    assert_int_equal(campaign.done, 100);
    assert_int_equal(campaign.events, events);
    assert_int_equal(campaign.tasks, tasks);
}

struct stopper {
    int stop;
    uint64_t calls, last, stop_at;
};

static void note_progress(void *self, uint64_t done, uint64_t count)
{
    struct stopper *stopper = self;
    (void)count;
    stopper->calls += done > stopper->last;
    stopper->last = done;
    TWI_STORE(&stopper->stop, done >= stopper->stop_at, TWI_RELAXED);
}

static void test_sim_campaign_stops(void **state)
{
    (void)state;
    struct stopper stopper = {.stop_at = 64};
    struct sim_campaign campaign = {.first = 1,
                                    .count = 100000,
                                    .stop = &stopper.stop,
                                    .progress = note_progress,
                                    .self = &stopper};
    run_campaign(&campaign);
    assert_in_range(campaign.done, 64, 5000);
    assert_true(stopper.calls >= 4);
}

// ---- sweeps ----

enum { SWEEP = 24 };

static struct sim_work *make_list(struct sim_options list[SWEEP], uint64_t tasks)
{
    struct sim_spread settings = {.tasks = tasks, .distribution = SIM_PARETO, .mean_ns = 5000};
    struct sim_work *work = sim_work_spread(&settings, message, sizeof message);
    for (uint64_t i = 0; i < SWEEP; i++) {
        list[i] = (struct sim_options){.work = work,
                                       .policy = twi_policies[i % 3],
                                       .detector = twi_detectors[i % 2],
                                       .seed = i / 3};
        assert_int_equal(sim_machine_read("hopper", &list[i].machine, message, sizeof message), 0);
        list[i].machine.places = 4 + (uint32_t)i;
        list[i].machine.workers = 2;
    }
    return work;
}

static void note_sweep(void *self, size_t done, size_t count)
{
    assert_int_equal(count, SWEEP);
    note_progress(self, done, count);
}

static void test_sim_campaign_sweep_is_as_one_by_one(void **state)
{
    (void)state;
    struct sim_options list[SWEEP];
    struct stopper stopper = {.stop_at = UINT64_MAX};
    struct sim_work *work = make_list(list, 500);
    struct sim_sweep sweep = {
        .options = list, .count = SWEEP, .progress = note_sweep, .self = &stopper};
    assert_int_equal(sim_sweep_run(&sweep, NULL), 0);
    assert_int_equal(stopper.calls, SWEEP);
    assert_int_equal(stopper.last, SWEEP);
    for (size_t i = 0; i < SWEEP; i++) {
        struct sim_result alone;
        assert_int_equal(sim_run(&list[i], &alone), 0);
        assert_int_equal(sweep.results[i].end, SIM_DONE);
        assert_int_equal(sweep.results[i].verdict, 1);
        assert_int_equal(sweep.results[i].trace_hash, alone.trace_hash);
        assert_int_equal(sweep.results[i].makespan_ns, alone.makespan_ns);
        free(alone.place);
    }
    sim_sweep_free(&sweep);
    work->destroy(work);
}

// The first ones of the list are those that are finished.
static void test_sim_campaign_sweep_keeps_what_is_finished(void **state)
{
    (void)state;
    struct sim_options list[SWEEP];
    struct stopper stopper = {.stop_at = 5};
    struct sim_work *work = make_list(list, 3000);
    for (size_t i = 0; i < SWEEP; i++)
        list[i].stop = &stopper.stop;
    struct sim_sweep sweep = {
        .options = list, .count = SWEEP, .progress = note_sweep, .self = &stopper};
    assert_int_equal(sim_sweep_run(&sweep, NULL), 0);
    size_t finished = 0, stopped = 0;
    for (size_t i = 0; i < SWEEP; i++) {
        finished += sweep.results[i].end == SIM_DONE && sweep.results[i].verdict == 1;
        stopped += sweep.results[i].end == SIM_STOPPED;
    }
    assert_int_equal(finished + stopped, SWEEP);
    assert_in_range(finished, 5, 7);
    sim_sweep_free(&sweep);
    struct sim_sweep nothing = {.options = list, .count = 0};
    assert_int_equal(sim_sweep_run(&nothing, NULL), 0);
    sim_sweep_free(&nothing);
    work->destroy(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sim_campaign_draws_everything),
        cmocka_unit_test(test_sim_campaign_changes_of_scenarios),
        cmocka_unit_test(test_sim_campaign_scenario_repeats),
        cmocka_unit_test(test_sim_campaign_finds_nothing_wrong),
        cmocka_unit_test(test_sim_campaign_sums),
        cmocka_unit_test(test_sim_campaign_stops),
        cmocka_unit_test(test_sim_campaign_sweep_is_as_one_by_one),
        cmocka_unit_test(test_sim_campaign_sweep_keeps_what_is_finished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

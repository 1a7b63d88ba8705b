// SPDX-License-Identifier: Apache-2.0
// One simulation: right answers, the same every time, whatever disturbs it.
// ctest: workers=1 timeout=240
#include "support.h"

#include <string.h>

#include "sim/check.h"
#include "sim/machine.h"
#include "sim/run.h"
#include "sim/works.h"
#include "steal/policies.h"
#include "steal/tree.h"

static char message[512];

enum { TREE_NODES = 16000 };

// Its answer is not known to the work itself, as it has no name.
static struct sim_work *tree_work(void)
{
    struct sim_uts settings = {
        .parameters = {.type = UTS_GEOMETRIC, .shape = UTS_FIXED, .depth = 6, .b0 = 4, .seed = 19},
        .node_ns = 700,
        .chunk = 2};
    return sim_work_uts(&settings, message, sizeof message);
}

static struct sim_work *spread_work(uint64_t tasks, enum sim_placement placement)
{
    struct sim_spread settings = {.tasks = tasks,
                                  .distribution = SIM_EXPONENTIAL,
                                  .mean_ns = 20000,
                                  .seed = 5,
                                  .placement = placement};
    return sim_work_spread(&settings, message, sizeof message);
}

static struct sim_work *queens_work(void)
{
    struct sim_nqueens settings = {.n = 8, .cutoff = 4, .node_ns = 300};
    return sim_work_nqueens(&settings, message, sizeof message);
}

static struct sim_options options_of(const struct sim_work *work, uint32_t places)
{
    struct sim_options options = {
        .work = work, .policy = twi_policies[0], .detector = twi_detectors[0], .seed = 1};
    assert_non_null(work);
    assert_int_equal(sim_machine_read("edison", &options.machine, message, sizeof message), 0);
    options.machine.places = places;
    options.machine.workers = 3;
    return options;
}

// Runs it under the checkers, which must have nothing to say; the answer must be right.
static struct sim_result run(struct sim_options options)
{
    struct sim_checks checks;
    struct sim_result result;
    assert_int_equal(sim_checks_init(&checks, &options), 0);
    options.checks = &checks;
    assert_int_equal(sim_run(&options, &result), 0);
    uint64_t tree_nodes = TREE_NODES * (options.phases ? options.phases : 1);
    int right = result.verdict == 1 || (result.verdict < 0 && result.answer.nodes == tree_nodes);
    if (checks.trouble[0] || result.end != SIM_DONE || !right)
        fail_msg("%s, %s, %u places, seed %llu: %s, verdict %d, %llu nodes: %s",
                 options.policy->name, options.detector->name, options.machine.places,
                 (unsigned long long)options.seed, sim_end_name(result.end), result.verdict,
                 (unsigned long long)result.answer.nodes, checks.trouble);
    sim_checks_destroy(&checks, &options);
    free(result.place);
    result.place = NULL;
    return result;
}

static void with_every_machine(struct sim_options options)
{
    for (const struct twi_machine *const *policy = twi_policies; *policy; policy++)
        for (const struct twi_machine *const *detector = twi_detectors; *detector; detector++) {
            options.policy = *policy;
            options.detector = *detector;
            (void)run(options);
        }
}

// ---- determinism ----

static void test_sim_run_is_the_same_every_time(void **state)
{
    (void)state;
    struct sim_work *work = tree_work();
    struct sim_options options = options_of(work, 16);
    options.jitter_ns = 3000;
    for (const struct twi_machine *const *policy = twi_policies; *policy; policy++) {
        uint64_t hashes[8], first_ns = 0, differ_ns = 0;
        options.policy = *policy;
        for (uint64_t seed = 0; seed < 8; seed++) {
            options.seed = seed;
            struct sim_result first = run(options), again = run(options);
            assert_memory_equal(&first, &again, sizeof first);
            hashes[seed] = first.trace_hash;
            first_ns = seed ? first_ns : first.makespan_ns;
            differ_ns |= first.makespan_ns ^ first_ns; // the seed is not only in the hash
            for (uint64_t other = 0; other < seed; other++)
                assert_int_not_equal(hashes[seed], hashes[other]);
        }
        assert_int_not_equal(differ_ns, 0);
    }
    work->destroy(work);
}

struct golden {
    const struct twi_machine *policy, *detector;
    uint64_t hash;
};

// On every machine and with every compiler. Who changes what happens changes these on purpose.
static const struct golden goldens[] = {
    {&twi_policy_adaptive, &twi_scopes, 0xe1088a10b70635ee},
    {&twi_policy_success_only, &twi_waves, 0x8bf12f86bdd9d07f},
    {&twi_policy_success_only_acyclic, &twi_scopes, 0x95b373af1f39107d},
    {&twi_policy_baseline, &twi_waves, 0x2ed42354d6539e53},
    {&twi_policy_lifeline, &twi_scopes, 0x1af30017a856ea7f},
    {&twi_policy_random, &twi_waves, 0x2ff68a36f63f611b},
};

static void test_sim_run_hashes_are_those_of_always(void **state)
{
    (void)state;
    struct sim_work *work = tree_work();
    struct sim_options options = options_of(work, 20);
    int others = 0;
    options.jitter_ns = 1000;
    options.phases = 2;
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        options.policy = goldens[i].policy;
        options.detector = goldens[i].detector;
        struct sim_result result = run(options);
        if (result.trace_hash == goldens[i].hash)
            continue;
        fprintf(stderr, "%s, %s: 0x%016llx instead of 0x%016llx\n", goldens[i].policy->name,
                    goldens[i].detector->name, (unsigned long long)result.trace_hash,
                    (unsigned long long)goldens[i].hash);
        others++;
    }
    assert_int_equal(others, 0);
    work->destroy(work);
}

// ---- sizes ----

static void test_sim_run_every_machine_on_some_places(void **state)
{
    (void)state;
    const uint32_t places[] = {1, 2, 3, 64};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct sim_work *works[] = {tree_work(), queens_work(), spread_work(300, SIM_AT_RANDOM)};
        for (size_t w = 0; w < sizeof works / sizeof *works; w++) {
            with_every_machine(options_of(works[w], places[i]));
            works[w]->destroy(works[w]);
        }
    }
}

static void test_sim_run_little_work(void **state)
{
    (void)state;
    for (uint64_t tasks = 0; tasks <= 9; tasks += 3) { // fewer than places, or none
        struct sim_work *work = spread_work(tasks, SIM_AT_RANDOM);
        struct sim_options options = options_of(work, 30);
        options.phases = 3;
        assert_int_equal(run(options).answer.tasks, 3 * tasks);
        with_every_machine(options);
        work->destroy(work);
    }
}

static void test_sim_run_one_place_alone(void **state)
{
    (void)state;
    struct sim_work *work = spread_work(100, SIM_ALL_ON_ONE);
    struct sim_options options = options_of(work, 1);
    options.machine.workers = 1;
    struct sim_result result = run(options);
    assert_int_equal(result.work_ns, work->total_ns(work));
    assert_int_equal(result.sum.host.packets, 0);
    assert_int_equal(result.sum.tasks, 100);
    assert_int_equal(result.sum.busy_ns, result.work_ns + 100 * options.machine.task_ns);
    assert_int_equal(result.last_task_ns, result.sum.busy_ns + options.machine.wake_ns);
    assert_in_range(result.makespan_ns, result.last_task_ns,
                    result.last_task_ns + 2 * options.machine.poll_ns);
    work->destroy(work);
}

static void test_sim_run_fewer_lifelines(void **state)
{
    (void)state;
    struct sim_work *work = tree_work();
    struct sim_options options = options_of(work, 16);
    options.policy = &twi_policy_lifeline;
    uint64_t all = run(options).sum.steals.requests;
    options.rules.lifelines = 1;
    assert_true(run(options).sum.steals.requests < all);
    work->destroy(work);
}

static void test_sim_run_ten_thousand_places(void **state)
{
    (void)state;
    struct sim_work *work = spread_work(30000, SIM_ALL_ON_ONE);
    struct sim_options options = options_of(work, 10000);
    options.machine.workers = 8;
    struct sim_result result = run(options);
    assert_true(result.bytes < UINT64_C(10000) * 9 * 1024); // 1 KB a core
    work->destroy(work);
}

// ---- phases, and what disturbs ----

static void test_sim_run_phases_follow_each_other(void **state)
{
    (void)state;
    struct sim_work *work = tree_work();
    struct sim_options options = options_of(work, 12);
    options.jitter_ns = 5000;
    struct sim_result one = run(options);
    options.phases = SIM_PHASES_MOST;
    struct sim_result all = run(options);
    assert_int_equal(all.answer.nodes, SIM_PHASES_MOST * one.answer.nodes);
    assert_int_equal(all.work_ns, SIM_PHASES_MOST * one.work_ns);
    assert_true(all.makespan_ns > (SIM_PHASES_MOST - 1) * one.makespan_ns / 2);
    with_every_machine(options);
    work->destroy(work);
}

static void test_sim_run_slow_places_are_later(void **state)
{
    (void)state;
    struct sim_work *work = spread_work(400, SIM_IN_BLOCKS);
    struct sim_options options = options_of(work, 4);
    uint64_t usual = run(options).makespan_ns;
    options.slow[0] = (struct sim_slow){1, 64};
    options.slow[3] = (struct sim_slow){2, 64};
    struct sim_result slow = run(options);
    assert_true(slow.makespan_ns > usual + usual / 4);
    assert_true(slow.makespan_ns < 4 * usual); // others take some of it
    with_every_machine(options);
    work->destroy(work);
}

static void test_sim_run_stalls_are_later(void **state)
{
    (void)state;
    struct sim_work *work = spread_work(400, SIM_IN_BLOCKS);
    struct sim_options options = options_of(work, 4);
    uint64_t usual = run(options).makespan_ns, long_ns = 10 * usual;
    options.stalls[2] = (struct sim_stall){3, usual / 2, long_ns};
    struct sim_result stalled = run(options);
    assert_in_range(stalled.makespan_ns, usual / 2 + long_ns, 2 * usual + long_ns);
    options.stalls[5] = (struct sim_stall){3, usual, long_ns}; // after the other: it cannot begin
    assert_true(run(options).makespan_ns >= usual / 2 + 2 * long_ns);
    options.stalls[0] = (struct sim_stall){0, 1, usual / 4};
    with_every_machine(options);
    options.machine.dedicated = 0;
    with_every_machine(options);
    work->destroy(work);
}

// ---- ends that are none ----

static void test_sim_run_stops(void **state)
{
    (void)state;
    int stop = 1;
    struct sim_work *work = spread_work(20000, SIM_ALL_ON_ONE);
    struct sim_options options = options_of(work, 16);
    struct sim_result result;
    options.stop = &stop;
    assert_int_equal(sim_run(&options, &result), 0);
    assert_int_equal(result.end, SIM_STOPPED);
    assert_int_equal(result.verdict, -1);
    assert_true(result.answer.tasks < 20000);
    free(result.place);
    options.stop = NULL;
    options.events_most = 1000;
    assert_int_equal(sim_run(&options, &result), 0);
    assert_int_equal(result.end, SIM_ENDLESS);
    assert_in_range(result.events, 1000, 1001);
    free(result.place);
    assert_string_equal(sim_end_name(SIM_DONE), "done");
    assert_string_equal(sim_end_name(SIM_STUCK), "stuck");
    work->destroy(work);
}

// A detector that hears nothing tells nothing.
static void deaf_step(void *state, const struct twi_event *event, struct twi_actions *actions)
{
    if (event->kind != TWI_ON_MESSAGE)
        twi_scopes.step(state, event, actions);
}

static void test_sim_run_gets_stuck(void **state)
{
    (void)state;
    struct twi_machine deaf = twi_scopes;
    deaf.step = deaf_step;
    struct sim_work *work = spread_work(10, SIM_IN_BLOCKS);
    struct sim_options options = options_of(work, 3);
    struct sim_result result;
    options.policy = &twi_policy_lifeline; // which has no timers
    options.detector = &deaf;
    assert_int_equal(sim_run(&options, &result), 0);
    assert_int_equal(result.end, SIM_STUCK);
    assert_int_equal(result.answer.tasks, 10);
    free(result.place);
    work->destroy(work);
}

// ---- statistics ----

static void test_sim_run_sums_are_those_of_the_places(void **state)
{
    (void)state;
    struct sim_work *work = tree_work();
    struct sim_options options = options_of(work, 24);
    for (const struct twi_machine *const *policy = twi_policies; *policy; policy++) {
        struct sim_result result;
        uint64_t tasks = 0, steals = 0, victims = 0;
        options.policy = *policy;
        assert_int_equal(sim_run(&options, &result), 0);
        for (uint32_t i = 0; i < 24; i++) {
            tasks += result.place[i].tasks;
            steals += result.place[i].steals.steals;
            for (int v = 0; v <= TWI_VICTIMS_MOST; v++)
                victims += result.place[i].steals.victims[v];
        }
        assert_int_equal(result.sum.tasks, tasks);
        assert_int_equal(result.sum.tasks, result.answer.tasks);
        assert_int_equal(result.sum.steals.steals, steals);
        assert_true(steals > 0 && victims > 0 && victims <= steals);
        assert_int_equal(result.sum.host.tasks_got, result.sum.host.tasks_given);
        assert_true(result.sum.host.tasks_got >= steals);
        assert_true(result.sum.host.bytes >= result.sum.host.packets * sizeof(struct twi_packet) +
                                                 result.sum.host.tasks_given * work->task_size);
        assert_int_equal(result.sum.host.late, 0);
        free(result.place);
    }
    work->destroy(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sim_run_is_the_same_every_time),
        cmocka_unit_test(test_sim_run_hashes_are_those_of_always),
        cmocka_unit_test(test_sim_run_every_machine_on_some_places),
        cmocka_unit_test(test_sim_run_little_work),
        cmocka_unit_test(test_sim_run_one_place_alone),
        cmocka_unit_test(test_sim_run_fewer_lifelines),
        cmocka_unit_test(test_sim_run_ten_thousand_places),
        cmocka_unit_test(test_sim_run_phases_follow_each_other),
        cmocka_unit_test(test_sim_run_slow_places_are_later),
        cmocka_unit_test(test_sim_run_stalls_are_later),
        cmocka_unit_test(test_sim_run_stops),
        cmocka_unit_test(test_sim_run_gets_stuck),
        cmocka_unit_test(test_sim_run_sums_are_those_of_the_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Places that share the cores of a host, whose communication workers sleep.
// ctest: workers=1
#include "support.h"

#include "sim/check.h"
#include "sim/machine.h"
#include "sim/run.h"
#include "sim/works.h"
#include "steal/policies.h"

enum { TASKS = 800, TASK_NS = 1000000 };

static const struct twi_sim_machine host = {.name = "host",
                                            .places = 4,
                                            .workers = 1,
                                            .dedicated = 1,
                                            .latency_ns = 300,
                                            .overhead_ns = 1000,
                                            .gap_ns = 100,
                                            .gap_ps_per_byte = 100,
                                            .read_ns = 200,
                                            .poll_ns = 2000,
                                            .notice_ns = 30000,
                                            .notice_busy_ns = 300000,
                                            .wake_ns = 20000};

static struct sim_work *even_work(void)
{
    char message[256];
    struct sim_spread settings = {.tasks = TASKS,
                                  .distribution = SIM_CONSTANT,
                                  .mean_ns = TASK_NS,
                                  .seed = 1,
                                  .placement = SIM_IN_BLOCKS};
    return sim_work_spread(&settings, message, sizeof message);
}

static struct sim_result run(const struct twi_sim_machine *machine,
                             const struct twi_machine *policy, const struct twi_machine *detector)
{
    struct sim_work *work = even_work();
    struct sim_options options = {.machine = *machine,
                                  .work = work,
                                  .policy = policy,
                                  .detector = detector,
                                  .seed = 1,
                                  .is_live = true};
    struct sim_checks checks;
    struct sim_result result;
    assert_int_equal(sim_checks_init(&checks, &options), 0);
    options.checks = &checks;
    assert_int_equal(sim_run(&options, &result), 0);
    if (checks.trouble[0] || result.end != SIM_DONE || result.verdict != 1)
        fail_msg("%s, %s, %u cores: %s: %s", policy->name, detector->name, machine->cores,
                 sim_end_name(result.end), checks.trouble);
    sim_checks_destroy(&checks, &options);
    free(result.place);
    work->destroy(work);
    return result;
}

static uint64_t makespan_with(uint32_t cores)
{
    struct twi_sim_machine machine = host;
    machine.cores = cores;
    return run(&machine, twi_policies[0], twi_detectors[0]).makespan_ns;
}

static void check_about(uint64_t is_ns, uint64_t about_ns)
{
    if (is_ns < about_ns - about_ns / 50 || is_ns > about_ns + about_ns / 20)
        fail_msg("%llu ns instead of about %llu", (unsigned long long)is_ns,
                 (unsigned long long)about_ns);
}

static void test_sim_cores_are_shared(void **state)
{
    (void)state;
    const uint64_t work_ns = (uint64_t)TASKS * TASK_NS;
    check_about(makespan_with(1), work_ns);
    check_about(makespan_with(2), work_ns / 2);
    check_about(makespan_with(3), work_ns / 3);
    check_about(makespan_with(4), work_ns / 4);
    check_about(makespan_with(0), work_ns / 4);
    check_about(makespan_with(64), work_ns / 4);
}

// One place on one core of several has that to itself.
static void test_sim_cores_one_worker_has_one(void **state)
{
    (void)state;
    struct twi_sim_machine machine = host;
    machine.places = 1;
    machine.cores = 3;
    check_about(run(&machine, twi_policies[0], twi_detectors[0]).makespan_ns,
                (uint64_t)TASKS * TASK_NS);
}

static void test_sim_cores_every_machine(void **state)
{
    (void)state;
    struct twi_sim_machine machine = host;
    machine.places = 7;
    for (machine.cores = 1; machine.cores <= 8; machine.cores += 7)
        for (const struct twi_machine *const *policy = twi_policies; *policy; policy++)
            for (const struct twi_machine *const *detector = twi_detectors; *detector; detector++)
                (void)run(&machine, *policy, *detector);
}

static void test_sim_cores_same_every_time(void **state)
{
    (void)state;
    struct twi_sim_machine machine = host;
    machine.cores = 3;
    struct sim_result first = run(&machine, twi_policies[0], twi_detectors[0]);
    struct sim_result again = run(&machine, twi_policies[0], twi_detectors[0]);
    assert_int_equal(first.trace_hash, again.trace_hash);
    assert_int_equal(first.makespan_ns, again.makespan_ns);
}

// Communication takes from those that compute, where no core is free.
static void test_sim_cores_communication_costs(void **state)
{
    (void)state;
    struct twi_sim_machine machine = host;
    machine.cores = 1;
    machine.places = 1;
    uint64_t alone_ns = run(&machine, twi_policies[0], twi_detectors[0]).makespan_ns;
    machine.places = 4;
    machine.overhead_ns = 50000;
    struct sim_result dear = run(&machine, twi_policies[0], twi_detectors[0]);
    uint64_t spent_ns = dear.sum.host.packets * 2 * machine.overhead_ns;
    assert_true(dear.sum.host.packets > 0);
    assert_true(dear.makespan_ns > alone_ns + spent_ns / 2);
}

// A place that sleeps notices later where all cores are busy.
static void test_sim_cores_busy_notice(void **state)
{
    (void)state;
    struct twi_sim_machine machine = host;
    machine.cores = 4;
    machine.notice_busy_ns = 30000000;
    uint64_t free_ns = run(&machine, &twi_policy_random, twi_detectors[0]).makespan_ns;
    machine.cores = 1;
    uint64_t busy_ns = run(&machine, &twi_policy_random, twi_detectors[0]).makespan_ns;
    assert_true(busy_ns > 3 * free_ns);
}

static void test_sim_cores_start_is_added(void **state)
{
    (void)state;
    struct twi_sim_machine machine = host;
    uint64_t bare_ns = run(&machine, twi_policies[0], twi_detectors[0]).makespan_ns;
    machine.start_ns = 5000;
    machine.start_place_ns = 70;
    assert_int_equal(run(&machine, twi_policies[0], twi_detectors[0]).makespan_ns,
                     bare_ns + 5000 + 4 * 70);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sim_cores_are_shared),
        cmocka_unit_test(test_sim_cores_one_worker_has_one),
        cmocka_unit_test(test_sim_cores_every_machine),
        cmocka_unit_test(test_sim_cores_same_every_time),
        cmocka_unit_test(test_sim_cores_communication_costs),
        cmocka_unit_test(test_sim_cores_busy_notice),
        cmocka_unit_test(test_sim_cores_start_is_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// Collections of tasks on simulated cores: costs, starts, one run, iterations of it.
#include "support.h"

#include <string.h>

#include "base/rng.h"
#include "sim/iterate.h"
#include "sim/machine.h"
#include "sim/phase.h"
#include "sim/rebalancer.h"
#include "sim/table3.h"
#include "sim/units.h"

static char message[512];

// ---- costs ----

static void test_costs_of_a_file(void **state)
{
    struct sim_costs costs;
    (void)state;
    assert_int_equal(sim_costs_parse(&costs, "a", "# costs\n5\n7 # seven\n\n12 20\n13\t1\n",
                                     message, sizeof message),
                     0);
    assert_int_equal(costs.tasks, 4);
    assert_int_equal(costs.all, 14);
    assert_int_equal(costs.index[1], 1);
    assert_int_equal(costs.index[2], 12);
    assert_int_equal(costs.cost_ns[2], 20);
    assert_int_equal(costs.sum_ns, 33);
    assert_int_equal(costs.longest_ns, 20);
    sim_costs_free(&costs);
    assert_int_equal(sim_costs_parse(&costs, "a", "3 5\nall 100\n", message, sizeof message), 0);
    assert_int_equal(costs.all, 100);
    sim_costs_free(&costs);
}

static void refuse(const char *text, const char *complaint)
{
    struct sim_costs costs;
    assert_int_equal(sim_costs_parse(&costs, "a", text, message, sizeof message), -1);
    if (!strstr(message, complaint))
        fail_msg("'%s' instead of '%s'", message, complaint);
}

static void test_costs_of_a_file_with_errors(void **state)
{
    struct sim_costs costs;
    (void)state;
    refuse("", "the file ends without a cost");
    refuse("5\n3.5\n", "a:2: '3.5' is no cost");
    refuse("0\n", "'0' is no cost");
    refuse("2000000000000\n", "is no cost");
    refuse("4 5\n3 5\n", "a:2: '3' is no index");
    refuse("x 5\n", "'x' is no index");
    refuse("all many\n5\n", "a:1: 'many' is no number of tasks");
    refuse("7 5\nall 7\n", "beyond 'all 7'");
    assert_int_equal(sim_costs_open(&costs, "./no/such/file", message, sizeof message), -1);
    assert_non_null(strstr(message, "./no/such/file"));
}

static void test_costs_of_hartree_fock(void **state)
{
    struct sim_costs costs;
    (void)state;
    assert_int_equal(sim_costs_open(&costs, "hf-be256", message, sizeof message), 0);
    assert_int_equal(costs.tasks, 213144);
    assert_int_equal(costs.all, 84934656);
    assert_int_equal(costs.sum_ns, 256000000 * UINT64_C(213144) + 1790 * UINT64_C(33756943796));
    assert_int_equal(costs.longest_ns, 256000000 + 1790 * UINT64_C(1626072));
    assert_int_equal(costs.index[0], 0);
    assert_int_equal(costs.index[213143], costs.all - 1);
    sim_costs_free(&costs);
}

static struct sim_costs spread(uint64_t tasks, enum sim_distribution distribution)
{
    struct sim_spread settings = {
        .tasks = tasks, .distribution = distribution, .mean_ns = 100000000, .seed = 1};
    struct sim_costs costs;
    assert_int_equal(sim_costs_spread(&costs, &settings, message, sizeof message), 0);
    return costs;
}

// ---- starts ----

static void test_lists_in_blocks(void **state)
{
    struct sim_costs costs;
    struct sim_lists lists;
    (void)state;
    sim_costs_init(&costs, "some");
    for (uint64_t index = 0; index < 100; index += index < 50 ? 1 : 10)
        sim_costs_add(&costs, index, 1);
    costs.all = 100;
    assert_int_equal(sim_lists_blocks(&lists, &costs, 4), 0);
    const uint32_t first[] = {0, 25, 50, 53, 55};
    assert_memory_equal(lists.first, first, sizeof first);
    sim_lists_free(&lists);
    sim_costs_free(&costs);
}

static void test_lists_dealt_out(void **state)
{
    struct sim_costs costs;
    struct sim_lists lists;
    (void)state;
    sim_costs_init(&costs, "some");
    for (uint64_t i = 0; i < 10; i++)
        sim_costs_add(&costs, i, i + 1);
    assert_int_equal(sim_lists_deal(&lists, &costs, 3, 2, 2), 0); // shares of 2, 1, 2
    const uint32_t first[] = {0, 4, 6, 10}, task[] = {9, 8, 4, 3, 7, 2, 6, 5, 1, 0};
    assert_memory_equal(lists.first, first, sizeof first);
    assert_memory_equal(lists.task, task, sizeof task);
    assert_int_equal(sim_lists_most(&lists, costs.cost_ns), 28);
    sim_lists_free(&lists);
    sim_costs_free(&costs);
}

static void check_units(const struct sim_costs *costs, uint32_t cores)
{
    struct sim_units units;
    struct sim_lists blocks;
    uint64_t nulls = 0;
    assert_int_equal(sim_units_make(&units, costs, cores), 0);
    assert_int_equal(sim_lists_blocks(&blocks, costs, cores), 0);
    for (uint32_t core = 0; core < cores; core++) {
        uint32_t tasks = 0;
        uint64_t all = 0;
        for (uint32_t i = units.lists.first[core]; i < units.lists.first[core + 1]; i++) {
            uint32_t unit = units.lists.task[i];
            bool is_null = unit >= costs->tasks;
            tasks += !is_null;
            all += is_null ? units.nulls[unit - costs->tasks] : 1;
        }
        assert_int_equal(tasks, blocks.first[core + 1] - blocks.first[core]);
        assert_in_range(all, costs->all / cores, costs->all / cores + 1);
        nulls += all - tasks;
    }
    assert_int_equal(nulls, costs->all - costs->tasks);
    sim_lists_free(&blocks);
    sim_units_free(&units);
}

static void test_units_are_all_tasks_in_blocks(void **state)
{
    struct twi_rng rng = {1};
    (void)state;
    for (int round = 0; round < 200; round++) {
        struct sim_costs costs;
        uint64_t index = 0;
        sim_costs_init(&costs, "some");
        for (uint32_t i = 1 + twi_rng_below(&rng, 50); i > 0; i--) {
            index += twi_rng_below(&rng, 2) ? 0 : twi_rng_below(&rng, 2000);
            sim_costs_add(&costs, index++, 1);
        }
        costs.all += twi_rng_below(&rng, 300);
        check_units(&costs, 1 + twi_rng_below(&rng, 20));
        sim_costs_free(&costs);
    }
}

// ---- one run ----

static struct sim_phase run(const struct sim_costs *costs, uint32_t cores, bool is_stealing,
                            uint32_t alone, uint64_t seed)
{
    struct sim_lists lists;
    struct sim_phase phase;
    assert_int_equal(sim_lists_deal(&lists, costs, cores, cores, 5), 0);
    struct sim_phase_options options = {.start = &lists,
                                        .cost_ns = costs->cost_ns,
                                        .is_stealing = is_stealing,
                                        .attempt_ns = 500000,
                                        .alone = alone,
                                        .seed = seed};
    assert_int_equal(sim_phase_run(&phase, &options), 0);
    if (!is_stealing)
        assert_int_equal(phase.makespan_ns, sim_lists_most(&lists, costs->cost_ns));
    sim_lists_free(&lists);
    return phase;
}

static void check_phase(const struct sim_costs *costs, const struct sim_phase *phase)
{
    unsigned char *ran = calloc(costs->tasks + 1, 1);
    uint64_t work = 0, busy = 0;
    for (uint32_t i = 0; i < costs->tasks; i++) {
        assert_true(phase->core[i] < phase->cores);
        assert_int_equal(ran[phase->task[i]]++, 0);
    }
    for (uint32_t i = 0; i < phase->cores; i++)
        work += phase->of[i].load_ns;
    for (int i = 0; i < SIM_USAGE_MOST; i++)
        busy += phase->usage.busy_ns[i];
    assert_int_equal(work, costs->sum_ns);
    assert_int_equal(busy, costs->sum_ns);
    free(ran);
}

static void test_phase_runs_each_task_once(void **state)
{
    (void)state;
    for (uint32_t cores = 1; cores < 300; cores = cores * 2 + 1)
        for (int distribution = SIM_CONSTANT; distribution <= SIM_BIMODAL; distribution++) {
            struct sim_costs costs = spread(500, (enum sim_distribution)distribution);
            struct sim_phase none = run(&costs, cores, false, 0, 1);
            struct sim_phase stealing = run(&costs, cores, true, 0, 1);
            check_phase(&costs, &none);
            check_phase(&costs, &stealing);
            assert_true(stealing.makespan_ns >= costs.sum_ns / cores);
            sim_phase_free(&none);
            sim_phase_free(&stealing);
            sim_costs_free(&costs);
        }
}

static void test_phase_of_no_tasks(void **state)
{
    uint32_t first[5] = {0};
    struct sim_lists lists = {.cores = 4, .first = first};
    struct sim_phase_options options = {.start = &lists, .is_stealing = true, .attempt_ns = 100};
    struct sim_phase phase;
    (void)state;
    assert_int_equal(sim_phase_run(&phase, &options), 0);
    assert_int_equal(phase.makespan_ns, 0);
    sim_phase_free(&phase);
}

struct sums {
    double makespan, attempts, steals;
};

static struct sums sum_up(const struct sim_costs *costs, uint32_t alone)
{
    struct sums sums = {0};
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct sim_phase phase = run(costs, 50, true, alone, seed);
        sums.makespan += (double)phase.makespan_ns;
        for (uint32_t i = 0; i < phase.cores; i++) {
            sums.attempts += phase.of[i].attempts;
            sums.steals += phase.of[i].steals;
        }
        sim_phase_free(&phase);
    }
    return sums;
}

static void near(double a, double b, double part)
{
    if (a < b * (1 - part) || a > b * (1 + part))
        fail_msg("%g instead of %g", a, b);
}

// Attempts that are counted by time come to the same as those that are simulated one by one.
static void test_phase_batched_attempts_are_like_single_ones(void **state)
{
    struct sim_costs costs = spread(1000, SIM_PARETO);
    struct sums all = sum_up(&costs, UINT32_MAX), few = sum_up(&costs, 1);
    (void)state;
    near(few.makespan, all.makespan, 0.05);
    near(few.attempts, all.attempts, 0.1);
    near(few.steals, all.steals, 0.1);
    sim_costs_free(&costs);
}

// ---- iterations ----

static int iterate(const struct sim_costs *costs, enum sim_scheme scheme, uint32_t shift,
                   struct sim_iteration *results)
{
    struct twi_sim_machine machine;
    assert_int_equal(sim_machine_read("hopper", &machine, message, sizeof message), 0);
    struct sim_iterate settings = {.costs = costs,
                                   .machine = &machine,
                                   .scheme = scheme,
                                   .cores = 100,
                                   .iterations = 10,
                                   .attempt_ns = 500000,
                                   .null_ns = 1000000,
                                   .shift = shift,
                                   .seed = 1,
                                   .rules = TWI_BALANCE_RULES};
    return sim_iterate(&settings, results);
}

// Costs that rise with the index, with null tasks among them: blocks are uneven.
static struct sim_costs rising(void)
{
    struct sim_costs costs;
    sim_costs_init(&costs, "rising");
    for (uint64_t i = 0; i < 2000; i++)
        sim_costs_add(&costs, 10 * i, 1000000 + 6 * i * i);
    return costs;
}

static void test_iterate_is_the_same_each_time(void **state)
{
    struct sim_costs costs = rising();
    struct sim_iteration a[11], b[11];
    (void)state;
    for (int scheme = 0; scheme < SIM_SCHEMES; scheme++) {
        assert_int_equal(iterate(&costs, (enum sim_scheme)scheme, 0, a), 11);
        assert_int_equal(iterate(&costs, (enum sim_scheme)scheme, 0, b), 11);
        for (int i = 0; i < 11; i++) {
            assert_int_equal(a[i].number, i);
            assert_int_equal(a[i].makespan_ns, b[i].makespan_ns);
            assert_int_equal(a[i].events, b[i].events);
            assert_true(a[i].attempts.mean == b[i].attempts.mean);
            bool is_all = i == 0 || scheme == SIM_SCHEME_STEAL_ALL;
            assert_int_equal(a[i].work_ns, costs.sum_ns + (is_all ? UINT64_C(17991000000) : 0));
        }
    }
    sim_costs_free(&costs);
}

static void test_iterate_schemes_differ_as_they_should(void **state)
{
    struct sim_costs costs = rising();
    struct sim_iteration results[SIM_SCHEMES][11];
    (void)state;
    for (int scheme = 0; scheme < SIM_SCHEMES; scheme++)
        assert_int_equal(iterate(&costs, (enum sim_scheme)scheme, 0, results[scheme]), 11);
    const struct sim_iteration *none = results[SIM_SCHEME_NONE];
    const struct sim_iteration *steal = results[SIM_SCHEME_STEAL];
    const struct sim_iteration *retentive = results[SIM_SCHEME_RETENTIVE];
    assert_true(none[10].makespan_ns > 2 * steal[10].makespan_ns);
    assert_true(none[10].attempts.mean == 0);
    assert_true(retentive[10].steals.mean < steal[10].steals.mean / 2);
    assert_true(retentive[10].makespan_ns <= steal[10].makespan_ns);
    for (int scheme = SIM_SCHEME_PERSIST_CENTRAL; scheme <= SIM_SCHEME_PERSIST_TREE; scheme++) {
        const struct sim_iteration *persist = results[scheme];
        assert_true(persist[1].is_stealing && !persist[2].is_stealing && !persist[3].is_stealing);
        assert_true(!persist[2].is_rebalanced && persist[3].is_rebalanced);
        assert_true(persist[3].makespan_ns < persist[2].makespan_ns);
    }
    for (int i = 3; i <= 10; i++)
        for (int scheme = 0; scheme < SIM_SCHEME_AUTO; scheme++)
            assert_true((double)results[SIM_SCHEME_AUTO][i].makespan_ns <
                        1.02 * (double)results[scheme][i].makespan_ns);
    sim_costs_free(&costs);
}

// Of a few cores up to a thousand, with more tasks or fewer, under every scheme: what runs in an
// iteration is what there is, each task once.
static void test_iterate_conserves_tasks(void **state)
{
    struct twi_sim_machine machine;
    int seeds = test_scaled(2100);
    (void)state;
    assert_int_equal(sim_machine_read("hopper", &machine, message, sizeof message), 0);
    for (uint64_t seed = 0; seed < (uint64_t)seeds; seed++) {
        struct twi_rng rng = {seed};
        struct sim_costs costs;
        struct sim_iteration results[5];
        uint32_t tasks = 1 + twi_rng_below(&rng, 700);
        uint64_t expected = 0;
        sim_costs_init(&costs, "random");
        for (uint32_t i = 0; i < tasks; i++) {
            sim_costs_add(&costs, i, 1 + twi_rng_below(&rng, 10000000));
            expected += twi_rng_next(&(struct twi_rng){i});
        }
        struct sim_iterate settings = {.costs = &costs,
                                       .machine = &machine,
                                       .scheme = (enum sim_scheme)(seed % SIM_SCHEMES),
                                       .cores = 1 + twi_rng_below(&rng, 1000),
                                       .iterations = 5,
                                       .attempt_ns = 500000,
                                       .shift = twi_rng_below(&rng, 5),
                                       .seed = seed,
                                       .rules = TWI_BALANCE_RULES};
        assert_int_equal(sim_iterate(&settings, results), 5);
        for (int i = 0; i < 5; i++)
            if (results[i].fingerprint != expected)
                fail_msg("seed %d, iteration %d of %s: other tasks ran", (int)seed, i + 1,
                         sim_scheme_names[settings.scheme]);
        sim_costs_free(&costs);
    }
}

// The expensive tasks become cheap and the others expensive: auto is as good again two iterations
// later, and rebalances seldom otherwise.
static void test_iterate_auto_adapts_to_a_shift(void **state)
{
    struct sim_costs costs = rising();
    struct sim_iteration results[11];
    int rebalances = 0;
    (void)state;
    assert_int_equal(iterate(&costs, SIM_SCHEME_AUTO, 6, results), 11);
    near((double)results[8].makespan_ns, (double)results[5].makespan_ns, 0.02);
    assert_true(results[6].makespan_ns > results[5].makespan_ns);
    for (int i = 0; i < 11; i++)
        rebalances += results[i].is_rebalanced;
    assert_in_range(rebalances, 2, 5);
    sim_costs_free(&costs);
}

// ---- table 3 ----

static void test_table3_has_what_the_paper_has(void **state)
{
    const struct sim_printed *printed = sim_table3_printed(38400, 2, 8);
    (void)state;
    assert_non_null(printed);
    assert_true(printed->over[SIM_TREE] == 18 && printed->seconds[SIM_CENTRAL] == 45.2);
    assert_null(sim_table3_printed(38400, 3, 8));
    assert_null(sim_table3_printed(38401, 2, 8));
}

static void test_table3_cells_become_even(void **state)
{
    struct sim_costs costs = spread(20000, SIM_EXPONENTIAL);
    struct twi_balance_rules rules = TWI_BALANCE_RULES;
    (void)state;
    for (int row = 0; row < SIM_TABLE3_ROWS; row++) {
        struct sim_cell cell = {
            .cores = 240, .every = sim_table3_starts[row][0], .share = sim_table3_starts[row][1]};
        assert_int_equal(sim_cell_fill(&cell, &costs, &rules), 0);
        assert_true(cell.start > 100);
        for (int i = 0; i < SIM_BOTH; i++)
            assert_true(cell.over[i] >= 0 && cell.over[i] < 10);
    }
    sim_costs_free(&costs);
}

static void test_rebalancer_makes_the_same_plan_again(void **state)
{
    struct sim_rebalancer *rebalancer = sim_rebalancer_make(1000, 10000, 1);
    (void)state;
    assert_non_null(rebalancer);
    uint32_t moved = sim_rebalancer_run(rebalancer);
    assert_in_range(moved, 1000, 10000);
    assert_int_equal(sim_rebalancer_run(rebalancer), moved);
    assert_true(sim_rebalancer_check(rebalancer));
    assert_true(sim_rebalancer_durations(rebalancer)[9999] > 0);
    sim_rebalancer_free(rebalancer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_costs_of_a_file),
        cmocka_unit_test(test_costs_of_a_file_with_errors),
        cmocka_unit_test(test_costs_of_hartree_fock),
        cmocka_unit_test(test_lists_in_blocks),
        cmocka_unit_test(test_lists_dealt_out),
        cmocka_unit_test(test_units_are_all_tasks_in_blocks),
        cmocka_unit_test(test_phase_runs_each_task_once),
        cmocka_unit_test(test_phase_of_no_tasks),
        cmocka_unit_test(test_phase_batched_attempts_are_like_single_ones),
        cmocka_unit_test(test_iterate_is_the_same_each_time),
        cmocka_unit_test(test_iterate_schemes_differ_as_they_should),
        cmocka_unit_test(test_iterate_conserves_tasks),
        cmocka_unit_test(test_iterate_auto_adapts_to_a_shift),
        cmocka_unit_test(test_table3_has_what_the_paper_has),
        cmocka_unit_test(test_table3_cells_become_even),
        cmocka_unit_test(test_rebalancer_makes_the_same_plan_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

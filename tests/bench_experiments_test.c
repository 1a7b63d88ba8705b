// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// The experiments of the suite networks: their cells, and what the findings say about a machine of
// eight processors that is only computed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/experiment.c" // whole: the command, not the library, holds them
#include "bench/experiment_findings.c"
#include "bench/experiment_judges.c"
#include "bench/experiments.c"
#include "bench/report.c"
#include "bench/stats.c"

enum { PROCESSORS = 8 };

static const struct twb_cell *cell_of(const struct twb_cell *cells, size_t count, long tasks,
                                      long work_ns)
{
    for (size_t i = 0; i < count; i++)
        if (cells[i].tasks == tasks && cells[i].work_ns == work_ns)
            return &cells[i];
    return NULL;
}

static void test_experiments_have_the_papers_cells(void **state)
{
    static const size_t counts[] = {60, 7, 18, 33};
    struct twb_cell cells[TWB_CELLS_MAX];
    (void)state;
    for (unsigned number = 1; number <= TWB_EXPERIMENTS; number++)
        assert_int_equal(twb_experiment_cells(twb_experiment_find(number), 1, cells),
                         counts[number - 1]);
    size_t count = twb_experiment_cells(twb_experiment_find(1), 1, cells);
    assert_int_equal(cell_of(cells, count, 50, 10000000)->rounds, 100);
    assert_int_equal(cell_of(cells, count, 1000, 10000)->rounds, 5000);
    twb_experiment_cells(twb_experiment_find(2), 1, cells);
    assert_int_equal(cells[0].rounds, 12500);
}

static void test_experiments_leave_out_cells_without_a_round(void **state)
{
    struct twb_cell cells[TWB_CELLS_MAX];
    (void)state;
    size_t count = twb_experiment_cells(twb_experiment_find(1), 0.01, cells);
    assert_int_equal(cell_of(cells, count, 50, 10000000)->rounds, 1);
    assert_null(cell_of(cells, count, 250, 10000000));
    assert_int_equal(cell_of(cells, count, 250, 10000)->rounds, 200);
    assert_int_equal(twb_experiment_cells(twb_experiment_find(2), 0.00001, cells), 0);
}

// Batches, and a price for each message that is higher under CUR.
static bool run_computed(void *context, const struct twb_cell *cell, unsigned workers,
                         enum tw_wake wake, struct twb_cell_run *result)
{
    unsigned *runs = context;
    bool one = workers == 1, cur = wake == TW_WAKE_CUR;
    double price_ns = one ? 100 : cur ? 8000 : 1000;
    long batches = (cell->tasks + workers - 1) / workers;
    ++*runs;
    result->seconds =
        1e-9 * (double)cell->rounds * (double)batches * ((double)cell->work_ns + price_ns);
    result->tries_per_s = one ? 0 : cur ? 4e5 : 1e5 - 1;
    return true;
}

static enum twb_verdict verdict_on(const struct twb_report *report, const char *name)
{
    const struct twb_goal *goal = twb_report_find_goal(report, name);
    assert_true(goal->measured);
    return twb_judge(goal->interval, goal->limit, goal->sense);
}

static struct twb_report run_all(unsigned number, unsigned *runs)
{
    struct twb_bench bench = {.quick = false};
    struct twb_runner runner = {"a computed machine", PROCESSORS, run_computed, runs};
    twb_report_start(&bench.report, "networks", twb_findings_goals(number));
    assert_true(twb_experiment_run(&bench, &runner, number, 0, NULL));
    return bench.report;
}

static void assert_findings_hold(unsigned number, const char *const *names)
{
    unsigned runs = 0;
    struct twb_report report = run_all(number, &runs);
    for (; *names; names++)
        if (verdict_on(&report, *names) != TWB_HOLDS)
            fail_msg("experiment %u: %s does not hold", number, *names);
    assert_true(runs > 0);
    assert_int_equal(report.wrong, false);
    twb_report_end(&report);
}

static void test_findings_hold_on_a_machine_as_the_paper_describes(void **state)
{
    static const char *const division[] = {"last_beats_cur", "attempts_fall", "rises_with_n",
                                           "auto_regret", NULL};
    static const char *const tasks[] = {"attempts_fall", "rule_100us", "auto_regret", NULL};
    static const char *const work[] = {"last_beats_cur", "plateau_earlier", "dip_at_50", NULL};
    static const char *const teeth[] = {"saw_tooth", "minima_rise", "batches", NULL};
    (void)state;
    assert_findings_hold(1, division);
    assert_findings_hold(2, tasks);
    assert_findings_hold(3, work);
    assert_findings_hold(4, teeth);
}

// Seventeen tasks on eight processors need three batches, however few attempts there are.
static void test_findings_fail_where_the_machine_says_otherwise(void **state)
{
    unsigned runs = 0;
    (void)state;
    struct twb_report report = run_all(4, &runs);
    assert_int_equal(verdict_on(&report, "rule_attempts"), TWB_FAILS);
    twb_report_end(&report);
}

static bool run_wrongly(void *context, const struct twb_cell *cell, unsigned workers,
                        enum tw_wake wake, struct twb_cell_run *result)
{
    return run_computed(context, cell, workers, wake, result) && cell->tasks < 64;
}

static void test_experiment_with_a_wrong_answer_finds_nothing(void **state)
{
    unsigned runs = 0;
    struct twb_bench bench = {.quick = true};
    struct twb_runner runner = {"a wrong machine", PROCESSORS, run_wrongly, &runs};
    (void)state;
    twb_report_start(&bench.report, "networks", twb_findings_goals(2));
    assert_true(twb_experiment_run(&bench, &runner, 2, 0, NULL));
    assert_true(bench.report.wrong);
    assert_false(twb_report_find_goal(&bench.report, "auto_regret")->measured);
    twb_report_end(&bench.report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_experiments_have_the_papers_cells),
        cmocka_unit_test(test_experiments_leave_out_cells_without_a_round),
        cmocka_unit_test(test_findings_hold_on_a_machine_as_the_paper_describes),
        cmocka_unit_test(test_findings_fail_where_the_machine_says_otherwise),
        cmocka_unit_test(test_experiment_with_a_wrong_answer_finds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Drift: its load, its two answers without collections, those of every balance, and what is told of
// an adaptation.
#include "app_support.h"

#include "apps/drift/drift.h"

#define TASKS 300
#define ITERATIONS 5

static struct drift some_drift(enum drift_load load)
{
    return (struct drift){.load = load,
                          .tasks = TASKS,
                          .iterations = ITERATIONS,
                          .jump = 3,
                          .speed = 1u << 28,
                          .skew = 4,
                          .seed = 7,
                          .mean_rounds = 500};
}

static uint64_t sum_of(const struct drift *drift, uint32_t first, uint32_t end, unsigned iteration)
{
    uint64_t sum = 0;
    for (uint32_t task = first; task < end; task++)
        sum += drift_rounds(drift, task, iteration);
    return sum;
}

static void test_drift_load_is_where_it_is_said_to_be(void **state)
{
    (void)state;
    struct drift stays = some_drift(DRIFT_STAYS), jumps = some_drift(DRIFT_JUMPS);
    struct drift drifts = some_drift(DRIFT_DRIFTS);
    for (unsigned i = 0; i < ITERATIONS; i++) {
        // The top is at a quarter, and a hill of skew 4 as wide as a half.
        assert_true(sum_of(&stays, 0, TASKS / 2, i) > 8 * sum_of(&stays, TASKS / 2, TASKS, i));
        bool before = sum_of(&jumps, 0, TASKS / 2, i) > sum_of(&jumps, TASKS / 2, TASKS, i);
        assert_int_equal(before, i + 1 < jumps.jump);
    }
    // A sixteenth in each iteration: after four of them a quarter further.
    assert_true(sum_of(&drifts, 0, TASKS / 2, 0) > 8 * sum_of(&drifts, TASKS / 2, TASKS, 0));
    uint32_t from = TASKS / 4, to = 3 * TASKS / 4;
    assert_true(sum_of(&drifts, from, to, 4) >
                8 * (sum_of(&drifts, 0, TASKS, 4) - sum_of(&drifts, from, to, 4)));
}

static void test_drift_mean_is_kept(void **state)
{
    (void)state;
    for (uint32_t skew = 1; skew < 20; skew++) {
        struct drift drift = some_drift(DRIFT_DRIFTS);
        drift.skew = skew;
        drift.tasks = 10000;
        for (unsigned i = 0; i < ITERATIONS; i++)
            assert_in_range(sum_of(&drift, 0, drift.tasks, i) / drift.tasks, 480, 520);
    }
}

static void test_drift_oracle_is_the_plain_program(void **state)
{
    (void)state;
    for (int load = DRIFT_STAYS; load <= DRIFT_JUMPS; load++) {
        struct drift drift = some_drift((enum drift_load)load);
        uint64_t plain[ITERATIONS], oracle[ITERATIONS];
        drift_sequential(&drift, plain);
        assert_int_equal(drift_oracle(&drift, oracle), 0);
        assert_memory_equal(plain, oracle, sizeof plain);
    }
}

// One that is left out, or done twice, or done with another iteration's work is seen.
static void test_drift_answer_shows_each_task(void **state)
{
    (void)state;
    struct drift drift = some_drift(DRIFT_STAYS);
    for (uint32_t task = 0; task < TASKS; task++) {
        assert_int_not_equal(drift_work(&drift, task, 1), 0);
        assert_int_not_equal(drift_work(&drift, task, 1), drift_work(&drift, task, 2));
        assert_int_not_equal(drift_work(&drift, task, 1), drift_work(&drift, task + 1, 1));
    }
}

static void test_drift_every_balance_finds_the_same(void **state)
{
    (void)state;
    char message[512];
    struct iterations_balances balances;
    assert_true(iterations_read(&balances, "all", message, sizeof message));
    assert_true(balances.count >= 4);
    for (int load = DRIFT_STAYS; load <= DRIFT_JUMPS; load++) {
        struct drift drift = some_drift((enum drift_load)load);
        uint64_t answer[APP_GROUPS_MAX * ITERATIONS], oracle[ITERATIONS];
        struct iterations iterations = {.balances = &balances};
        drift.answer = answer;
        assert_int_equal(drift_collections(NULL, &drift, &iterations), 0);
        assert_int_equal(drift_oracle(&drift, oracle), 0);
        for (unsigned turn = 0; turn < balances.count * ITERATIONS; turn++)
            assert_int_equal(answer[turn], oracle[turn / balances.count]);
        for (unsigned row = 0; row < balances.count * ITERATIONS; row++) {
            assert_int_equal(iterations.stats[row].tasks, TASKS);
            assert_int_equal(iterations.stats[row].iteration, row % ITERATIONS + 1);
        }
        iterations_free(&iterations);
    }
}

static double cell_of(const struct app_table *table, const char *name)
{
    for (size_t i = 0; table->columns[i].name; i++)
        if (strcmp(table->columns[i].name, name) == 0)
            return table->cells[i];
    fail_msg("there is no column %s", name);
    return 0;
}

// Names and numbers are two lists.
static void test_drift_table_has_each_number_in_its_column(void **state)
{
    (void)state;
    const struct iterations_balances balances = {.count = 1, .balance = {TW_BALANCE_STEAL}};
    struct tw_collection_stats stats = {.seconds = 1,
                                        .efficiency = 2,
                                        .imbalance = 3,
                                        .tasks = 4,
                                        .nulls = 5,
                                        .work = {.mean = 6, .deviation = 7},
                                        .attempted = {.mean = 8, .deviation = 9},
                                        .stole = {.mean = 10, .deviation = 11},
                                        .stolen = {.mean = 12, .deviation = 13},
                                        .rebalance = {.seconds = 14, .moved = 15}};
    double between = 16;
    static const char *const names[] = {"seconds",
                                        "efficiency",
                                        "imbalance",
                                        "tasks",
                                        "nulls",
                                        "work_seconds",
                                        "work_deviation",
                                        "attempted",
                                        "attempted_deviation",
                                        "successful",
                                        "successful_deviation",
                                        "tasks_stolen",
                                        "tasks_stolen_deviation",
                                        "rebalance_seconds",
                                        "tasks_moved",
                                        "between"};
    const struct iterations iterations = {
        .balances = &balances, .count = 1, .stats = &stats, .between_seconds = &between};
    struct app_table table;
    assert_int_equal(iterations_table(&iterations, &table), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal((int)cell_of(&table, names[i]), i + 1);
    assert_int_equal((int)cell_of(&table, "process_seconds"), 1);
    assert_string_equal(table.groups[0], "steal");
    free(table.cells);
}

static struct tw_collection_stats stats_of(double stolen, double imbalance)
{
    return (struct tw_collection_stats){
        .workers = 2, .tasks = 100, .imbalance = imbalance, .stolen = {.mean = stolen}};
}

static void test_drift_adapted_counts_from_the_jump(void **state)
{
    (void)state;
    struct drift drift = some_drift(DRIFT_JUMPS);
    struct tw_collection_stats stats[ITERATIONS] = {
        stats_of(20, 1), stats_of(0, 1), stats_of(20, 1), stats_of(0, 1.5), stats_of(5, 1.05)};
    assert_int_equal(drift_adapted(&drift, stats), 2);
    stats[3] = stats_of(5, 1.05);
    assert_int_equal(drift_adapted(&drift, stats), 1);
    stats[3] = stats[4] = stats_of(5.5, 1); // never
    assert_int_equal(drift_adapted(&drift, stats), 3);
}

static void test_drift_application_verifies_itself(void **state)
{
    (void)state;
    app_verifies_with(&drift_app, "--tasks", "100", "--cost", "1us", "--balance", "all");
    app_verifies_with(&drift_app, "--tasks", "1", "--load", "jumps", "--rounds", "10");
    app_verifies_with(&drift_app, "--cost", "0", "--tasks", "33", "--iterations", "1");
}

static void test_drift_application_refuses(void **state)
{
    (void)state;
    app_refuses(&drift_app, "--load", "grows", "stays");
    app_refuses(&drift_app, "--balance", "lazy", "--balance does not know 'lazy': give retentive,");
    app_refuses(&drift_app, "--balance", "steal,,none", "--balance does not know ''");
    app_refuses(&drift_app, "--balance", "steal,", "give retentive, steal, steal-all");
    app_refuses(&drift_app, "--tasks", "0", "--tasks");
    app_refuses(&drift_app, "--skew", "0", "--skew");
    app_refuses(&drift_app, "--speed", "2", "--speed");
    app_refuses(&drift_app, "--cost", "fast", "--cost");
}

static void test_drift_jump_is_within_the_iterations(void **state)
{
    (void)state;
    unsigned char settings[512];
    const char *const words[APP_WORDS_MAX] = {"--load", "jumps", "--jump", "11"};
    struct app_run run = {.check = APP_CHECK_AUTO};
    assert_true(drift_app.settings_size <= sizeof settings);
    assert_int_equal(app_parse(&drift_app, settings, words), CLI_PARSED);
    assert_int_equal(drift_app.run(settings, &run), APP_REFUSED);
    assert_non_null(strstr(run.message, "--jump 11: there are 10 iterations"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drift_load_is_where_it_is_said_to_be),
        cmocka_unit_test(test_drift_mean_is_kept),
        cmocka_unit_test(test_drift_oracle_is_the_plain_program),
        cmocka_unit_test(test_drift_answer_shows_each_task),
        cmocka_unit_test(test_drift_every_balance_finds_the_same),
        cmocka_unit_test(test_drift_table_has_each_number_in_its_column),
        cmocka_unit_test(test_drift_adapted_counts_from_the_jump),
        cmocka_unit_test(test_drift_application_verifies_itself),
        cmocka_unit_test(test_drift_application_refuses),
        cmocka_unit_test(test_drift_jump_is_within_the_iterations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

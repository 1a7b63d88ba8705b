// SPDX-License-Identifier: Apache-2.0
// Scatter and gather: the oracle's sum for every size and every way to wake, and what is reported.
#include "app_support.h"

#include <twill/twill.h>

#include "apps/busy.h"
#include "apps/scatter_gather/scatter_gather.h"

static void test_scatter_gather_oracle_by_hand(void **state)
{
    (void)state;
    const struct scatter_gather two = {.n = 2, .rounds = 1, .work_rounds = 5};
    assert_int_equal(scatter_gather_oracle(&two),
                     0 + busy_work(0, 5) + 1 + 1 + busy_work(1, 5) + 1);
    const struct scatter_gather again = {.n = 1, .rounds = 2}; // 0, then 1, then 3
    assert_int_equal(scatter_gather_oracle(&again), 1 + 3);
}

static void test_scatter_gather_every_wake_gives_the_sum(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 3, 16, 50};
    for (unsigned wake = TW_WAKE_AUTO; wake <= TW_WAKE_LHWS; wake++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            struct scatter_gather job = {
                .n = sizes[i], .rounds = 20, .work_rounds = 100 * wake, .wake = (enum tw_wake)wake};
            assert_int_equal(scatter_gather_run(NULL, &job), 0);
            assert_int_equal(job.sum, scatter_gather_oracle(&job));
            assert_true(job.ns > 0);
            scatter_gather_sequential(&job);
            assert_int_equal(job.sum, scatter_gather_oracle(&job));
        }
    }
}

static void test_scatter_gather_to_many(void **state)
{
    (void)state;
    struct scatter_gather job = {.n = 500, .rounds = 3};
    assert_int_equal(scatter_gather_run(NULL, &job), 0);
    assert_int_equal(job.sum, scatter_gather_oracle(&job));
}

static const struct app_fact *fact_of(const struct app_fact *facts, const char *name)
{
    for (size_t i = 0; i < APP_FACTS_MAX && facts[i].name; i++)
        if (strcmp(facts[i].name, name) == 0)
            return &facts[i];
    fail_msg("no %s is reported", name);
    return NULL;
}

static void test_scatter_gather_reports(void **state)
{
    (void)state;
    struct tw_stats stats = {.room = 0};
    struct tw_options options;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.stats = &stats;
    options.wake = TW_WAKE_LAST;
    void *settings = malloc(scatter_gather_app.settings_size);
    assert_non_null(settings);
    const char *const words[APP_WORDS_MAX] = {"--n", "10", "--rounds", "200", "--scale", "0.25"};
    assert_int_equal(app_parse(&scatter_gather_app, settings, words), CLI_PARSED);
    struct app_run run = {.options = &options, .check = APP_CHECK_AUTO};
    assert_int_equal(scatter_gather_app.run(settings, &run), APP_DONE);
    free(settings);
    assert_true(run.verified);
    assert_int_equal(fact_of(run.parameters, "rounds")->count, 50);
    assert_string_equal(fact_of(run.parameters, "wake")->text, "last");
    assert_int_equal(fact_of(run.results, "messages")->count, 2 * 10 * 50);
    assert_int_equal(fact_of(run.results, "ideal_us")->count, 10 * 50 * 10 / stats.workers);
    assert_true(fact_of(run.results, "loops_per_ms")->count > 1000);
    bool few = fact_of(run.results, "tries_per_s")->count <= 100000;
    assert_string_equal(fact_of(run.results, "rule_of_thumb")->text, few ? "kept" : "broken");
}

static void test_scatter_gather_options(void **state)
{
    (void)state;
    app_verifies_with(&scatter_gather_app, "--n", "1", "--rounds", "1", "--work", "0");
    app_verifies_with(&scatter_gather_app, "--n", "20", "--rounds", "50", "--work", "2us");
    app_verifies_with(&scatter_gather_app, "--n", "100", "--scale", "0.000001");
    app_refuses(&scatter_gather_app, "--n", "0",
                "--n does not accept '0': give a whole number from 1 to 100000");
    app_refuses(&scatter_gather_app, "--work", "100",
                "--work does not accept '100': give a time from 0 to 1s in s, ms, us or ns");
    app_refuses(&scatter_gather_app, "--rounds", "0", "--rounds does not accept '0'");
    app_refuses(&scatter_gather_app, "--scale", "0", "--scale does not accept '0'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scatter_gather_oracle_by_hand),
        cmocka_unit_test(test_scatter_gather_every_wake_gives_the_sum),
        cmocka_unit_test(test_scatter_gather_to_many),
        cmocka_unit_test(test_scatter_gather_reports),
        cmocka_unit_test(test_scatter_gather_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

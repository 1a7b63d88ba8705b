// SPDX-License-Identifier: Apache-2.0
// Knapsack: all choices tried, the table, the sequential search and the tasks agree.
#include "app_support.h"

#include "apps/knapsack/knapsack.h"

static uint64_t best_of_all_choices(const struct knapsack *knapsack)
{
    uint64_t best = 0;
    for (uint32_t choice = 0; choice < UINT32_C(1) << knapsack->items; choice++) {
        uint64_t value = 0, weight = 0;
        for (unsigned i = 0; i < knapsack->items; i++)
            if (choice >> i & 1) {
                value += knapsack->item[i].value;
                weight += knapsack->item[i].weight;
            }
        if (weight <= knapsack->capacity && value > best)
            best = value;
    }
    return best;
}

static void test_knapsack_table_is_the_best_choice(void **state)
{
    (void)state;
    struct knapsack knapsack;
    const double ratios[] = {0, 0.1, 0.35, 0.5, 0.9, 1};
    for (unsigned items = 1; items <= 12; items++)
        for (size_t r = 0; r < sizeof ratios / sizeof *ratios; r++) {
            uint64_t value = 12345;
            knapsack_fill(&knapsack, items, ratios[r], items);
            assert_true(knapsack_table(&knapsack, &value));
            assert_int_equal(value, best_of_all_choices(&knapsack));
        }
}

static void test_knapsack_searches_find_the_table(void **state)
{
    (void)state;
    struct knapsack knapsack;
    for (unsigned items = 1; items <= 22; items += 3)
        for (unsigned cutoff = 0; cutoff <= items; cutoff += 4) {
            uint64_t value = 0;
            struct knapsack_found sequential, forked;
            knapsack_fill(&knapsack, items, 0.4, items + cutoff);
            assert_true(knapsack_table(&knapsack, &value));
            knapsack_sequential(&knapsack, &sequential);
            assert_int_equal(sequential.value, value);
            assert_int_equal(knapsack_fork(NULL, &knapsack, cutoff, &forked), 0);
            assert_int_equal(forked.value, value);
            assert_true(forked.nodes >= 1);
        }
}

static void test_knapsack_one_worker_visits_the_sequential_nodes(void **state)
{
    (void)state;
    struct knapsack knapsack;
    struct knapsack_found sequential, forked;
    struct tw_options options;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.workers = 1;
    knapsack_fill(&knapsack, 20, 0.3, 4);
    knapsack_sequential(&knapsack, &sequential);
    assert_int_equal(knapsack_fork(&options, &knapsack, 0, &forked), 0);
    assert_int_equal(forked.nodes, sequential.nodes);
}

static void test_knapsack_options(void **state)
{
    (void)state;
    app_verifies_with(&knapsack_app, "--items", "24", "--capacity", "0.4", "--cutoff", "0");
    app_verifies_with(&knapsack_app, "--items", "24", "--data-seed", "5");
    app_refuses(&knapsack_app, "--items", "0",
                "--items does not accept '0': give a whole number from 1 to 200");
    app_refuses(&knapsack_app, "--capacity", "1.5",
                "--capacity does not accept '1.5': give a number from 0 to 1");
    app_refuses(&knapsack_app, "--cutoff", "201", "--cutoff does not accept '201'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_knapsack_table_is_the_best_choice),
        cmocka_unit_test(test_knapsack_searches_find_the_table),
        cmocka_unit_test(test_knapsack_one_worker_visits_the_sequential_nodes),
        cmocka_unit_test(test_knapsack_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

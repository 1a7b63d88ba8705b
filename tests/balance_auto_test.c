// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// The rule of `auto`, against a small model of iterations: what is lost persists until a rebalance
// brings it down to the least that is possible, or until the load shifts.
#include "support.h"

#include "balance/auto.h"
#include "base/rng.h"

enum { CORES = 100, AVERAGE = 1000000000, COST = 20000000 };

struct model {
    struct twi_auto rule;
    uint64_t loss_ns, least_ns;
    int rebalances;
};

// One iteration; says what was lost in it.
static uint64_t iterate(struct model *model)
{
    struct twi_measured measured = {.sum_ns = UINT64_C(1) * AVERAGE * CORES,
                                    .most_ns = AVERAGE + model->loss_ns,
                                    .cores = CORES};
    uint64_t lost = model->loss_ns;
    if (twi_auto_decide(&model->rule, &measured, COST)) {
        model->rebalances++;
        model->loss_ns = model->least_ns;
    }
    return lost;
}

static void test_auto_mends_a_large_loss_at_once(void **state)
{
    struct model model = {.loss_ns = 300000000, .least_ns = 1000000};
    (void)state;
    for (int i = 0; i < 20; i++)
        iterate(&model);
    assert_int_equal(model.rebalances, 1);
    assert_int_equal(model.loss_ns, model.least_ns);
}

static void test_auto_leaves_noise_alone(void **state)
{
    struct model model = {.loss_ns = 0, .least_ns = 0};
    struct twi_rng rng = {1};
    (void)state;
    for (int i = 0; i < 1000; i++) {
        model.loss_ns = twi_rng_below(&rng, 2000000);
        iterate(&model);
    }
    assert_int_equal(model.rebalances, 0);
}

static void test_auto_mends_a_small_loss_when_it_has_cost_as_much(void **state)
{
    struct model model = {.loss_ns = 6000000, .least_ns = 0};
    (void)state;
    for (int i = 0; i < 3; i++)
        iterate(&model);
    assert_int_equal(model.rebalances, 0);
    iterate(&model);
    assert_int_equal(model.rebalances, 1);
}

static void test_auto_adapts_within_two_iterations(void **state)
{
    struct model model = {.loss_ns = 300000000, .least_ns = 5000000};
    (void)state;
    for (int shift = 0; shift < 50; shift++) {
        model.loss_ns = 250000000;
        iterate(&model);
        iterate(&model);
        assert_int_equal(iterate(&model), model.least_ns);
        for (int i = 0; i < 7; i++)
            iterate(&model);
    }
    assert_in_range(model.rebalances, 50, 100); // after each perhaps one in vain
}

// What a core loses to steals counts as well as what it loses by uneven loads.
static void test_auto_counts_steals(void **state)
{
    struct twi_auto rule;
    struct twi_measured measured = {
        .sum_ns = UINT64_C(1) * AVERAGE * CORES, .most_ns = AVERAGE, .cores = CORES};
    (void)state;
    twi_auto_start(&rule);
    assert_false(twi_auto_decide(&rule, &measured, COST));
    measured.stealing_ns = UINT64_C(50000000) * CORES;
    assert_true(twi_auto_decide(&rule, &measured, COST));
}

// Nobody can part a task that is longer than the average load.
static void test_auto_knows_what_is_impossible(void **state)
{
    struct twi_auto rule = {0};
    struct twi_measured measured = {.sum_ns = UINT64_C(1) * AVERAGE * CORES,
                                    .most_ns = UINT64_C(2) * AVERAGE,
                                    .longest_ns = UINT64_C(2) * AVERAGE,
                                    .cores = CORES};
    (void)state;
    for (int i = 0; i < 20; i++)
        assert_false(twi_auto_decide(&rule, &measured, COST));
    measured.most_ns = UINT64_C(3) * AVERAGE;
    assert_true(twi_auto_decide(&rule, &measured, COST));
}

// When every rebalance is in vain they become rare; and one that succeeds makes up for it.
static void test_auto_does_not_flap(void **state)
{
    struct model model = {.loss_ns = 100000000};
    struct twi_rng rng = {3};
    (void)state;
    for (int i = 0; i < 400; i++) {
        iterate(&model);
        model.loss_ns = 50000000 + twi_rng_below(&rng, 100000000);
    }
    assert_in_range(model.rebalances, 1, 60);
    model.loss_ns = 100000000;
    model.least_ns = 0;
    for (int i = 0; i < 40; i++)
        iterate(&model);
    assert_int_equal(model.loss_ns, 0);
    assert_in_range(model.rule.vain, 0, TWI_AUTO_VAIN_MOST / 2);
}

static void test_auto_of_no_load_does_nothing(void **state)
{
    struct twi_auto rule = {0};
    struct twi_measured measured = {.cores = 3};
    (void)state;
    for (int i = 0; i < 5; i++)
        assert_false(twi_auto_decide(&rule, &measured, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_auto_mends_a_large_loss_at_once),
        cmocka_unit_test(test_auto_leaves_noise_alone),
        cmocka_unit_test(test_auto_mends_a_small_loss_when_it_has_cost_as_much),
        cmocka_unit_test(test_auto_adapts_within_two_iterations),
        cmocka_unit_test(test_auto_counts_steals),
        cmocka_unit_test(test_auto_knows_what_is_impossible),
        cmocka_unit_test(test_auto_does_not_flap),
        cmocka_unit_test(test_auto_of_no_load_does_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

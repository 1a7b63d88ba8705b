// SPDX-License-Identifier: Apache-2.0
// What `twill sim validate` and `twill sim calibrate` make of samples.
// ctest: workers=1
#include "support.h"

#include <math.h>
#include <string.h>

#include "cli/calibrate.h"
#include "cli/validate.h"

static struct samples samples_of(const double *values, size_t count)
{
    struct samples samples = {.count = 0};
    for (size_t i = 0; i < count; i++)
        assert_true(samples_add(&samples, values[i]));
    return samples;
}

#define SAMPLES(...)                                                                               \
    samples_of((const double[]){__VA_ARGS__},                                                      \
               sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static void check_near(double is, double want)
{
    if (fabs(is - want) > 1e-9)
        fail_msg("%g instead of %g", is, want);
}

static void test_cli_validate_samples(void **state)
{
    (void)state;
    struct samples samples = SAMPLES(5, 1, 4, 2, 3);
    struct summary of = samples_summarize(&samples);
    check_near(of.least, 1);
    check_near(of.low, 2);
    check_near(of.median, 3);
    check_near(of.high, 4);
    check_near(of.most, 5);
    samples = SAMPLES(1, 2);
    check_near(samples_summarize(&samples).median, 1.5);
    samples = SAMPLES(7);
    check_near(samples_summarize(&samples).high, 7);
    samples.count = 0;
    check_near(samples_summarize(&samples).median, 0);
    while (samples_add(&samples, 1))
        ;
    assert_int_equal(samples.count, SAMPLES_MOST);
}

static void test_cli_validate_error_is_of_medians(void **state)
{
    (void)state;
    static struct validate_cell cell;
    cell.real = SAMPLES(1, 2, 9);
    cell.simulated = SAMPLES(1.8);
    check_near(validate_error(&cell), -0.1);
}

static void test_cli_validate_order_wants_ranges_apart(void **state)
{
    (void)state;
    static struct validate_cell fast, slow;
    fast.real = SAMPLES(1, 2, 2, 3);
    slow.real = SAMPLES(4, 5, 5, 6);
    assert_int_equal(validate_order(&slow, &fast), 1);
    assert_int_equal(validate_order(&fast, &slow), -1);
    slow.real = SAMPLES(3, 5, 5, 6);
    assert_int_equal(validate_order(&slow, &fast), 0);
    slow.real = SAMPLES(7, 8, 9); // too few to tell
    assert_int_equal(validate_order(&slow, &fast), 0);
    assert_int_equal(validate_order(&fast, &fast), 0);
}

static void test_cli_validate_order_of_many_runs(void **state)
{
    (void)state;
    static struct validate_cell fast, slow;
    fast.real = SAMPLES(1, 1, 2, 2, 2, 2, 3, 3, 3, 9);
    slow.real = SAMPLES(2.5, 4, 4, 4, 5, 5, 5, 6, 6, 6);
    assert_int_equal(validate_order(&slow, &fast), 0); // 2.8 standard deviations
    fast.real = SAMPLES(1, 1, 2, 2, 2, 2, 3, 3, 3, 4.5);
    slow.real = SAMPLES(3.5, 5, 5, 5, 5, 5, 5, 6, 6, 6); // 3.7
    assert_int_equal(validate_order(&slow, &fast), 1);
    assert_int_equal(validate_order(&fast, &slow), -1);
    assert_int_equal(validate_order(&fast, &fast), 0);
}

// A packet takes 1000 ns, of which the calls take 600; a sleeper 50 us; a byte 0.25 ns.
static void test_cli_validate_machine_of_measures(void **state)
{
    (void)state;
    static struct calibration found;
    struct twi_sim_machine machine, again;
    char *text = NULL, message[512];
    size_t size;
    for (int i = 0; i < CALIBRATED_COUNT; i++)
        found.measure[i] = SAMPLES(100);
    found.measure[CALIBRATED_WAY_0] = SAMPLES(1000);
    found.measure[CALIBRATED_WAY_65536] = SAMPLES(1000 + 16384);
    found.measure[CALIBRATED_SEND] = SAMPLES(200);
    found.measure[CALIBRATED_RECEIVE] = SAMPLES(400);
    found.measure[CALIBRATED_USED_BUSY] = SAMPLES(5000);
    found.measure[CALIBRATED_ASLEEP] = SAMPLES(50000);
    found.measure[CALIBRATED_ASLEEP_BUSY] = SAMPLES(3000); // less than the overheads: no negative
    for (int i = 0; i < 4; i++)                            // 1, 2, 4 and 8 places
        found.measure[CALIBRATED_START_1 + i] = SAMPLES(5000 + 300 * (1 << i));
    calibration_machine(&found, &machine);
    assert_int_equal(machine.latency_ns, 400);
    assert_int_equal(machine.overhead_ns, 5000);
    assert_int_equal(machine.gap_ps_per_byte, 250);
    assert_int_equal(machine.notice_ns, 50000 - 400 - 2 * 5000);
    assert_int_equal(machine.notice_busy_ns, 1);
    assert_int_equal(machine.start_ns, 5000);
    assert_int_equal(machine.start_place_ns, 300);
    assert_true(machine.cores >= 1);
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    calibration_write(file, &found, &machine);
    fclose(file);
    if (sim_machine_parse("written", text, &again, message, sizeof message) != 0)
        fail_msg("%s", message);
    assert_memory_equal(&again, &machine, sizeof machine);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_validate_samples),
        cmocka_unit_test(test_cli_validate_error_is_of_medians),
        cmocka_unit_test(test_cli_validate_order_wants_ranges_apart),
        cmocka_unit_test(test_cli_validate_order_of_many_runs),
        cmocka_unit_test(test_cli_validate_machine_of_measures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

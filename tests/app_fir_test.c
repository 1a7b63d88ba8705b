// SPDX-License-Identifier: Apache-2.0
// The signal pipeline: filters by hand, and the same bits as the sequential chain for every shape.
#include "app_support.h"

#include <math.h>

#include "apps/fir/fir.h"

static void test_fir_filter_by_hand(void **state)
{
    (void)state;
    static const double tap[3] = {1, 10, 100};
    double x[10] = {0, 0, 1, 2, 3, 0, 0, 0, 0, 4}, y[8]; // two samples before the first
    static const double expected[8] = {1, 12, 123, 230, 300, 0, 0, 4};
    fir_apply(tap, 3, x + 2, y, 8);
    for (int i = 0; i < 8; i++)
        assert_true(y[i] == expected[i]);
}

// A low pass leaves what is slow and damps what is fast.
static void test_fir_low_pass(void **state)
{
    (void)state;
    struct fir job = {.blocks = 20, .log2n = 10, .stages = 3, .taps = 64, .lanes = 1};
    assert_true(fir_make(&job));
    assert_int_equal(fir_sequential(&job), 0);
    double slow = 0, fast = 0;
    for (size_t i = 1; i < 128; i++) {
        slow += job.power[i];
        fast += job.power[i + 384];
    }
    assert_true(slow > 100 * fast);
    assert_true(isfinite(slow));
    fir_free(&job);
}

static void same_bits(struct fir job)
{
    struct fir plain = job;
    assert_true(fir_make(&job) && fir_make(&plain));
    assert_int_equal(fir_sequential(&plain), 0);
    assert_int_equal(fir_network(NULL, &job), 0);
    assert_int_equal(job.digest, plain.digest);
    assert_memory_equal(job.power, plain.power, plain.plan.n * sizeof *plain.power);
    fir_free(&job);
    fir_free(&plain);
}

static void test_fir_network_gives_the_same_bits(void **state)
{
    (void)state;
    for (uint32_t stages = 0; stages <= 4; stages++)
        for (uint32_t lanes = 1; lanes <= 3; lanes++)
            same_bits((struct fir){.blocks = 7,
                                   .log2n = 8 + lanes,
                                   .stages = stages,
                                   .taps = 1 + 10 * stages,
                                   .lanes = lanes});
    same_bits((struct fir){.blocks = 3, .log2n = 8, .stages = 2, .taps = 600, .lanes = 5});
}

static void test_fir_every_wake(void **state)
{
    (void)state;
    for (unsigned wake = TW_WAKE_AUTO; wake <= TW_WAKE_LHWS; wake++)
        same_bits((struct fir){.blocks = 50,
                               .log2n = 10,
                               .stages = 6,
                               .taps = 16,
                               .lanes = 4,
                               .wake = (enum tw_wake)wake});
}

static void test_fir_options(void **state)
{
    (void)state;
    app_verifies_with(&fir_app, "--blocks", "1", "--taps", "1", "--stages", "0");
    app_verifies_with(&fir_app, "--blocks", "40", "--lanes", "3", "--log2n", "9");
    app_refuses(&fir_app, "--log2n", "7",
                "--log2n does not accept '7': give a whole number from 8 to 14");
    app_refuses(&fir_app, "--taps", "0", "--taps does not accept '0'");
    app_refuses(&fir_app, "--lanes", "65", "--lanes does not accept '65'");
    app_refuses(&fir_app, "--stages", "x", "--stages does not accept 'x'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fir_filter_by_hand),
        cmocka_unit_test(test_fir_low_pass),
        cmocka_unit_test(test_fir_network_gives_the_same_bits),
        cmocka_unit_test(test_fir_every_wake),
        cmocka_unit_test(test_fir_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

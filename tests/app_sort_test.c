// SPDX-License-Identifier: Apache-2.0
// Sort: every length around the block and the cut-offs, every pattern, against insertion and
// against the sequential program.
#include "app_support.h"

#include "apps/sort/sort.h"

static uint64_t *keys_of(size_t n)
{
    uint64_t *keys = malloc(n * sizeof *keys + 1);
    assert_non_null(keys);
    return keys;
}

static void insert_in_order(uint64_t *keys, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t at = i; at > 0 && keys[at] < keys[at - 1]; at--) {
            uint64_t key = keys[at];
            keys[at] = keys[at - 1];
            keys[at - 1] = key;
        }
}

static void test_sort_every_small_length(void **state)
{
    (void)state;
    uint64_t keys[300], expected[300], scratch[300];
    for (size_t n = 0; n <= 300; n++) {
        for (unsigned pattern = SORT_RANDOM; pattern <= SORT_EQUAL; pattern++) {
            sort_fill(keys, n, (enum sort_pattern)pattern, n);
            for (size_t i = 0; i < n && n % 2; i++)
                keys[i] %= 16; // many of them equal
            memcpy(expected, keys, n * sizeof *keys);
            insert_in_order(expected, n);
            sort_sequential(keys, scratch, n);
            assert_memory_equal(keys, expected, n * sizeof *keys);
            sort_range(keys, scratch, n, true);
            assert_memory_equal(scratch, expected, n * sizeof *keys);
        }
    }
}

static void test_sort_merges_ranges_of_any_lengths(void **state)
{
    (void)state;
    uint64_t both[200], out[200];
    for (size_t a_n = 0; a_n <= 100; a_n += 1 + a_n / 20) {
        for (size_t b_n = 0; b_n <= 100; b_n += 1 + b_n / 20) {
            sort_fill(both, a_n + b_n, SORT_RANDOM, a_n * 101 + b_n);
            for (size_t i = 0; i < a_n + b_n; i++)
                both[i] %= 32;
            insert_in_order(both, a_n);
            insert_in_order(both + a_n, b_n);
            sort_merge(both, a_n, both + a_n, b_n, out);
            insert_in_order(both, a_n + b_n);
            assert_memory_equal(out, both, (a_n + b_n) * sizeof *out);
        }
    }
}

static void test_sort_rank_counts_lesser_keys(void **state)
{
    (void)state;
    const uint64_t keys[] = {1, 3, 3, 3, 7};
    const size_t ranks[] = {0, 0, 1, 1, 4, 4, 4, 4, 5};
    for (uint64_t key = 0; key < 9; key++)
        assert_int_equal(sort_rank(keys, 5, key), ranks[key]);
    assert_int_equal(sort_rank(keys, 0, 1), 0);
}

static void test_sort_with_tasks(void **state)
{
    (void)state;
    const size_t lengths[] = {0,     1, SORT_CUTOFF, SORT_CUTOFF + 1, 3 * SORT_MERGE_CUTOFF + 5,
                              300000};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        size_t n = lengths[l];
        uint64_t *keys = keys_of(n), *expected = keys_of(n), *scratch = keys_of(n);
        for (unsigned pattern = SORT_RANDOM; pattern <= SORT_EQUAL; pattern++) {
            sort_fill(keys, n, (enum sort_pattern)pattern, 7);
            memcpy(expected, keys, n * sizeof *keys);
            uint64_t checksum = sort_checksum(keys, n);
            assert_int_equal(sort_fork(NULL, keys, scratch, n), 0);
            sort_sequential(expected, scratch, n);
            assert_true(sort_is_sorted(keys, n));
            assert_true(sort_checksum(keys, n) == checksum);
            assert_memory_equal(keys, expected, n * sizeof *keys);
        }
        free(keys);
        free(expected);
        free(scratch);
    }
}

static void test_sort_wrong_results_are_seen(void **state)
{
    (void)state;
    uint64_t keys[] = {1, 2, 2, 4};
    uint64_t checksum = sort_checksum(keys, 4);
    assert_true(sort_is_sorted(keys, 4));
    keys[2] = 3;
    assert_false(sort_checksum(keys, 4) == checksum);
    keys[2] = 1;
    assert_false(sort_is_sorted(keys, 4));
}

static void test_sort_options(void **state)
{
    (void)state;
    app_verifies_with(&sort_app, "--n", "100000", "--data-seed", "9");
    app_verifies_with(&sort_app, "--n", "50000", "--pattern", "reversed");
    app_verifies_with(&sort_app, "--n", "0");
    app_refuses(&sort_app, "--n", "-1", "--n does not accept '-1': give a whole number from 0 to");
    app_refuses(&sort_app, "--pattern", "x",
                "--pattern does not accept 'x': give one of random, sorted, reversed, equal");
    app_refuses(&sort_app, "--data-seed", "x", "--data-seed does not accept 'x'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sort_every_small_length),
        cmocka_unit_test(test_sort_merges_ranges_of_any_lengths),
        cmocka_unit_test(test_sort_rank_counts_lesser_keys),
        cmocka_unit_test(test_sort_with_tasks),
        cmocka_unit_test(test_sort_wrong_results_are_seen),
        cmocka_unit_test(test_sort_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

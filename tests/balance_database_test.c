// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// Bins of durations, the database of what tasks took, and null tasks.
#include "support.h"

#include <inttypes.h>
#include <string.h>

#include "balance/database.h"
#include "balance/prune.h"
#include "base/rng.h"

static uint64_t middle(uint64_t duration_ns)
{
    return twi_bin_ns(twi_bin_of(duration_ns));
}

static void test_bin_is_near_its_durations_and_in_order(void **state)
{
    struct twi_rng rng = {1};
    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint64_t a = twi_rng_next(&rng) >> (16 + twi_rng_below(&rng, 48));
        uint64_t b = a + twi_rng_below(&rng, 1000);
        uint64_t off = middle(a) > a ? middle(a) - a : a - middle(a);
        if (off * 512 > a || twi_bin_of(a) >= TWI_BINS)
            fail_msg("%" PRIu64 " is in bin %u, of %" PRIu64, a, twi_bin_of(a), middle(a));
        assert_true(twi_bin_of(a) <= twi_bin_of(b));
    }
    for (uint64_t a = 0; a < 512; a++)
        assert_int_equal(middle(a), a);
}

static void test_bin_of_a_middle_is_the_bin(void **state)
{
    (void)state;
    for (uint32_t bin = 0; bin < TWI_BINS; bin++)
        assert_int_equal(twi_bin_of(twi_bin_ns(bin)), bin);
    assert_int_equal(twi_bin_of(UINT64_MAX), TWI_BINS - 1);
    assert_int_equal(twi_bin_of(UINT64_C(1) << TWI_BIN_TOP), TWI_BINS - 1);
}

// ---- the database ----

static struct twi_database *make(uint32_t room)
{
    void *memory = malloc(twi_database_size(room));
    assert_non_null(memory);
    memset(memory, 0xa5, twi_database_size(room));
    return twi_database_make(memory, room);
}

static void test_database_gives_the_shortest_first(void **state)
{
    enum { TASKS = 500 };
    uint64_t duration_ns[TASKS], last = 0;
    unsigned char seen[TASKS] = {0};
    uint32_t index = 0;
    struct twi_database *database = make(TASKS);
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct twi_rng rng = {seed};
        uint64_t load = 0;
        for (uint32_t i = 0; i < TASKS; i++) {
            duration_ns[i] = twi_rng_next(&rng) >> (20 + twi_rng_below(&rng, 44));
            twi_database_add(database, i, duration_ns[i]);
            load += middle(duration_ns[i]);
        }
        assert_int_equal(database->load_ns, load);
        memset(seen, 0, sizeof seen);
        last = 0;
        for (uint32_t i = TASKS; i-- > 0;) {
            uint32_t bin = twi_database_take(database, 0, &index);
            assert_int_equal(bin, twi_bin_of(duration_ns[index]));
            assert_int_equal(seen[index]++, 0);
            assert_true(middle(duration_ns[index]) >= last);
            last = middle(duration_ns[index]);
            assert_int_equal(database->count, i);
        }
        assert_int_equal(twi_database_take(database, 0, &index), TWI_BINS);
        assert_int_equal(database->load_ns, 0);
    }
    free(database);
}

static void test_database_passes_over_what_is_too_short(void **state)
{
    uint32_t index = 99;
    struct twi_database *database = make(3);
    (void)state;
    twi_database_add(database, 0, 0);
    twi_database_add(database, 1, UINT64_MAX);
    twi_database_add(database, 2, 70);
    assert_int_equal(twi_database_take(database, 1, &index), 70);
    assert_int_equal(index, 2);
    assert_int_equal(twi_database_take(database, 71, &index), TWI_BINS - 1);
    assert_int_equal(index, 1);
    assert_int_equal(twi_database_take(database, 1, &index), TWI_BINS);
    assert_int_equal(twi_database_take(database, TWI_BINS, &index), TWI_BINS);
    assert_int_equal(twi_database_take(database, 0, &index), 0);
    assert_int_equal(index, 0);
    free(database);
}

static void test_database_of_any_bin_is_found_from_any_other(void **state)
{
    uint32_t index;
    struct twi_database *database = make(1);
    struct twi_rng rng = {5};
    (void)state;
    for (uint32_t bin = 0; bin < TWI_BINS; bin++) {
        uint32_t least = twi_rng_below(&rng, TWI_BINS);
        twi_database_add(database, 0, twi_bin_ns(bin));
        assert_int_equal(twi_database_take(database, least, &index), bin >= least ? bin : TWI_BINS);
        twi_database_clear(database);
    }
    free(database);
}

static void test_database_is_empty_when_cleared(void **state)
{
    uint32_t index;
    struct twi_database *database = make(64);
    (void)state;
    for (uint32_t i = 0; i < 64; i++)
        twi_database_add(database, i, UINT64_C(3) << i % 45);
    twi_database_clear(database);
    assert_int_equal(database->count, 0);
    assert_int_equal(database->load_ns, 0);
    assert_int_equal(twi_database_take(database, 0, &index), TWI_BINS);
    twi_database_add(database, 7, 12);
    assert_int_equal(twi_database_take(database, 0, &index), 12);
    assert_int_equal(index, 7);
    assert_int_equal(twi_database_take(database, 0, &index), TWI_BINS);
    free(database);
}

// ---- null tasks ----

static void test_prune_keeps_the_others_in_their_order(void **state)
{
    const uint8_t is_null[] = {1, 0, 0, 1, 0, 1};
    uint32_t kept[6];
    (void)state;
    assert_int_equal(twi_prune(is_null, 6, kept), 3);
    assert_int_equal(kept[0], 1);
    assert_int_equal(kept[1], 2);
    assert_int_equal(kept[2], 4);
    assert_int_equal(twi_prune(is_null, 1, kept), 0);
    assert_int_equal(twi_prune(is_null, 0, kept), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bin_is_near_its_durations_and_in_order),
        cmocka_unit_test(test_bin_of_a_middle_is_the_bin),
        cmocka_unit_test(test_database_gives_the_shortest_first),
        cmocka_unit_test(test_database_passes_over_what_is_too_short),
        cmocka_unit_test(test_database_of_any_bin_is_found_from_any_other),
        cmocka_unit_test(test_database_is_empty_when_cleared),
        cmocka_unit_test(test_prune_keeps_the_others_in_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

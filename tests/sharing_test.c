// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// Which places of a host count as sharing processors, by their affinity masks.
#include "support.h"

#include <sched.h>
#include <string.h>

#include "fabric/sharing.h"

enum { PLACES = 4 };

static struct twi_processors each[PLACES];

static int no_processors(void **state)
{
    (void)state;
    memset(each, 0, sizeof each);
    return 0;
}

static void give(unsigned place, unsigned first, unsigned count)
{
    for (unsigned i = first; i < first + count; i++)
        each[place].bits[i / 8] |= (unsigned char)(1u << i % 8);
}

static void shares(uint32_t place, uint32_t sharers, uint32_t before, uint32_t first, int is_alike)
{
    struct twi_sharing sharing = twi_sharing_of(each, PLACES, place);
    assert_int_equal(sharing.sharers, sharers);
    assert_int_equal(sharing.before, before);
    assert_int_equal(sharing.first, first);
    assert_int_equal(sharing.is_alike, is_alike);
}

static void test_sharing_not_bound_all_share(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PLACES; i++)
        give(i, 0, 64);
    for (unsigned i = 0; i < PLACES; i++)
        shares(i, PLACES, i, 0, 1);
}

static void test_sharing_bound_to_different_processors_nobody_shares(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PLACES; i++)
        give(i, 16 * i, 16);
    for (unsigned i = 0; i < PLACES; i++)
        shares(i, 1, 0, i, 1);
}

// Two places to a socket.
static void test_sharing_bound_in_pairs_counts_the_pair(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PLACES; i++)
        give(i, 32 * (i / 2), 32);
    for (unsigned i = 0; i < PLACES; i++)
        shares(i, 2, i % 2, i - i % 2, 1);
}

// Dealt out in turn: places 0 and 2, 1 and 3.
static void test_sharing_need_not_be_with_the_next(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PLACES; i++)
        give(i, 8100 + i % 2, 1);
    for (unsigned i = 0; i < PLACES; i++)
        shares(i, 2, i / 2, i % 2, 1);
}

static void test_sharing_overlaps_count_and_are_not_alike(void **state)
{
    (void)state;
    give(0, 0, 2);
    give(1, 1, 2);
    give(2, 2, 2);
    give(3, 7, 1);
    shares(0, 2, 0, 0, 0);
    shares(1, 3, 1, 1, 0);
    shares(2, 2, 1, 2, 0);
    shares(3, 1, 0, 3, 1);
}

static void test_sharing_of_one_that_is_not_bound_is_with_all(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PLACES - 1; i++)
        give(i, i, 1);
    give(PLACES - 1, 0, 64);
    shares(0, 2, 0, 0, 0);
    shares(PLACES - 1, PLACES, PLACES - 1, PLACES - 1, 0);
}

static void test_sharing_knows_the_mask_of_this_process(void **state)
{
    (void)state;
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof mask, &mask) != 0)
        skip();
    twi_processors_here(&each[0]);
    for (unsigned i = 0; i < CPU_SETSIZE; i++)
        assert_int_equal(each[0].bits[i / 8] >> i % 8 & 1, CPU_ISSET(i, &mask) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_sharing_not_bound_all_share, no_processors),
        cmocka_unit_test_setup(test_sharing_bound_to_different_processors_nobody_shares,
                               no_processors),
        cmocka_unit_test_setup(test_sharing_bound_in_pairs_counts_the_pair, no_processors),
        cmocka_unit_test_setup(test_sharing_need_not_be_with_the_next, no_processors),
        cmocka_unit_test_setup(test_sharing_overlaps_count_and_are_not_alike, no_processors),
        cmocka_unit_test_setup(test_sharing_of_one_that_is_not_bound_is_with_all, no_processors),
        cmocka_unit_test_setup(test_sharing_knows_the_mask_of_this_process, no_processors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

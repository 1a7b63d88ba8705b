// SPDX-License-Identifier: Apache-2.0
// The table of pairs that have packets under way, against one that forgets nothing.
// ctest: workers=1
#include "fabric/sim_pairs.h"

#include "base/rng.h"
#include "support.h"

enum { PLACES = 60 };

static uint64_t known[PLACES][PLACES];

static void play(uint64_t seed, uint32_t late_most)
{
    struct twi_sim_pairs pairs = {0};
    struct twi_rng rng = {seed};
    for (int from = 0; from < PLACES; from++)
        for (int to = 0; to < PLACES; to++)
            known[from][to] = 0;
    uint64_t now = 0;
    for (int i = 0; i < 20000; i++) {
        uint32_t from = twi_rng_below(&rng, PLACES), to = twi_rng_below(&rng, PLACES);
        now += twi_rng_below(&rng, 3);
        uint64_t *last = twi_sim_pair(&pairs, from, to, now);
        assert_non_null(last);
        if (*last != known[from][to] && !(*last == 0 && known[from][to] < now))
            fail_msg("seed %llu: %u to %u at %llu instead of %llu, now %llu",
                     (unsigned long long)seed, from, to, (unsigned long long)*last,
                     (unsigned long long)known[from][to], (unsigned long long)now);
        *last = known[from][to] = now + twi_rng_below(&rng, late_most);
    }
    assert_true(2 * pairs.used <= pairs.room + 2);
    assert_int_equal(twi_sim_pairs_bytes(&pairs), pairs.room * sizeof *pairs.table);
    twi_sim_pairs_destroy(&pairs);
}

static void test_sim_pairs_know_what_is_under_way(void **state)
{
    (void)state;
    for (int seed = 0; seed < test_scaled(30); seed++)
        for (uint32_t late = 1; late <= 100000; late *= 10)
            play((uint64_t)seed, late);
}

// However many pairs there have been: only those under way take memory.
static void test_sim_pairs_forget_the_past(void **state)
{
    (void)state;
    struct twi_sim_pairs pairs = {0};
    for (uint32_t i = 0; i < 1000000; i++)
        *twi_sim_pair(&pairs, i, i / 2, i) = i + 100;
    assert_true(pairs.room <= 1024);
    twi_sim_pairs_destroy(&pairs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sim_pairs_know_what_is_under_way),
        cmocka_unit_test(test_sim_pairs_forget_the_past),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

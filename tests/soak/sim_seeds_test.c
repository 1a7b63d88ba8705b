// SPDX-License-Identifier: Apache-2.0
// ctest: timeout=3000 workers=2
// The long form of sim_campaign_test.c: other scenarios, 100,000 of them in a release build.
#include "sim/campaign.h"
#include "support.h"

enum { SEEDS = 10000, FIRST = 1000001 };

static void test_sim_seeds_find_nothing_wrong(void **state)
{
    (void)state;
    struct sim_campaign campaign = {.first = FIRST, .count = (uint64_t)test_scaled(SEEDS)};
    assert_int_equal(sim_campaign_run(&campaign, NULL), 0);
    if (campaign.failed)
        fail_msg("twill sim campaign --seeds 1 --seed %llu: %s",
                 (unsigned long long)campaign.scenario.seed, campaign.trouble);
    assert_int_equal(campaign.done, campaign.count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sim_seeds_find_nothing_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

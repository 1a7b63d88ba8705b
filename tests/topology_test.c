// SPDX-License-Identifier: Apache-2.0
// ctest: workers=2
// Order of binding, with and without hwloc: a permutation of the processors allowed.
#include "support.h"

#include "base/cpus.h"
#include "base/topology.h"

enum { ROOM = 1024 };

static void check_permutation(int use_hwloc)
{
    int order[ROOM];
    unsigned n = twi_topology_order(use_hwloc, order, ROOM);
    assert_int_equal(n, twi_cpus_allowed());
    for (unsigned i = 0; i < n; i++) {
        unsigned seen = 0;
        for (unsigned k = 0; k < n; k++)
            seen += order[k] == twi_cpus_nth(i);
        assert_int_equal(seen, 1);
    }
}

static void test_topology_order_is_a_permutation(void **state)
{
    (void)state;
    check_permutation(0);
    check_permutation(1);
    assert_in_range(twi_topology_nodes(), 1, 2);
}

TW_TASK(nothing, {})
{
}

static void test_topology_workers_run_in_any_order(void **state)
{
    (void)state;
    struct tw_options options;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.bind = TW_BIND_ON;
    for (int t = TW_TOPOLOGY_AUTO; t <= TW_TOPOLOGY_OFF; t++) {
        options.topology = (enum tw_topology)t;
        assert_int_equal(tw_run_with(&options, nothing), 0);
    }
}

static void test_topology_a_run_restores_the_callers_mask(void **state)
{
    (void)state;
    struct tw_options options;
    unsigned before = twi_cpus_allowed();
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.bind = TW_BIND_ON;
    assert_int_equal(tw_run_with(&options, nothing), 0);
    assert_int_equal(twi_cpus_allowed(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_topology_order_is_a_permutation),
        cmocka_unit_test(test_topology_workers_run_in_any_order),
        cmocka_unit_test(test_topology_a_run_restores_the_callers_mask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

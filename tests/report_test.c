// SPDX-License-Identifier: Apache-2.0
// ctest: workers=2
// What a place tells of itself when it is alone, and of an MPI that is not there.
// tests/mpi/places_report_test.sh has several places, and MPIs.
#include "support.h"

TW_TASK(leaf, { int unused; })
{
    (void)self;
}

TW_TASK(spread, { int count; })
{
    tw_finish {
        for (int i = 0; i < self.count; i++)
            tw_async_any(leaf, .unused = i);
    }
}

static void test_report_alone_nobody_steals(void **state)
{
    (void)state;
    struct tw_place_stats stats, none = {0};
    uint64_t stolen = 7;
    assert_int_equal(tw_places(), 1);
    assert_int_equal(tw_run(spread, .count = 1000), 0);
    memset(&stats, 0xff, sizeof stats);
    assert_int_equal(tw_places_stats(&stats, &stolen), 0);
    assert_memory_equal(&stats, &none, sizeof none);
    assert_int_equal(stolen, 0);
    memset(&stats, 0xff, sizeof stats);
    assert_int_equal(tw_places_stats(&stats, NULL), 0);
    assert_memory_equal(&stats, &none, sizeof none);
}

static void test_report_mpi_without_plugin(void **state)
{
    (void)state;
    struct tw_mpi mpi;
    assert_int_equal(tw_mpi_describe(&mpi, "/none/plugin.so"), TW_ENOENT);
    assert_string_equal(mpi.name, "/none/plugin.so");
    assert_string_equal(mpi.version, "");
    assert_null(mpi.cures);
    assert_non_null(strstr(mpi.message, "/none/plugin.so"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report_alone_nobody_steals),
        cmocka_unit_test(test_report_mpi_without_plugin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Jacobi sweeps: rows, sequential or as tasks, give what the points one by one give, bit for bit.
#include "support.h"

#include <string.h>

#include "apps/stencil/stencil.h"

static void assert_same(const struct stencil *a, const struct stencil *b)
{
    assert_memory_equal(a->now, b->now, a->n * a->n * sizeof *a->now);
    assert_true(stencil_checksum(a) == stencil_checksum(b));
}

static void test_stencil_every_way_gives_the_same_grid(void **state)
{
    (void)state;
    static const size_t sizes[] = {3, 4, 5, 17, 100, 257};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t sweeps = 1; sweeps <= 30; sweeps += 7) {
            struct stencil plain, other;
            assert_true(stencil_make(&plain, sizes[i]));
            assert_true(stencil_make(&other, sizes[i]));
            stencil_plain(&plain, sweeps);
            stencil_sequential(&other, sweeps);
            assert_same(&plain, &other);
            stencil_fill(&other);
            assert_int_equal(stencil_loop(NULL, &other, sweeps), 0);
            assert_same(&plain, &other);
            stencil_free(&plain);
            stencil_free(&other);
        }
    }
}

static void test_stencil_border_stays_and_points_change(void **state)
{
    (void)state;
    struct stencil before, after;
    assert_true(stencil_make(&before, 12));
    assert_true(stencil_make(&after, 12));
    assert_int_equal(stencil_loop(NULL, &after, 1), 0);
    for (size_t i = 0; i < 12; i++)
        for (size_t j = 0; j < 12; j++) {
            int inside = i > 0 && j > 0 && i < 11 && j < 11;
            assert_int_equal(before.now[i * 12 + j] != after.now[i * 12 + j], inside);
        }
    stencil_free(&before);
    stencil_free(&after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stencil_every_way_gives_the_same_grid),
        cmocka_unit_test(test_stencil_border_stays_and_points_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

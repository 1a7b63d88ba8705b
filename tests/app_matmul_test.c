// SPDX-License-Identifier: Apache-2.0
// The product of matrices: tiles, sequential or as tasks, give what three plain loops give.
#include "support.h"

#include <string.h>

#include "apps/matmul/matmul.h"

static double *copy_of(const struct matmul *m)
{
    size_t size = m->stride * m->stride * sizeof *m->c;
    double *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, m->c, size);
    return copy;
}

static void assert_product(const struct matmul *m, const double *expected)
{
    assert_memory_equal(m->c, expected, m->stride * m->stride * sizeof *expected);
    assert_true(matmul_checksum(m) == matmul_expected(m));
}

static void test_matmul_every_way_gives_the_same_product(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 4, 5, 63, 64, 65, 130, 260};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct matmul m;
        assert_true(matmul_make(&m, sizes[i]));
        matmul_plain(&m);
        double *plain = copy_of(&m);
        assert_product(&m, plain);
        memset(m.c, 0xff, sizeof *m.c * m.stride * m.stride);
        matmul_sequential(&m);
        assert_product(&m, plain);
        memset(m.c, 0xff, sizeof *m.c * m.stride * m.stride);
        assert_int_equal(matmul_loop(NULL, &m), 0);
        assert_product(&m, plain);
        free(plain);
        matmul_free(&m);
    }
}

static void test_matmul_a_wrong_entry_changes_the_checksum(void **state)
{
    (void)state;
    struct matmul m;
    assert_true(matmul_make(&m, 20));
    matmul_sequential(&m);
    m.c[3 * m.stride + 17] += 1;
    assert_false(matmul_checksum(&m) == matmul_expected(&m));
    matmul_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matmul_every_way_gives_the_same_product),
        cmocka_unit_test(test_matmul_a_wrong_entry_changes_the_checksum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

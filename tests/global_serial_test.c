// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// global.h and matrix.h in the sequential elision.
#define TWILL_SERIAL
#include "support.h"

#include <string.h>

static struct tw_global array;
static struct tw_matrix matrix;

static int make_both(void **state)
{
    struct tw_shape shape = {TW_DOUBLE, 10, 7, 4, 3, 0, 0};
    (void)state;
    return tw_global_make(&array, TW_INT32, 100) || tw_matrix_make(&matrix, shape);
}

static int free_both(void **state)
{
    (void)state;
    return tw_global_free(&array) || tw_matrix_free(&matrix);
}

static void test_global_serial_keeps_what_is_put(void **state)
{
    int32_t five = 5, in[6] = {1, 2, 3, 4, 5, 6}, out[6];
    const int32_t *own = (const int32_t *)tw_global_local(array);
    (void)state;
    assert_int_equal(tw_global_count(array), 100);
    assert_ptr_equal(tw_global_reach(array, 0), own);
    tw_global_fill(array, &five);
    tw_copy(tw_part_rows(tw_part_of(array, 0, 10, 2), 3, 30),
            tw_part_rows(tw_part_here(in, 2), 3, 2));
    tw_global_accumulate(array, 0, 40, in, 2);
    assert_true(own[9] == 5 && own[10] == 1 && own[40] == 4 && own[41] == 6 && own[71] == 6);
    assert_int_equal(tw_async_copy(tw_part_here(out, 2), tw_part_of(array, 0, 40, 2), NULL), 0);
    assert_true(out[0] == 4 && out[1] == 6);
    assert_int_equal(tw_async_accumulate(tw_part_of(array, 0, 0, 1), tw_part_here(in, 1), NULL), 0);
    tw_global_get(array, 0, 0, out, 1);
    assert_int_equal(out[0], 6);
    tw_global_put(array, 0, 99, in, 1);
    assert_int_equal(own[99], 1);
}

static void test_global_serial_has_matrices(void **state)
{
    double whole[10][7], back[10][8], tile[12];
    (void)state;
    for (int i = 0; i < 70; i++)
        whole[i / 7][i % 7] = i;
    tw_matrix_scatter(matrix, whole, 7);
    tw_tile_get(matrix, 2, 2, tile, 3); // 2 x 1
    assert_true(tile[0] == 62 && tile[3] == 69);
    assert_int_equal(tw_tile_owner(matrix, 2, 2), 0);
    tw_tile_accumulate(matrix, 2, 2, tile, 3);
    tw_tile_put(matrix, 0, 0, whole, 7);
    tw_matrix_gather(matrix, back, 8);
    assert_true(back[8][6] == 124 && back[9][6] == 138 && back[3][2] == 23);
    assert_true(*(double *)tw_tile_local(matrix, 2, 2) == 124);
    tw_matrix_fill(matrix, NULL);
    assert_true(*(double *)tw_tile_local(matrix, 2, 2) == 0);
    assert_int_equal(tw_matrix_shape(matrix).grid_rows, 1);
}

static void test_global_serial_says_what_it_cannot_make(void **state)
{
    struct tw_global none;
    struct tw_matrix odd;
    struct tw_shape shape = {TW_DOUBLE, 10, 0, 4, 3, 0, 0};
    (void)state;
    assert_int_equal(tw_global_make(&none, TW_BYTE, 0), TW_EINVAL);
    assert_int_equal(tw_global_make(&none, (enum tw_element)9, 1), TW_EINVAL);
    assert_int_equal(tw_matrix_make(&odd, shape), TW_EINVAL);
}

static void beyond_the_end(void)
{
    int32_t some[2];
    tw_global_get(array, 0, 99, some, 2);
}

static void no_such_tile(void)
{
    (void)tw_matrix_tile(matrix, 3, 0);
}

static void freed(void)
{
    (void)tw_global_free(&array);
    (void)tw_global_count(array);
}

static void test_global_serial_refuses_misuse(void **state)
{
    char text[200];
    (void)state;
    assert_true(test_dies(beyond_the_end, text, sizeof text));
    assert_non_null(strstr(text, "a part reaches beyond its end"));
    assert_true(test_dies(no_such_tile, text, sizeof text));
    assert_non_null(strstr(text, "no such tile"));
    assert_true(test_dies(freed, text, sizeof text));
    assert_non_null(strstr(text, "it is freed"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_global_serial_keeps_what_is_put),
        cmocka_unit_test(test_global_serial_has_matrices),
        cmocka_unit_test(test_global_serial_says_what_it_cannot_make),
        cmocka_unit_test(test_global_serial_refuses_misuse),
    };
    return cmocka_run_group_tests(tests, make_both, free_both);
}

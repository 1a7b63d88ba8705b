// SPDX-License-Identifier: Apache-2.0
// matrix.h where there is one place, and where tiles are at any number of them.
#include "support.h"

#include <string.h>

#include <twill/matrix.h>

// ---- who owns what ----

// Every element of the matrix is stored, no two at the same spot.
static void check_storage(struct tw_shape shape, unsigned places)
{
    size_t each = tw_shape_complete(&shape, places), stored = 0;
    assert_true(each > 0);
    assert_int_equal(shape.grid_rows * shape.grid_columns, places);
    unsigned char *taken = calloc(places, each);
    for (uint32_t i = 0; i < tw_shape_down(&shape); i++)
        for (uint32_t j = 0; j < tw_shape_across(&shape); j++) {
            struct tw_tile tile = tw_shape_tile(&shape, i, j);
            assert_true(tile.owner < places && tile.rows > 0 && tile.columns > 0);
            assert_int_equal(tile.row, i * shape.tile_rows);
            assert_int_equal(tile.column, j * shape.tile_columns);
            assert_true(tile.at + (size_t)tile.rows * tile.columns <= each);
            for (size_t k = 0; k < (size_t)tile.rows * tile.columns; k++)
                stored += !taken[tile.owner * each + tile.at + k]++;
        }
    assert_int_equal(stored, (size_t)shape.rows * shape.columns);
    free(taken);
}

static void test_matrix_stores_each_element_once(void **state)
{
    static const uint32_t sizes[] = {1, 2, 7, 16, 31}, tiles[] = {1, 3, 8, 40};
    (void)state;
    for (unsigned places = 1; places <= 12; places++)
        for (size_t k = 0; k < 5 * 5 * 4 * 4; k++) {
            struct tw_shape shape = {.type = TW_DOUBLE,
                                     .rows = sizes[k % 5],
                                     .columns = sizes[k / 5 % 5],
                                     .tile_rows = tiles[k / 25 % 4],
                                     .tile_columns = tiles[k / 100]};
            check_storage(shape, places);
        }
    check_storage((struct tw_shape){TW_FLOAT, 20, 30, 3, 4, 6, 1}, 6);
}

static void grid_of(unsigned places, uint32_t rows, uint32_t columns)
{
    struct tw_shape shape = {TW_DOUBLE, 9, 9, 1, 1, 0, 0};
    assert_true(tw_shape_complete(&shape, places) > 0);
    assert_int_equal(shape.grid_rows, rows);
    assert_int_equal(shape.grid_columns, columns);
}

static void test_matrix_grids_are_nearly_square(void **state)
{
    (void)state;
    grid_of(1, 1, 1);
    grid_of(2, 1, 2);
    grid_of(7, 1, 7);
    grid_of(12, 3, 4);
    grid_of(16, 4, 4);
    grid_of(1000, 25, 40);
}

static void test_matrix_refuses_impossible_shapes(void **state)
{
    static const struct tw_shape wrong[] = {
        {TW_DOUBLE, 0, 9, 1, 1, 0, 0},          {TW_DOUBLE, 9, 0, 1, 1, 0, 0},
        {TW_DOUBLE, 9, 9, 0, 1, 0, 0},          {TW_DOUBLE, 9, 9, 1, 0, 0, 0},
        {TW_DOUBLE, 9, 9, 1, 1, 2, 1},          {TW_DOUBLE, 9, 9, 1, 1, 0, 1},
        {(enum tw_element)9, 9, 9, 1, 1, 0, 0}, {TW_DOUBLE, UINT32_MAX, 9, 1, 1, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct tw_matrix matrix;
        assert_int_equal(tw_matrix_make(&matrix, wrong[i]), TW_EINVAL);
    }
    struct tw_matrix huge;
    struct tw_shape shape = {TW_DOUBLE, INT32_MAX, INT32_MAX, 1000, 1000, 0, 0};
    assert_int_equal(tw_matrix_make(&huge, shape), TW_ENOMEM);
}

// ---- tiles ----

enum { ROWS = 23, COLUMNS = 31, TILE_ROWS = 5, TILE_COLUMNS = 8, DOWN = 5, ACROSS = 4 };
static struct tw_matrix matrix;

static int make_matrix(void **state)
{
    struct tw_shape shape = {TW_DOUBLE, ROWS, COLUMNS, TILE_ROWS, TILE_COLUMNS, 0, 0};
    (void)state;
    return tw_matrix_make(&matrix, shape);
}

static int free_matrix(void **state)
{
    (void)state;
    return tw_matrix_free(&matrix);
}

static void number_all(double whole[ROWS][COLUMNS + 2])
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS + 2; j++)
            whole[i][j] = 100 * i + j;
}

static void test_matrix_scatters_and_gathers(void **state)
{
    double whole[ROWS][COLUMNS + 2], back[ROWS][COLUMNS];
    (void)state;
    number_all(whole);
    tw_matrix_scatter(matrix, whole, COLUMNS + 2);
    tw_matrix_gather(matrix, back, COLUMNS);
    for (int i = 0; i < ROWS; i++)
        assert_memory_equal(back[i], whole[i], sizeof back[i]);
    const double *tile = tw_tile_local(matrix, 4, 3); // 3 x 7
    assert_int_equal(tw_matrix_tile(matrix, 4, 3).columns, 7);
    assert_true(tile[0] == 2024 && tile[6] == 2030 && tile[7] == 2124 && tile[20] == 2230);
    assert_int_equal(tw_tile_owner(matrix, 4, 3), 0);
    struct tw_shape shape = tw_matrix_shape(matrix);
    assert_int_equal(tw_shape_down(&shape), DOWN);
    assert_int_equal(tw_shape_across(&shape), ACROSS);
}

static void test_matrix_tiles_are_got_put_and_added_to(void **state)
{
    double tile[TILE_ROWS * 10], zero = 0, back[ROWS][COLUMNS];
    (void)state;
    for (int i = 0; i < TILE_ROWS * 10; i++)
        tile[i] = i;
    tw_matrix_fill(matrix, &zero);
    tw_tile_put(matrix, 1, 1, tile, 10);
    tw_tile_accumulate(matrix, 1, 1, tile, 10);
    tw_tile_accumulate(matrix, 4, 3, tile, 10);
    tw_matrix_gather(matrix, back, COLUMNS);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            int first = i >= 5 && i < 10 && j >= 8 && j < 16, last = i >= 20 && j >= 24;
            assert_true(back[i][j] == (first  ? 2 * (10 * (i - 5) + j - 8)
                                       : last ? 10 * (i - 20) + j - 24
                                              : 0));
        }
    memset(tile, 0, sizeof tile);
    tw_tile_get(matrix, 1, 1, tile, 9);
    assert_true(tile[7] == 14 && tile[8] == 0 && tile[9] == 20);
}

// ---- tasks ----

TW_TASK(add_ones, {
    struct tw_matrix to;
    uint32_t i, j;
})
{
    double ones[TILE_ROWS * TILE_COLUMNS];
    for (int k = 0; k < TILE_ROWS * TILE_COLUMNS; k++)
        ones[k] = 1;
    tw_tile_accumulate(self.to, self.i, self.j, ones, TILE_COLUMNS);
}

TW_TASK(add_everywhere, { int rounds; })
{
    double back[ROWS * COLUMNS];
    tw_finish {
        for (uint32_t k = 0; k < (uint32_t)self.rounds * DOWN * ACROSS; k++)
            tw_async_any(add_ones, .to = matrix, .i = k % DOWN, .j = k / DOWN % ACROSS);
    }
    tw_matrix_gather(matrix, back, COLUMNS);
    for (int k = 0; k < ROWS * COLUMNS; k++)
        if (back[k] != self.rounds)
            tw_fail(TW_EIO);
}

static void test_matrix_sums_of_tasks_add_up(void **state)
{
    (void)state;
    tw_matrix_fill(matrix, NULL);
    assert_int_equal(tw_run(add_everywhere, .rounds = test_scaled(60)), 0);
}

// ---- what is refused ----

static void too_low(void)
{
    (void)tw_matrix_tile(matrix, DOWN, 0);
}

static void too_far_right(void)
{
    double tile[64];
    tw_tile_get(matrix, 0, ACROSS, tile, 8);
}

static void no_matrix(void)
{
    struct tw_matrix plain;
    (void)tw_global_make(&plain.global, TW_DOUBLE, 10);
    (void)tw_matrix_tile(plain, 0, 0);
}

static void freed(void)
{
    struct tw_matrix copy = matrix;
    (void)tw_matrix_free(&matrix);
    tw_matrix_fill(copy, NULL);
}

static void test_matrix_refuses_misuse(void **state)
{
    char text[400];
    (void)state;
    assert_true(test_dies(too_low, text, sizeof text));
    assert_non_null(strstr(text, "tile (5, 0) of a matrix that has 5 x 4 tiles"));
    assert_true(test_dies(too_far_right, text, sizeof text));
    assert_non_null(strstr(text, "tile (0, 4) of a matrix that has 5 x 4 tiles"));
    assert_true(test_dies(no_matrix, text, sizeof text));
    assert_non_null(strstr(text, "used as a matrix"));
    assert_true(test_dies(freed, text, sizeof text));
    assert_non_null(strstr(text, "is freed"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrix_stores_each_element_once),
        cmocka_unit_test(test_matrix_grids_are_nearly_square),
        cmocka_unit_test(test_matrix_refuses_impossible_shapes),
        cmocka_unit_test(test_matrix_scatters_and_gathers),
        cmocka_unit_test(test_matrix_tiles_are_got_put_and_added_to),
        cmocka_unit_test(test_matrix_sums_of_tasks_add_up),
        cmocka_unit_test(test_matrix_refuses_misuse),
    };
    return cmocka_run_group_tests(tests, make_matrix, free_matrix);
}

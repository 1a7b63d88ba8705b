// SPDX-License-Identifier: Apache-2.0
// Matrices (include/twill/matrix.h): global arrays with a shape, which all places know.
#include <inttypes.h>
#include <stdio.h>

#include <twill/matrix.h>

#include "place/global.h"
#include "place/spmd.h"
#include "sched/sched.h"
#include "task/task.h"

int tw_matrix_make(struct tw_matrix *matrix, struct tw_shape shape)
{
    if (twi_worker_maybe())
        twi_spmd_require("tw_matrix_make");
    size_t count = tw_shape_complete(&shape, tw_places());
    return twi_global_make(&matrix->global, &shape, count);
}

int tw_matrix_free(struct tw_matrix *matrix)
{
    return tw_global_free(&matrix->global);
}

static const struct tw_shape *shape_of(struct tw_matrix matrix)
{
    const struct tw_shape *shape = &twi_global_find(matrix.global)->shape;
    if (!shape->rows)
        tw_misuse("a global array was used as a matrix", "");
    return shape;
}

struct tw_shape tw_matrix_shape(struct tw_matrix matrix)
{
    return *shape_of(matrix);
}

struct tw_tile tw_matrix_tile(struct tw_matrix matrix, uint32_t i, uint32_t j)
{
    const struct tw_shape *shape = shape_of(matrix);
    uint32_t down = tw_shape_down(shape), across = tw_shape_across(shape);
    char text[160];
    if (i >= down || j >= across) {
        snprintf(text, sizeof text,
                 "place %u: tile (%" PRIu32 ", %" PRIu32 ") of a matrix that has %" PRIu32
                 " x %" PRIu32 " tiles",
                 tw_here(), i, j, down, across);
        tw_misuse(text, "");
    }
    return tw_shape_tile(shape, i, j);
}

struct tw_part tw_matrix_part(struct tw_matrix matrix, uint32_t i, uint32_t j)
{
    struct tw_tile tile = tw_matrix_tile(matrix, i, j);
    struct tw_part row = tw_part_of(matrix.global, tile.owner, tile.at, tile.columns);
    return tw_part_rows(row, tile.rows, tile.columns);
}

void *tw_tile_local(struct tw_matrix matrix, uint32_t i, uint32_t j)
{
    struct tw_tile tile = tw_matrix_tile(matrix, i, j);
    if (tile.owner != tw_here())
        return NULL;
    char *part = tw_global_local(matrix.global);
    return part + tile.at * tw_element_size(shape_of(matrix)->type);
}

void tw_matrix_fill(struct tw_matrix matrix, const void *element)
{
    (void)shape_of(matrix);
    tw_global_fill(matrix.global, element);
}

// ---- the whole of it ----

// A tile's place in the whole matrix, in memory here.
static struct tw_part place_of(struct tw_matrix matrix, uint32_t i, uint32_t j, const void *whole,
                               size_t stride)
{
    struct tw_tile tile = tw_matrix_tile(matrix, i, j);
    struct tw_part row = tw_part_here(whole, tile.columns);
    row.at = tile.row * stride + tile.column;
    return tw_part_rows(row, tile.rows, stride);
}

// Many tiles are under way at once; one that no memory is left for goes alone.
static void move(struct tw_part to, struct tw_part from)
{
    if (tw_async_copy(to, from, NULL) != 0)
        tw_copy(to, from);
}

static void move_all(struct tw_matrix matrix, const void *whole, size_t stride, int is_in)
{
    const struct tw_shape *shape = shape_of(matrix);
    for (uint32_t i = 0; i < tw_shape_down(shape); i++)
        for (uint32_t j = 0; j < tw_shape_across(shape); j++) {
            struct tw_part tile = tw_matrix_part(matrix, i, j);
            struct tw_part here = place_of(matrix, i, j, whole, stride);
            if (is_in)
                move(here, tile);
            else
                move(tile, here);
        }
}

static void move_and_wait(struct tw_matrix matrix, const void *whole, size_t stride, int is_in)
{
    struct tw_scope scope;
    int in_task = twi_worker_maybe() != NULL;
    if (in_task)
        tw_scope_begin(&scope);
    move_all(matrix, whole, stride, is_in);
    if (in_task)
        tw_scope_end(&scope);
}

void tw_matrix_gather(struct tw_matrix matrix, void *to, size_t stride)
{
    move_and_wait(matrix, to, stride, 1);
}

void tw_matrix_scatter(struct tw_matrix matrix, const void *from, size_t stride)
{
    move_and_wait(matrix, from, stride, 0);
}

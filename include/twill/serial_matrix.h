// SPDX-License-Identifier: Apache-2.0
// matrix.h in the sequential elision: all tiles are here.
#ifndef TWILL_SERIAL_MATRIX_H
#define TWILL_SERIAL_MATRIX_H
#ifdef TWILL_SERIAL

#include <twill/matrix.h>

static inline int tw_matrix_make(struct tw_matrix *matrix, struct tw_shape shape)
{
    size_t count = tw_shape_complete(&shape, 1);
    struct tw_shape *kept = (struct tw_shape *)malloc(sizeof *kept);
    int error = kept ? tw_global_make(&matrix->global, shape.type, count) : TW_ENOMEM;
    if (error) {
        free(kept);
        return error;
    }
    *kept = shape;
    matrix->global.array->shape = kept;
    return 0;
}

static inline int tw_matrix_free(struct tw_matrix *matrix)
{
    return tw_global_free(&matrix->global);
}

static inline struct tw_shape tw_matrix_shape(struct tw_matrix matrix)
{
    const struct tw_shape *shape = twi_serial_find(matrix.global)->shape;
    twi_serial_require(shape != NULL, "global", "array", "it is no matrix");
    return *shape;
}

static inline struct tw_tile tw_matrix_tile(struct tw_matrix matrix, uint32_t i, uint32_t j)
{
    struct tw_shape shape = tw_matrix_shape(matrix);
    twi_serial_require(i < tw_shape_down(&shape) && j < tw_shape_across(&shape), "global", "matrix",
                       "it has no such tile");
    return tw_shape_tile(&shape, i, j);
}

static inline struct tw_part tw_matrix_part(struct tw_matrix matrix, uint32_t i, uint32_t j)
{
    struct tw_tile tile = tw_matrix_tile(matrix, i, j);
    struct tw_part row = tw_part_of(matrix.global, tile.owner, tile.at, tile.columns);
    return tw_part_rows(row, tile.rows, tile.columns);
}

static inline void *tw_tile_local(struct tw_matrix matrix, uint32_t i, uint32_t j)
{
    struct twi_serial_array *array = twi_serial_find(matrix.global);
    return array->elements + tw_matrix_tile(matrix, i, j).at * tw_element_size(array->type);
}

static inline void tw_matrix_fill(struct tw_matrix matrix, const void *element)
{
    tw_global_fill(matrix.global, element);
}

static inline void twi_serial_move(struct tw_matrix matrix, const void *whole, size_t stride,
                                   int is_in)
{
    struct tw_shape shape = tw_matrix_shape(matrix);
    for (uint32_t i = 0; i < tw_shape_down(&shape); i++)
        for (uint32_t j = 0; j < tw_shape_across(&shape); j++) {
            struct tw_tile tile = tw_shape_tile(&shape, i, j);
            struct tw_part part = tw_matrix_part(matrix, i, j);
            struct tw_part here =
                tw_part_rows(tw_part_here(whole, tile.columns), tile.rows, stride);
            here.at = tile.row * stride + tile.column;
            tw_copy(is_in ? here : part, is_in ? part : here);
        }
}

static inline void tw_matrix_gather(struct tw_matrix matrix, void *to, size_t stride)
{
    twi_serial_move(matrix, to, stride, 1);
}

static inline void tw_matrix_scatter(struct tw_matrix matrix, const void *from, size_t stride)
{
    twi_serial_move(matrix, from, stride, 0);
}

#endif
#endif

// SPDX-License-Identifier: Apache-2.0
// Matrices in tiles, which are dealt out to the places block-cyclically.
//
//     struct tw_matrix fock;
//     struct tw_shape shape = {.type = TW_DOUBLE, .rows = n, .columns = n,
//                              .tile_rows = 40, .tile_columns = 40};
//     int error = tw_matrix_make(&fock, shape);                // collective; all zero
//     tw_tile_get(fock, i, j, mine, stride);                   // in any task, of any place's tile
//     tw_tile_accumulate(fock, i, j, mine, stride);
//
// Places stand in a grid, and tile (i, j) belongs to the one at (i mod its rows, j mod its
// columns). Tiles at the lower and right edge may be smaller. A tile is stored row by row, without
// gaps. The rest is as in global.h: what is guaranteed, and from where what may be called. Tiles
// that are not there are a misuse.
#ifndef TWILL_MATRIX_H
#define TWILL_MATRIX_H

#include <twill/global.h>

// Handles travel with tasks.
struct tw_matrix {
    struct tw_global global;
};

struct tw_shape {
    enum tw_element type;
    uint32_t rows, columns;
    uint32_t tile_rows, tile_columns;
    uint32_t grid_rows, grid_columns; // of places; 0: as near to a square as their number allows
};

// A tile: where it is in the matrix, how large it is, and where it is stored.
struct tw_tile {
    uint32_t row, column; // its first element's
    uint32_t rows, columns;
    unsigned owner; // place
    size_t at;      // its first element in the owner's part
};

// Tiles from top to bottom, and from left to right.
TWI_INLINE uint32_t tw_shape_down(const struct tw_shape *shape)
{
    return (shape->rows - 1) / shape->tile_rows + 1;
}

TWI_INLINE uint32_t tw_shape_across(const struct tw_shape *shape)
{
    return (shape->columns - 1) / shape->tile_columns + 1;
}

TWI_INLINE uint32_t twi_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// Tile (i, j) of a matrix of that shape, which has a grid. It must be there.
TWI_INLINE struct tw_tile tw_shape_tile(const struct tw_shape *shape, uint32_t i, uint32_t j)
{
    size_t each_row = (tw_shape_across(shape) - 1) / shape->grid_columns + 1; // of one place
    size_t slot = i / shape->grid_rows * each_row + j / shape->grid_columns;
    struct tw_tile tile = {
        i * shape->tile_rows,
        j * shape->tile_columns,
        twi_least(shape->tile_rows, shape->rows - i * shape->tile_rows),
        twi_least(shape->tile_columns, shape->columns - j * shape->tile_columns),
        i % shape->grid_rows * shape->grid_columns + j % shape->grid_columns,
        slot * shape->tile_rows * shape->tile_columns,
    };
    return tile;
}

// Elements of each place's part; 0: the shape is impossible, for so many places. Sets the grid if
// it has none.
TWI_INLINE size_t tw_shape_complete(struct tw_shape *shape, unsigned places)
{
    if (!shape->grid_rows && !shape->grid_columns) {
        for (uint32_t rows = 1; (uint64_t)rows * rows <= places; rows++)
            if (places % rows == 0)
                shape->grid_rows = rows;
        shape->grid_columns = places / shape->grid_rows;
    }
    if (!shape->rows || !shape->columns || !shape->tile_rows || !shape->tile_columns ||
        (uint64_t)shape->grid_rows * shape->grid_columns != places ||
        !tw_element_size(shape->type) || shape->rows > INT32_MAX || shape->columns > INT32_MAX ||
        shape->tile_rows > INT32_MAX || shape->tile_columns > INT32_MAX)
        return 0;
    shape->tile_rows = twi_least(shape->tile_rows, shape->rows);
    shape->tile_columns = twi_least(shape->tile_columns, shape->columns);
    size_t down = (tw_shape_down(shape) - 1) / shape->grid_rows + 1;
    size_t across = (tw_shape_across(shape) - 1) / shape->grid_columns + 1;
    return down * shape->tile_rows * (across * shape->tile_columns);
}

#ifdef TWILL_SERIAL
static inline struct tw_tile tw_matrix_tile(struct tw_matrix matrix, uint32_t i, uint32_t j);
static inline struct tw_part tw_matrix_part(struct tw_matrix matrix, uint32_t i, uint32_t j);
#include <twill/serial_matrix.h>
#else

#ifdef __cplusplus
extern "C" {
#endif

// Makes a matrix, all zero. Collective, and errors as tw_global_make; TW_EINVAL too if a size is 0
// or above INT32_MAX, or if the grid has not as many places as there are.
TW_API int tw_matrix_make(struct tw_matrix *matrix, struct tw_shape shape);

// Frees it. Collective, as tw_global_free.
TW_API int tw_matrix_free(struct tw_matrix *matrix);

// Its shape, with the grid that it has. Never suspends; any thread.
TW_API struct tw_shape tw_matrix_shape(struct tw_matrix matrix);

// Tile (i, j). Never suspends; any thread.
TW_API struct tw_tile tw_matrix_tile(struct tw_matrix matrix, uint32_t i, uint32_t j);

// The same as what tw_copy, tw_async_copy and tw_async_accumulate take. Never suspends; any thread.
TW_API struct tw_part tw_matrix_part(struct tw_matrix matrix, uint32_t i, uint32_t j);

// A tile of this place, where it is stored: its rows follow each other. NULL: it is another's.
// Never suspends; any thread.
TW_API void *tw_tile_local(struct tw_matrix matrix, uint32_t i, uint32_t j);

// Sets all elements of this place's tiles to that one; NULL: to zero. Never suspends; any thread.
TW_API void tw_matrix_fill(struct tw_matrix matrix, const void *element);

// The whole matrix to memory here, or from it; `stride` elements from row to row. Others must leave
// it alone meanwhile, or only read. One place calls it, from a task unless there is but one. May
// suspend.
TW_API void tw_matrix_gather(struct tw_matrix matrix, void *to, size_t stride);
TW_API void tw_matrix_scatter(struct tw_matrix matrix, const void *from, size_t stride);

#ifdef __cplusplus
}
#endif
#endif

// A tile is read, written, added to; here it has `stride` elements from row to row. As tw_copy.
TWI_INLINE void tw_tile_get(struct tw_matrix matrix, uint32_t i, uint32_t j, void *to,
                            size_t stride)
{
    struct tw_part tile = tw_matrix_part(matrix, i, j);
    tw_copy(tw_part_rows(tw_part_here(to, tile.columns), tile.rows, stride), tile);
}

TWI_INLINE void tw_tile_put(struct tw_matrix matrix, uint32_t i, uint32_t j, const void *from,
                            size_t stride)
{
    struct tw_part tile = tw_matrix_part(matrix, i, j);
    tw_copy(tile, tw_part_rows(tw_part_here(from, tile.columns), tile.rows, stride));
}

TWI_INLINE void tw_tile_accumulate(struct tw_matrix matrix, uint32_t i, uint32_t j,
                                   const void *from, size_t stride)
{
    struct tw_part tile = tw_matrix_part(matrix, i, j);
    tw_accumulate(tile, tw_part_rows(tw_part_here(from, tile.columns), tile.rows, stride));
}

// The place that has it. Never suspends; any thread.
TWI_INLINE unsigned tw_tile_owner(struct tw_matrix matrix, uint32_t i, uint32_t j)
{
    return tw_matrix_tile(matrix, i, j).owner;
}

#endif

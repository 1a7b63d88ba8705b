// SPDX-License-Identifier: Apache-2.0
// Matrices in tiles: see tiles.h.
#include "apps/hf/tiles.h"

#include <stdlib.h>
#include <string.h>

bool hf_tiles_make(struct hf_tiles *matrix, size_t n, size_t tile)
{
    *matrix = (struct hf_tiles){.n = n, .tile = tile, .tiles = (n + tile - 1) / tile};
    matrix->data = calloc(hf_tiles_size(matrix), sizeof *matrix->data);
    return matrix->data != NULL;
}

void hf_tiles_free(struct hf_tiles *matrix)
{
    free(matrix->data);
}

size_t hf_tiles_size(const struct hf_tiles *matrix)
{
    return matrix->tiles * matrix->tiles * matrix->tile * matrix->tile;
}

// The part of row `row` in the tiles of column `j`, and how long it is.
static double *piece(const struct hf_tiles *matrix, size_t row, size_t j, size_t *length)
{
    size_t left = matrix->n - j * matrix->tile;
    *length = (left < matrix->tile ? left : matrix->tile) * sizeof(double);
    return hf_tile(matrix, row / matrix->tile, j) + row % matrix->tile * matrix->tile;
}

void hf_tiles_load(struct hf_tiles *matrix, const double *rows)
{
    size_t length;
    for (size_t row = 0; row < matrix->n; row++)
        for (size_t j = 0; j < matrix->tiles; j++) {
            double *to = piece(matrix, row, j, &length);
            memcpy(to, rows + row * matrix->n + j * matrix->tile, length);
        }
}

void hf_tiles_store(const struct hf_tiles *matrix, double *rows)
{
    size_t length;
    for (size_t row = 0; row < matrix->n; row++)
        for (size_t j = 0; j < matrix->tiles; j++) {
            const double *from = piece(matrix, row, j, &length);
            memcpy(rows + row * matrix->n + j * matrix->tile, from, length);
        }
}

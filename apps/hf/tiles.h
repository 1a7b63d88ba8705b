// SPDX-License-Identifier: Apache-2.0
// Square matrices of doubles, tile by tile: what tasks read and add to.
#ifndef APPS_HF_TILES_H
#define APPS_HF_TILES_H

#include <stdbool.h>
#include <stddef.h>

// Tile after tile, row by row; tiles at the edges are padded with zeros.
struct hf_tiles {
    size_t n, tile, tiles; // rows; rows of a tile; tiles in a row
    double *data;
};

// All zero. False: no memory.
bool hf_tiles_make(struct hf_tiles *matrix, size_t n, size_t tile);
void hf_tiles_free(struct hf_tiles *matrix);
size_t hf_tiles_size(const struct hf_tiles *matrix); // doubles, with the padding

static inline double *hf_tile(const struct hf_tiles *matrix, size_t i, size_t j)
{
    return matrix->data + (i * matrix->tiles + j) * matrix->tile * matrix->tile;
}

// From and to a matrix row by row.
void hf_tiles_load(struct hf_tiles *matrix, const double *rows);
void hf_tiles_store(const struct hf_tiles *matrix, double *rows);

#endif

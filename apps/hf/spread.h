// SPDX-License-Identifier: Apache-2.0
// Square matrices of doubles over places: tiles as in tiles.h, dealt out block-cyclically.
//
// All tiles are whole; those at the edges are padded with zeros. Who reads a tile gets it where it
// is if that is on this host. What only messages reach is copied once for the place, by the first
// task that wants it, and the others wait for the same copy.
#ifndef APPS_HF_SPREAD_H
#define APPS_HF_SPREAD_H

#include <stddef.h>

#include <twill/matrix.h>

#include "apps/hf/tiles.h"

TW_FUTURE(int, copied) // its value is not used

struct hf_spread {
    struct tw_matrix matrix;
    size_t tile, tiles;  // as in hf_tiles
    const double **near; // each tile, where it is memory here; else NULL, and then there are ...
    double *copies;      // ... the copies of tiles; pages that nobody wrote take no memory
    tw_future(copied) * done; // they are there
};

// All zero, for `n` functions. Collective, and the same at all places: 0, TW_ENOMEM, TW_ECANCELED.
int hf_spread_make(struct hf_spread *spread, size_t n, size_t tile);
void hf_spread_free(struct hf_spread *spread); // collective

// The whole matrix from and to one place, while others leave it alone. 0 or TW_ENOMEM. May suspend.
int hf_spread_put(const struct hf_spread *spread, const struct hf_tiles *from);
int hf_spread_get(const struct hf_spread *spread, struct hf_tiles *to);

// A tile to be read, until hf_spread_renew. NULL: no memory, or the run was cancelled. May suspend.
const double *hf_spread_read(struct hf_spread *spread, size_t i, size_t j);

// The matrix has changed: copies are made again. Nobody reads meanwhile.
void hf_spread_renew(struct hf_spread *spread);

#endif

// SPDX-License-Identifier: Apache-2.0
// A contraction of the tensor contraction engine, the second application of the paper on
// persistence-based balancers: C[i,j,k,l] += A[i,j,a,b] B[a,b,k,l], all of them sparse by blocks.
//
// Each index is cut into four blocks, one for each irreducible representation of a group of four
// elements, whose product is exclusive or, and each block into tiles. A tile of a tensor is zero
// unless its four representations cancel. So a tile of C needs the representation of (i, j) to be
// that of (k, l), and then sums over the pairs (a, b) of tiles that have the same.
//
// A and B are stored in panels: the panel of a pair (i, j) of A are its tiles for all these (a, b)
// side by side, and likewise that of (k, l) of B. A tile of C is the product of two panels. Its
// number is pair (i, j) times all pairs, and pair (k, l).
//
// All entries are small whole numbers, so that every sum is exact, in any order.
#ifndef APPS_TCE_H
#define APPS_TCE_H

#include <twill/global.h>

#include "apps/iterations.h"
#include "apps/linear.h"

#define TCE_IRREPS 4
#define TCE_TILE_MAX 20 // the paper's
#define TCE_TILES_MAX 40
#define TCE_PAIRS_MAX (TCE_TILES_MAX * TCE_TILES_MAX)

// An index: its tiles, block after block.
struct tce_axis {
    uint32_t tiles;
    uint8_t irrep[TCE_TILES_MAX];
    uint8_t size[TCE_TILES_MAX];
};

// A pair of them.
struct tce_pair {
    uint16_t size; // of the one times that of the other
    uint8_t irrep;
};

struct tce_shape {
    uint32_t outer_tiles, inner_tiles; // of i, j, k and l; of a and b
    uint32_t pairs;                    // of outer tiles
    struct tce_pair pair[TCE_PAIRS_MAX];
    uint32_t depth[TCE_IRREPS]; // of its panels: the sizes of all inner pairs
    uint64_t tasks;             // tiles of C that are not zero
    uint64_t products;          // of two numbers, in all of them
};

// The paper's shape with tiles of that size instead of 20 and blocks scaled alike; `shrink` makes
// the blocks of i, j, k and l so many times shorter, which leaves fewer tiles.
void tce_shape_make(struct tce_shape *shape, uint32_t tile, uint32_t shrink);

static inline bool tce_is_null(const struct tce_shape *shape, uint32_t tile)
{
    return shape->pair[tile / shape->pairs].irrep != shape->pair[tile % shape->pairs].irrep;
}

// The entries of A, or else of B: row of a panel, and column, which is an inner element.
int tce_entry(bool is_a, uint32_t pair, uint32_t row, uint32_t column);
// What a row counts in a checksum.
int tce_weight(uint32_t row);

// ---- where tensors are ----

// Items of different sizes, dealt out to the places in runs of `stride`; in global memory, or all
// of them here.
struct tce_store {
    struct tw_global global; // unless it is plain
    double *mine;            // this place's
    bool is_plain;
    uint32_t stride;
    size_t *at; // of each item, in its owner's part
};

unsigned tce_store_owner(const struct tce_store *store, uint32_t item);
// Collective unless plain. 0 or a TW_E... code; then there is nothing to free.
int tce_store_make(struct tce_store *store, uint32_t items, uint32_t stride, bool is_plain,
                   size_t (*size)(const struct tce_shape *shape, uint32_t item),
                   const struct tce_shape *shape);
// An item where it is, or a copy of it in `room`, which then has its size. May suspend.
const double *tce_store_get(const struct tce_store *store, uint32_t item, size_t size,
                            double *room);
// Adds to an item. May suspend.
void tce_store_add(const struct tce_store *store, uint32_t item, size_t size, const double *from);
void tce_store_free(struct tce_store *store);

// ---- the contraction ----

struct tce {
    // in
    struct tce_shape shape;
    const struct linear *linear; // NULL: a loop of our own
    bool has_nulls;              // tiles that are zero are tasks too
    bool is_kept;                // C is
    // inside
    bool is_plain; // no global memory
    struct tce_store a, b, c;
    uint64_t factor; // of the process that runs now
    // out
    uint64_t *found;             // for each tile, the sum of factor times tce_mark of its checksums
    uint64_t *kept;              // for each tile, the checksum of what C became
    uint64_t factors, processes; // their sum; how many there were
};

// Panels as they are stored: `depth` columns of `rows` entries of A, and as many of `columns` of B.
struct tce_panels {
    uint32_t rows, columns, depth;
    const double *a, *b;
};

// c = a b', without BLAS.
void tce_product(const struct tce_panels *panels, double *c);

// A and B, with their entries, and C with none. Collective unless plain. 0 or a TW_E... code.
int tce_make(struct tce *tce);
void tce_free(struct tce *tce);

// The factor of a process, by which its part of the sums is known.
uint64_t tce_factor(unsigned turn);
// A checksum as it is summed: never nothing.
static inline uint64_t tce_mark(int64_t checksum)
{
    return 2 * (uint64_t)checksum + 1;
}

// One tile of C. False: it is zero. May suspend. `error` becomes a TW_E... code, or stays.
bool tce_contract(struct tce *tce, uint32_t tile, int *error);
// The checksum of a tile of `rows` and `columns`, column after column.
int64_t tce_checksum(const double *c, uint32_t rows, uint32_t columns);

// Fills `kept` from this place's part of C, if that is kept.
void tce_collect(struct tce *tce);

// All of them, `iterations` times. 0 or a TW_E... code.
int tce_sequential(struct tce *tce, unsigned iterations);
// The same by collections; `iterations` has balances and count, and gets the rest. Collective,
// outside tasks. Afterwards all places have all sums.
int tce_collections(const struct tw_options *options, struct tce *tce,
                    struct iterations *iterations);

// Whether all tiles were found as they must be, in each process; and those that were kept. Neither
// reads A, B nor their products. Place 0. 0 or TW_ENOMEM.
int tce_check(const struct tce *tce, bool *is_right);

#endif

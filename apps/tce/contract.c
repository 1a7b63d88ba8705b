// SPDX-License-Identifier: Apache-2.0
// The contraction itself.
#include <stdlib.h>

#include <twill/runtime.h>

#include "apps/tce/tce.h"

static size_t panel_size(const struct tce_shape *shape, uint32_t pair)
{
    return (size_t)shape->pair[pair].size * shape->depth[shape->pair[pair].irrep];
}

static size_t tile_size(const struct tce_shape *shape, uint32_t tile)
{
    if (tce_is_null(shape, tile))
        return 0;
    return (size_t)shape->pair[tile / shape->pairs].size * shape->pair[tile % shape->pairs].size;
}

// This place's panels.
static void fill(const struct tce_store *store, const struct tce_shape *shape, bool is_a)
{
    unsigned here = store->is_plain ? 0 : tw_here();
    for (uint32_t pair = 0; pair < shape->pairs; pair++) {
        uint32_t rows = shape->pair[pair].size, columns = shape->depth[shape->pair[pair].irrep];
        if (tce_store_owner(store, pair) != here)
            continue;
        double *entry = store->mine + store->at[pair];
        for (uint32_t column = 0; column < columns; column++)
            for (uint32_t row = 0; row < rows; row++)
                *entry++ = tce_entry(is_a, pair, row, column);
    }
}

int tce_make(struct tce *tce)
{
    const struct tce_shape *shape = &tce->shape;
    uint32_t tiles = shape->pairs * shape->pairs;
    int error = tce_store_make(&tce->a, shape->pairs, 1, tce->is_plain, panel_size, shape);
    if (!error)
        error = tce_store_make(&tce->b, shape->pairs, 1, tce->is_plain, panel_size, shape);
    if (!error && tce->is_kept) // with the panel of A
        error = tce_store_make(&tce->c, tiles, shape->pairs, tce->is_plain, tile_size, shape);
    tce->found = calloc(tiles, sizeof *tce->found);
    tce->kept = calloc(tce->is_kept ? tiles : 1, sizeof *tce->kept);
    if (!error && (!tce->found || !tce->kept))
        error = TW_ENOMEM;
    if (error)
        return error;
    fill(&tce->a, shape, true);
    fill(&tce->b, shape, false);
    return 0;
}

void tce_free(struct tce *tce)
{
    tce_store_free(&tce->c);
    tce_store_free(&tce->b);
    tce_store_free(&tce->a);
    free(tce->found);
    free(tce->kept);
}

int64_t tce_checksum(const double *c, uint32_t rows, uint32_t columns)
{
    double weight[TCE_TILE_MAX * TCE_TILE_MAX], sum = 0;
    for (uint32_t row = 0; row < rows; row++)
        weight[row] = tce_weight(row);
    for (uint32_t column = 0; column < columns; column++, c += rows) {
        double part = 0;
        for (uint32_t row = 0; row < rows; row++)
            part += weight[row] * c[row];
        sum += tce_weight(column) * part;
    }
    return (int64_t)sum;
}

// c = a b', of panels as they are stored.
static void multiply(const struct linear *linear, uint32_t rows, uint32_t columns, uint32_t depth,
                     const double *a, const double *b, double *c)
{
    if (linear) {
        linear_multiply(linear, 'N', 'T', rows, columns, depth, 1, a, b, c);
        return;
    }
    tce_product(&(struct tce_panels){rows, columns, depth, a, b}, c);
}

bool tce_contract(struct tce *tce, uint32_t tile, int *error)
{
    const struct tce_shape *shape = &tce->shape;
    uint32_t left = tile / shape->pairs, right = tile % shape->pairs;
    if (tce_is_null(shape, tile))
        return false;
    uint32_t rows = shape->pair[left].size, columns = shape->pair[right].size;
    size_t a_size = panel_size(shape, left), b_size = panel_size(shape, right);
    double *c = malloc(((size_t)rows * columns + a_size + b_size) * sizeof *c);
    if (!c) {
        *error = TW_ENOMEM;
        return true;
    }
    double *a_room = c + (size_t)rows * columns, *b_room = a_room + a_size;
    const double *a = tce_store_get(&tce->a, left, a_size, a_room);
    const double *b = tce_store_get(&tce->b, right, b_size, b_room);
    multiply(tce->linear, rows, columns, shape->depth[shape->pair[left].irrep], a, b, c);
    tce->found[tile] += tce->factor * tce_mark(tce_checksum(c, rows, columns));
    if (tce->is_kept)
        tce_store_add(&tce->c, tile, (size_t)rows * columns, c);
    free(c);
    return true;
}

void tce_collect(struct tce *tce)
{
    const struct tce_shape *shape = &tce->shape;
    unsigned here = tce->is_plain ? 0 : tw_here();
    for (uint32_t tile = 0; tce->is_kept && tile < shape->pairs * shape->pairs; tile++)
        if (!tce_is_null(shape, tile) && tce_store_owner(&tce->c, tile) == here)
            tce->kept[tile] = (uint64_t)tce_checksum(tce->c.mine + tce->c.at[tile],
                                                     shape->pair[tile / shape->pairs].size,
                                                     shape->pair[tile % shape->pairs].size);
}

int tce_sequential(struct tce *tce, unsigned iterations)
{
    int error = 0;
    for (unsigned turn = 0; turn < iterations && !error; turn++) {
        tce->factor = tce_factor(turn);
        tce->factors += tce->factor;
        tce->processes++;
        for (uint32_t tile = 0; tile < tce->shape.pairs * tce->shape.pairs && !error; tile++)
            (void)tce_contract(tce, tile, &error);
    }
    tce_collect(tce);
    return error;
}

// SPDX-License-Identifier: Apache-2.0
// What checksums must be, without the products: rows of panels are weighted and added up first, so
// that a tile's checksum is the product of two vectors. In whole numbers, from the entries' own
// definition.
#include <stdlib.h>

#include <twill/runtime.h>

#include "apps/tce/tce.h"

// One vector for each pair, all as long as the longest.
static int64_t *weigh(const struct tce_shape *shape, bool is_a, uint32_t length)
{
    int64_t *all = calloc((size_t)shape->pairs * length, sizeof *all);
    for (uint32_t pair = 0; all && pair < shape->pairs; pair++) {
        uint32_t columns = shape->depth[shape->pair[pair].irrep];
        for (uint32_t column = 0; column < columns; column++)
            for (uint32_t row = 0; row < shape->pair[pair].size; row++)
                all[(size_t)pair * length + column] +=
                    tce_weight(row) * tce_entry(is_a, pair, row, column);
    }
    return all;
}

static bool is_tile_right(const struct tce *tce, uint32_t tile, int64_t checksum)
{
    return tce->found[tile] == tce->factors * tce_mark(checksum) &&
           (!tce->is_kept || tce->kept[tile] == tce->processes * (uint64_t)checksum);
}

static bool compare(const struct tce *tce, const int64_t *left, const int64_t *right,
                    uint32_t length)
{
    const struct tce_shape *shape = &tce->shape;
    for (uint32_t tile = 0; tile < shape->pairs * shape->pairs; tile++) {
        const int64_t *a = left + (size_t)(tile / shape->pairs) * length;
        const int64_t *b = right + (size_t)(tile % shape->pairs) * length;
        int64_t checksum = 0;
        for (uint32_t i = 0; i < length; i++)
            checksum += a[i] * b[i];
        if (tce_is_null(shape, tile) ? tce->found[tile] != 0 : !is_tile_right(tce, tile, checksum))
            return false;
    }
    return true;
}

int tce_check(const struct tce *tce, bool *is_right)
{
    uint32_t length = 0;
    for (uint32_t irrep = 0; irrep < TCE_IRREPS; irrep++)
        if (tce->shape.depth[irrep] > length)
            length = tce->shape.depth[irrep];
    int64_t *left = weigh(&tce->shape, true, length), *right = weigh(&tce->shape, false, length);
    int error = left && right ? 0 : TW_ENOMEM;
    *is_right = !error && compare(tce, left, right, length);
    free(left);
    free(right);
    return error;
}

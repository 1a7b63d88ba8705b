// SPDX-License-Identifier: Apache-2.0
// Which tiles there are, and what their entries are.
#include "apps/tce/tce.h"

#include <string.h>

#include "apps/scramble.h"

// Lengths of the blocks in the paper, where tiles are 20 long.
static const uint32_t outer_blocks[TCE_IRREPS] = {240, 180, 100, 210};
static const uint32_t inner_blocks[TCE_IRREPS] = {20, 24, 20, 20};

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

static void cut(struct tce_axis *axis, const uint32_t blocks[TCE_IRREPS], uint32_t tile,
                uint32_t shrink)
{
    axis->tiles = 0;
    for (uint32_t irrep = 0; irrep < TCE_IRREPS; irrep++) {
        uint32_t left = divide_up(blocks[irrep] * tile, TCE_TILE_MAX * shrink);
        for (; left > 0; left -= axis->size[axis->tiles++]) {
            axis->irrep[axis->tiles] = (uint8_t)irrep;
            axis->size[axis->tiles] = (uint8_t)(left < tile ? left : tile);
        }
    }
}

static struct tce_pair pair_of(const struct tce_axis *axis, uint32_t one, uint32_t other)
{
    return (struct tce_pair){.size = (uint16_t)(axis->size[one] * axis->size[other]),
                             .irrep = axis->irrep[one] ^ axis->irrep[other]};
}

static void count_tasks(struct tce_shape *shape)
{
    uint64_t rows[TCE_IRREPS] = {0}, pairs[TCE_IRREPS] = {0};
    for (uint32_t i = 0; i < shape->pairs; i++) {
        rows[shape->pair[i].irrep] += shape->pair[i].size;
        pairs[shape->pair[i].irrep]++;
    }
    for (uint32_t irrep = 0; irrep < TCE_IRREPS; irrep++) {
        shape->tasks += pairs[irrep] * pairs[irrep];
        shape->products += rows[irrep] * rows[irrep] * shape->depth[irrep];
    }
}

void tce_shape_make(struct tce_shape *shape, uint32_t tile, uint32_t shrink)
{
    struct tce_axis outer, inner;
    cut(&outer, outer_blocks, tile, shrink);
    cut(&inner, inner_blocks, tile, 1);
    memset(shape, 0, sizeof *shape);
    shape->outer_tiles = outer.tiles;
    shape->inner_tiles = inner.tiles;
    shape->pairs = outer.tiles * outer.tiles;
    for (uint32_t i = 0; i < shape->pairs; i++)
        shape->pair[i] = pair_of(&outer, i / outer.tiles, i % outer.tiles);
    for (uint32_t i = 0; i < inner.tiles * inner.tiles; i++) {
        struct tce_pair pair = pair_of(&inner, i / inner.tiles, i % inner.tiles);
        shape->depth[pair.irrep] += pair.size;
    }
    count_tasks(shape);
}

int tce_entry(bool is_a, uint32_t pair, uint32_t row, uint32_t column)
{
    uint64_t place = (uint64_t)pair << 32 | row << 16 | column;
    return (int)(scramble(2 * place + is_a) % 17) - 8;
}

int tce_weight(uint32_t row)
{
    return (int)(scramble(row + 1) % 16) + 1;
}

uint64_t tce_factor(unsigned turn)
{
    return scramble(turn + 1) | 1;
}

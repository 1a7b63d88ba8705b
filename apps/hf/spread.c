// SPDX-License-Identifier: Apache-2.0
// See spread.h.
#include "apps/hf/spread.h"

#include <stdlib.h>

#include <twill/twill.h>

static size_t count_tiles(const struct hf_spread *spread)
{
    return spread->tiles * spread->tiles;
}

// A whole tile of memory here.
static struct tw_part part_here(const struct hf_spread *spread, const double *memory)
{
    return tw_part_rows(tw_part_here(memory, spread->tile), spread->tile, spread->tile);
}

static const double *find_near(const struct hf_spread *spread, size_t i, size_t j)
{
    struct tw_tile tile = tw_matrix_tile(spread->matrix, (uint32_t)i, (uint32_t)j);
    const double *part = tw_global_reach(spread->matrix.global, tile.owner);
    return part ? part + tile.at : NULL;
}

static void release(struct hf_spread *spread)
{
    free(spread->near);
    free(spread->copies);
    free(spread->done);
}

// 0 or TW_ENOMEM, of this place alone.
static int look_around(struct hf_spread *spread)
{
    size_t tiles = spread->tiles, count = count_tiles(spread), far = 0;
    spread->near = malloc(count * sizeof *spread->near);
    if (!spread->near)
        return TW_ENOMEM;
    for (size_t i = 0; i < tiles; i++)
        for (size_t j = 0; j < tiles; j++)
            far += (spread->near[i * tiles + j] = find_near(spread, i, j)) == NULL;
    if (far == 0)
        return 0;
    spread->copies = calloc(count * spread->tile, spread->tile * sizeof *spread->copies);
    spread->done = malloc(count * sizeof *spread->done);
    if (!spread->copies || !spread->done)
        return TW_ENOMEM;
    hf_spread_renew(spread);
    return 0;
}

int hf_spread_make(struct hf_spread *spread, size_t n, size_t tile)
{
    size_t tiles = (n + tile - 1) / tile;
    uint32_t rows = (uint32_t)(tiles * tile), side = (uint32_t)tile;
    *spread = (struct hf_spread){.tile = tile, .tiles = tiles};
    int error = tw_matrix_make(&spread->matrix, (struct tw_shape){.type = TW_DOUBLE,
                                                                  .rows = rows,
                                                                  .columns = rows,
                                                                  .tile_rows = side,
                                                                  .tile_columns = side});
    if (error)
        return error;
    uint64_t failed = look_around(spread) != 0;
    error = tw_places_max(&failed, 1);
    if (!error && failed)
        error = TW_ENOMEM;
    if (error)
        hf_spread_free(spread);
    return error;
}

void hf_spread_free(struct hf_spread *spread)
{
    release(spread);
    (void)tw_matrix_free(&spread->matrix); // an error: the run was cancelled
}

// ---- the whole of it ----

// A row of tiles at a time, so that not too many copies are under way.
static int copy_all(const struct hf_spread *spread, const struct hf_tiles *here, bool is_put)
{
    int error = 0;
    for (size_t i = 0; i < spread->tiles && !error; i++)
        tw_finish {
            for (size_t j = 0; j < spread->tiles && !error; j++) {
                struct tw_part there = tw_matrix_part(spread->matrix, (uint32_t)i, (uint32_t)j);
                struct tw_part mine = part_here(spread, hf_tile(here, i, j));
                error =
                    is_put ? tw_async_copy(there, mine, NULL) : tw_async_copy(mine, there, NULL);
            }
        }
    return error;
}

int hf_spread_put(const struct hf_spread *spread, const struct hf_tiles *from)
{
    return copy_all(spread, from, true);
}

int hf_spread_get(const struct hf_spread *spread, struct hf_tiles *to)
{
    return copy_all(spread, to, false);
}

// ---- a tile ----

const double *hf_spread_read(struct hf_spread *spread, size_t i, size_t j)
{
    size_t at = i * spread->tiles + j;
    if (spread->near[at])
        return spread->near[at];
    double *copy = spread->copies + at * spread->tile * spread->tile;
    struct tw_future *done = &spread->done[at].event;
    if (tw_future_ready(done))
        return copy;
    // TW_EALREADY: another task has begun it.
    if (tw_async_copy(part_here(spread, copy),
                      tw_matrix_part(spread->matrix, (uint32_t)i, (uint32_t)j), done) == TW_ENOMEM)
        return NULL;
    return tw_future_wait(done) == 0 ? copy : NULL;
}

void hf_spread_renew(struct hf_spread *spread)
{
    for (size_t i = 0; spread->done && i < count_tiles(spread); i++)
        spread->done[i] = (tw_future(copied))TW_FUTURE_INIT;
}

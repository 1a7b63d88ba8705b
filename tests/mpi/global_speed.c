// SPDX-License-Identifier: Apache-2.0
// How fast tiles of 64 KiB come from the other of two places, beside memcpy of as many from memory
// of one's own: `global_speed shared|messages [rounds]`. Each round measures all ways in turn; what
// is said is the median of each, and of the ratios. The tiles are checked.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "place/place.h"
#include "require.h"

enum { TILE_ROWS = 128, TILE_COLUMNS = 64, ELEMENTS = TILE_ROWS * TILE_COLUMNS, TILES = 256 };
enum { AHEAD = 8, ROUNDS_MOST = 200 };
enum way { BY_MEMCPY, BY_GET, BY_COPIES, WAYS };

static const char *const names[WAYS] = {"memcpy", "tw_tile_get, one after the other",
                                        "tw_async_copy, 8 at a time"};
static struct tw_matrix matrix; // a row of tiles: even ones at place 0, odd ones at place 1
static double *plain, *got;
static int rounds;

static struct tw_part memory_of(double *tile)
{
    return tw_part_rows(tw_part_here(tile, TILE_COLUMNS), TILE_ROWS, TILE_COLUMNS);
}

static void copy_some(uint32_t first)
{
    tw_finish {
        for (uint32_t i = 0; i < AHEAD; i++)
            REQUIRE(tw_async_copy(memory_of(got + (size_t)ELEMENTS * i),
                                  tw_matrix_part(matrix, 0, 2 * (first + i) + 1), NULL) == 0);
    }
}

static double seconds_of(enum way way)
{
    uint64_t begin = tw_now_ns();
    for (uint32_t i = 0; i < TILES; i += way == BY_COPIES ? AHEAD : 1) {
        double *to = got + (size_t)ELEMENTS * (i % AHEAD);
        if (way == BY_MEMCPY)
            memcpy(to, plain + (size_t)ELEMENTS * i, ELEMENTS * sizeof *to);
        else if (way == BY_GET)
            tw_tile_get(matrix, 0, 2 * i + 1, to, TILE_COLUMNS);
        else
            copy_some(i);
        __asm__ volatile("" : : "r"(to) : "memory");
    }
    REQUIRE(way == BY_MEMCPY || got[0] == TILES - AHEAD);
    REQUIRE(way == BY_MEMCPY || got[ELEMENTS * AHEAD - 1] == TILES - 1);
    return (double)(tw_now_ns() - begin) * 1e-9;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, (size_t)rounds, sizeof *values, compare);
    return values[rounds / 2];
}

static void measure(void)
{
    static double seconds[WAYS][ROUNDS_MOST], ratios[WAYS][ROUNDS_MOST];
    for (int round = 0; round < rounds; round++)
        for (enum way way = 0; way < WAYS; way++) {
            seconds[way][round] = seconds_of(way);
            ratios[way][round] = seconds[BY_MEMCPY][round] / seconds[way][round];
        }
    for (enum way way = 0; way < WAYS; way++) {
        double middle = median(seconds[way]), bytes = (double)TILES * ELEMENTS * sizeof *got;
        printf("%-34s %8.2f GB/s %8.2f us a tile, %.3f of memcpy\n", names[way],
               bytes / middle * 1e-9, middle / TILES * 1e6, median(ratios[way]));
    }
}

TW_TASK(run, { int unused; })
{
    for (uint32_t i = 0; i < 2 * TILES; i++) {
        double *own = tw_tile_local(matrix, 0, i);
        for (size_t k = 0; own && k < ELEMENTS; k++)
            own[k] = i / 2;
    }
    REQUIRE(tw_places_barrier() == 0);
    if (tw_here() == 0)
        measure();
    REQUIRE(tw_places_barrier() == 0);
}

int main(int argc, char **argv)
{
    struct tw_shape shape = {
        TW_DOUBLE, TILE_ROWS, 2 * TILES * TILE_COLUMNS, TILE_ROWS, TILE_COLUMNS, 1, 2};
    rounds = argc > 2 ? atoi(argv[2]) : 51;
    if (argc < 2 || rounds < 1 || rounds > ROUNDS_MOST)
        return 2;
    if (strcmp(argv[1], "messages") == 0)
        twi_place_settings.host_places = 1;
    plain = calloc(TILES, ELEMENTS * sizeof *plain);
    got = calloc(AHEAD, ELEMENTS * sizeof *got);
    REQUIRE(plain && got && tw_matrix_make(&matrix, shape) == 0);
    if (wrong)
        return 1;
    memset(plain, 1, (size_t)TILES * ELEMENTS * sizeof *plain);
    REQUIRE(tw_run_spmd(run, .unused = 0) == 0);
    REQUIRE(tw_matrix_free(&matrix) == 0);
    free(plain);
    free(got);
    if (tw_here() == 0 && !wrong)
        printf("all is well\n");
    return wrong != 0;
}

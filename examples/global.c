// SPDX-License-Identifier: Apache-2.0
// The product of two matrices whose tiles are dealt out to the places:
//
//     ./global
//     mpirun -n 4 ./global
//
// A task multiplies two tiles and adds the result to a third. Any place may run it: it gets the
// tiles from wherever they are, both at once, and its sum meets those of other tasks in the tile.
// Place 0 keeps an array of counts, one for each place, to which all add.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <twill/twill.h>

enum { SIZE = 250, TILE = 40, TILES = (SIZE - 1) / TILE + 1, PRODUCTS = TILES * TILES * TILES };
static struct tw_global counts;

static struct tw_part memory(const double *tile, struct tw_part like)
{
    return tw_part_rows(tw_part_here(tile, like.columns), like.rows, TILE);
}

TW_TASK(multiply, {
    struct tw_matrix a, b, c;
    uint32_t i, j, k;
})
{
    double a[TILE * TILE] = {0}, b[TILE * TILE] = {0}, c[TILE * TILE] = {0};
    struct tw_part left = tw_matrix_part(self.a, self.i, self.k);
    struct tw_part right = tw_matrix_part(self.b, self.k, self.j);
    int error = 0;
    tw_finish { // waits for both copies
        error |= tw_async_copy(memory(a, left), left, NULL);
        error |= tw_async_copy(memory(b, right), right, NULL);
    }
    if (error)
        tw_fail(TW_ENOMEM);
    for (uint32_t i = 0; i < TILE; i++)
        for (uint32_t k = 0; k < TILE; k++)
            for (uint32_t j = 0; j < TILE; j++)
                c[i * TILE + j] += a[i * TILE + k] * b[k * TILE + j];
    tw_tile_accumulate(self.c, self.i, self.j, c, TILE);
    int64_t one = 1;
    tw_global_accumulate(counts, 0, tw_here(), &one, 1);
}

static double left_value(uint32_t i, uint32_t k)
{
    return i + 2.0 * k;
}

static double right_value(uint32_t k, uint32_t j)
{
    return k == j ? 3 : k == j + 1 ? 1 : 0;
}

// Each place writes its own tiles, where they are.
static void set(struct tw_matrix matrix, double (*value)(uint32_t row, uint32_t column))
{
    for (uint32_t i = 0; i < TILES; i++)
        for (uint32_t j = 0; j < TILES; j++) {
            struct tw_tile tile = tw_matrix_tile(matrix, i, j);
            double *own = (double *)tw_tile_local(matrix, i, j);
            for (uint32_t k = 0; own && k < tile.rows * tile.columns; k++)
                own[k] = value(tile.row + k / tile.columns, tile.column + k % tile.columns);
        }
}

static double worst_error(struct tw_matrix product)
{
    double *whole = (double *)malloc(sizeof(double) * SIZE * SIZE), worst = 0;
    if (!whole)
        return INFINITY;
    tw_matrix_gather(product, whole, SIZE);
    for (uint32_t i = 0; i < SIZE; i++)
        for (uint32_t j = 0; j < SIZE; j++) {
            double below = j + 1 < SIZE ? left_value(i, j + 1) : 0;
            double expected = 3 * left_value(i, j) + below;
            worst = fmax(worst, fabs(whole[i * SIZE + j] - expected));
        }
    free(whole);
    return worst;
}

TW_TASK(product, {
    struct tw_matrix a, b, c;
    double *worst;
})
{
    set(self.a, left_value);
    set(self.b, right_value);
    if (tw_places_barrier() != 0)
        return; // cancelled
    tw_finish_spmd
    {
        for (uint32_t n = tw_here(); n < PRODUCTS; n += tw_places())
            tw_async_any(multiply, .a = self.a, .b = self.b, .c = self.c, .i = n / TILES / TILES,
                         .j = n / TILES % TILES, .k = n % TILES);
    }
    if (tw_here() == 0)
        *self.worst = worst_error(self.c);
}

static int64_t products_of(void)
{
    const int64_t *count = (const int64_t *)tw_global_local(counts);
    int64_t sum = 0;
    for (unsigned i = 0; i < tw_places(); i++) {
        printf("place %u multiplied %lld tiles\n", i, (long long)count[i]);
        sum += count[i];
    }
    return sum;
}

int main(void)
{
    struct tw_matrix a, b, c;
    struct tw_shape shape = {TW_DOUBLE, SIZE, SIZE, TILE, TILE, 0, 0};
    double worst = 0;
    char message[1024];
    if (tw_places_open(NULL, message, sizeof message) != 0) {
        fprintf(stderr, "global: %s\n", message);
        return 1;
    }
    int error = tw_global_make(&counts, TW_INT64, tw_places());
    if (!error)
        error = tw_matrix_make(&a, shape);
    if (!error)
        error = tw_matrix_make(&b, shape);
    if (!error)
        error = tw_matrix_make(&c, shape);
    if (!error)
        error = tw_run_spmd(product, .a = a, .b = b, .c = c, .worst = &worst);
    if (error) {
        fprintf(stderr, "global: error %d\n", error);
        return 1;
    }
    int is_wrong = worst > 1e-9 || (tw_here() == 0 && products_of() != PRODUCTS);
    if (tw_here() == 0)
        printf("%u places, %d x %d in tiles of %d, worst error %g\n", tw_places(), SIZE, SIZE, TILE,
               worst);
    error = tw_matrix_free(&a) | tw_matrix_free(&b) | tw_matrix_free(&c) | tw_global_free(&counts);
    return is_wrong || error != 0;
}

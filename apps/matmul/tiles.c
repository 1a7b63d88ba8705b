// SPDX-License-Identifier: Apache-2.0
// The work inside a tile: see matmul.h.
//
// A micro tile of c is held in registers while a strip of b, copied to where it is contiguous,
// passes by. Strips are short enough for the first cache, their rows of a for the second.
#include <stdlib.h>
#include <string.h>

#include "apps/matmul/matmul.h"

enum { MICRO = 4, DEPTH = 256 };

_Static_assert(MATMUL_TILE % MICRO == 0, "a tile is made of whole micro tiles");

static double entry(size_t row, size_t column, uint64_t salt)
{
    uint64_t bits = (row * 8209 + column + salt) * UINT64_C(0x9e3779b97f4a7c15);
    return (double)(bits >> 60) - 8;
}

static void fill(const struct matmul *m, double *matrix, uint64_t salt)
{
    memset(matrix, 0, m->stride * m->stride * sizeof *matrix);
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = 0; j < m->n; j++)
            matrix[i * m->stride + j] = entry(i, j, salt);
}

bool matmul_make(struct matmul *m, size_t n)
{
    m->n = n;
    m->stride = (n + MICRO - 1) / MICRO * MICRO;
    size_t count = m->stride * m->stride;
    m->a = calloc(3 * count, sizeof *m->a);
    if (!m->a)
        return false;
    m->b = m->a + count;
    m->c = m->b + count;
    fill(m, m->a, 1);
    fill(m, m->b, 2);
    return true;
}

void matmul_free(struct matmul *m)
{
    free(m->a);
}

size_t matmul_tiles(const struct matmul *m)
{
    return (m->stride + MATMUL_TILE - 1) / MATMUL_TILE;
}

// A row of a micro tile. Left to themselves compilers vectorise along k, which ends in shuffles.
typedef double micro_row __attribute__((vector_size(MICRO * sizeof(double))));

// c += a * b for a micro tile: `depth` columns of a, a strip of as many rows.
static inline void micro_tile(const double *a, const micro_row *strip, double *c, size_t stride,
                              size_t depth)
{
    micro_row sum[MICRO] = {{0}};
    for (size_t k = 0; k < depth; k++)
        for (size_t i = 0; i < MICRO; i++)
            sum[i] += a[i * stride + k] * strip[k];
    for (size_t i = 0; i < MICRO; i++)
        for (size_t j = 0; j < MICRO; j++)
            c[i * stride + j] += sum[i][j];
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

void matmul_tile(const struct matmul *m, size_t row, size_t column)
{
    micro_row strip[DEPTH];
    size_t stride = m->stride, top = row * MATMUL_TILE, left = column * MATMUL_TILE;
    size_t bottom = least(top + MATMUL_TILE, stride), right = least(left + MATMUL_TILE, stride);
    for (size_t i = top; i < bottom; i++)
        memset(&m->c[i * stride + left], 0, (right - left) * sizeof *m->c);
    for (size_t k = 0; k < stride; k += DEPTH) {
        size_t depth = least(DEPTH, stride - k);
        for (size_t j = left; j < right; j += MICRO) {
            for (size_t l = 0; l < depth; l++)
                memcpy(&strip[l], &m->b[(k + l) * stride + j], sizeof *strip);
            for (size_t i = top; i < bottom; i += MICRO)
                micro_tile(&m->a[i * stride + k], strip, &m->c[i * stride + j], stride, depth);
        }
    }
}

void matmul_sequential(const struct matmul *m)
{
    size_t tiles = matmul_tiles(m);
    for (size_t row = 0; row < tiles; row++)
        for (size_t column = 0; column < tiles; column++)
            matmul_tile(m, row, column);
}

void matmul_plain(const struct matmul *m)
{
    memset(m->c, 0, m->stride * m->stride * sizeof *m->c);
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < m->n; k++)
            for (size_t j = 0; j < m->n; j++)
                m->c[i * m->stride + j] += m->a[i * m->stride + k] * m->b[k * m->stride + j];
}

// Sums of these weights times entries stay below 2^53 for the largest n: exact.
static double row_weight(size_t i)
{
    return (double)(i % 7 + 1);
}

static double column_weight(size_t j)
{
    return (double)(j % 5 + 1);
}

uint64_t matmul_checksum(const struct matmul *m)
{
    double sum = 0;
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = 0; j < m->n; j++)
            sum += row_weight(i) * column_weight(j) * m->c[i * m->stride + j];
    return (uint64_t)(int64_t)sum;
}

// u (a b) v is (u a) (b v).
uint64_t matmul_expected(const struct matmul *m)
{
    double sum = 0;
    for (size_t k = 0; k < m->n; k++) {
        double left = 0, right = 0;
        for (size_t i = 0; i < m->n; i++) {
            left += row_weight(i) * m->a[i * m->stride + k];
            right += column_weight(i) * m->b[k * m->stride + i];
        }
        sum += left * right;
    }
    return (uint64_t)(int64_t)sum;
}

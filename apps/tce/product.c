// SPDX-License-Identifier: Apache-2.0
// Products of small panels, without BLAS. A call of OpenBLAS takes and gives back a lock that all
// threads share, which small products do not outweigh: two workers took longer than one.
#include "apps/tce/tce.h"

#define WIDTH 4 // columns at a time

typedef double four __attribute__((vector_size(32), aligned(8)));

static inline __attribute__((always_inline)) void edge(const struct tce_panels *p, uint32_t row,
                                                       uint32_t column, double *c)
{
    double sum = 0;
    for (uint32_t inner = 0; inner < p->depth; inner++)
        sum += p->a[inner * p->rows + row] * p->b[inner * p->columns + column];
    c[column * p->rows + row] = sum;
}

// Eight rows of four columns, in registers.
static inline __attribute__((always_inline)) void block(const struct tce_panels *p, uint32_t row,
                                                        uint32_t column, double *c)
{
    four low[WIDTH] = {{0}}, high[WIDTH] = {{0}};
    const double *a = p->a + row, *b = p->b + column;
    for (uint32_t inner = 0; inner < p->depth; inner++, a += p->rows, b += p->columns) {
        four x = *(const four *)a, y = *(const four *)(a + 4);
        for (int i = 0; i < WIDTH; i++) {
            low[i] += x * b[i];
            high[i] += y * b[i];
        }
    }
    for (int i = 0; i < WIDTH; i++) {
        double *to = c + (column + (uint32_t)i) * p->rows + row;
        *(four *)to = low[i];
        *(four *)(to + 4) = high[i];
    }
}

static inline __attribute__((always_inline)) void multiply(const struct tce_panels *p, double *c)
{
    uint32_t rows = p->rows / 8 * 8, columns = p->columns / WIDTH * WIDTH;
    for (uint32_t column = 0; column < columns; column += WIDTH)
        for (uint32_t row = 0; row < rows; row += 8)
            block(p, row, column, c);
    for (uint32_t column = 0; column < p->columns; column++)
        for (uint32_t row = column < columns ? rows : 0; row < p->rows; row++)
            edge(p, row, column, c);
}

static void multiply_portable(const struct tce_panels *p, double *c)
{
    multiply(p, c);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void multiply_avx2(const struct tce_panels *p, double *c)
{
    multiply(p, c);
}
#endif

void tce_product(const struct tce_panels *panels, double *c)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        multiply_avx2(panels, c);
        return;
    }
#endif
    multiply_portable(panels, c);
}

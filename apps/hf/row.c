// SPDX-License-Identifier: Apache-2.0
// See row.h. The file is compiled without errno for sqrt(), so that compilers vectorise it, and the
// function twice for x86-64: the processor is asked at run time which of the two it can run.
#include "apps/hf/row.h"

#include <math.h>

#include "apps/hf/integral.h"
#include "apps/hf/screen.h"

#define FAR (-1.0) // instead of what is above zero

// Near and far kets take the same way, down to the choice of what is under the root. Each loop does
// what compilers can vectorise as a whole; in one they would compute both roots.
static inline __attribute__((always_inline)) void row(const struct hf_boys *boys,
                                                      const struct hf_products *bra, size_t n,
                                                      const struct hf_products *ket, size_t begin,
                                                      size_t count, double *restrict values)
{
    double square[HF_ROW_MAX], t[HF_ROW_MAX];
    const double *restrict q = ket->p + begin, *restrict x = ket->x + begin;
    const double *restrict y = ket->y + begin, *restrict z = ket->z + begin;
    const double *restrict near = ket->near + begin, *restrict far = ket->far + begin;
    double p = bra->p[n], bra_x = bra->x[n], bra_y = bra->y[n], bra_z = bra->z[n];
    double bra_near = bra->near[n], bra_far = bra->far[n];
    for (size_t m = 0; m < count; m++) {
        double dx = x[m] - bra_x, dy = y[m] - bra_y, dz = z[m] - bra_z;
        double r2 = dx * dx + dy * dy + dz * dz;
        double sum = p + q[m], product = p * q[m] * r2;
        double near_value = bra_near * near[m], far_value = bra_far * far[m];
        int is_far = product >= HF_BOYS_END * sum;
        square[m] = is_far ? r2 : sum;
        values[m] = is_far ? far_value : near_value;
        t[m] = is_far ? FAR : product;
    }
    for (size_t m = 0; m < count; m++)
        square[m] = 1 / sqrt(square[m]);
    for (size_t m = 0; m < count; m++) {
        values[m] *= square[m];
        t[m] *= square[m] * square[m];
    }
    for (size_t m = 0; m < count; m++)
        if (t[m] >= 0)
            values[m] *= hf_boys0_near(boys, t[m]);
}

void hf_row_portable(const struct hf_boys *boys, const struct hf_products *bra, size_t n,
                     const struct hf_products *ket, size_t begin, size_t count, double *values)
{
    row(boys, bra, n, ket, begin, count, values);
}

#ifdef __x86_64__

__attribute__((target("avx2,fma"))) void hf_row_avx2(const struct hf_boys *boys,
                                                     const struct hf_products *bra, size_t n,
                                                     const struct hf_products *ket, size_t begin,
                                                     size_t count, double *values)
{
    row(boys, bra, n, ket, begin, count, values);
}

hf_row *hf_row_best(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? hf_row_avx2
                                                                           : hf_row_portable;
}

#else

hf_row *hf_row_best(void)
{
    return hf_row_portable;
}

#endif

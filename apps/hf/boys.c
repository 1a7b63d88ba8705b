// SPDX-License-Identifier: Apache-2.0
// The table of the Boys function.
//
// The derivative of F_m is -F_(m+1), so that F0(t + d) is the sum of F_m(t) (-d)^m / m!. With d at
// most 1/16 the first term left out is below 4e-16.
#include <math.h>
#include <pthread.h>

#include "apps/hf/integral.h"

static struct hf_boys table;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// F_m(t) = exp(-t) sum of (2t)^k / ((2m+1) (2m+3) ... (2m+2k+1)): all terms are positive.
static double by_series(unsigned m, double t)
{
    double term = 1 / (2.0 * m + 1), sum = term;
    for (unsigned k = 1; term > sum * 1e-17; k++) {
        term *= 2 * t / (2.0 * (m + k) + 1);
        sum += term;
    }
    return exp(-t) * sum;
}

// Downwards, F_(m-1)(t) = (2t F_m(t) + exp(-t)) / (2m - 1) loses nothing.
static void fill(void)
{
    for (int point = 0; point < HF_BOYS_POINTS; point++) {
        double t = (double)point / HF_BOYS_STEPS, value[HF_BOYS_TERMS];
        value[HF_BOYS_TERMS - 1] = by_series(HF_BOYS_TERMS - 1, t);
        for (int m = HF_BOYS_TERMS - 1; m > 0; m--)
            value[m - 1] = (2 * t * value[m] + exp(-t)) / (2 * m - 1);
        double factor = 1;
        for (int m = 0; m < HF_BOYS_TERMS; m++) {
            table.line[point][m] = value[m] * factor;
            factor /= -(m + 1);
        }
    }
}

const struct hf_boys *hf_boys(void)
{
    pthread_once(&once, fill);
    return &table;
}

double hf_boys0(const struct hf_boys *boys, double t)
{
    if (t >= HF_BOYS_END)
        return sqrt(M_PI / 4 / t);
    int point = (int)(t * HF_BOYS_STEPS + 0.5);
    const double *line = boys->line[point];
    double d = t - (double)point / HF_BOYS_STEPS, sum = line[HF_BOYS_TERMS - 1];
    for (int m = HF_BOYS_TERMS - 2; m >= 0; m--)
        sum = sum * d + line[m];
    return sum;
}

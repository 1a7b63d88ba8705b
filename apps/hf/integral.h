// SPDX-License-Identifier: Apache-2.0
// Integrals over the functions of a system, each by its formula: docs/hf.md has them.
#ifndef APPS_HF_INTEGRAL_H
#define APPS_HF_INTEGRAL_H

#include <stddef.h>

struct hf_system;

// The Boys function F0(t) = sqrt(pi/t)/2 erf(sqrt t) as Taylor steps from the nearest of many
// points. A line of coefficients fills a cache line, the table most of a first cache.
#define HF_BOYS_TERMS 8
#define HF_BOYS_STEPS 8 // points in one unit of t
#define HF_BOYS_END 36  // from here on erf(sqrt t) is 1
#define HF_BOYS_POINTS (HF_BOYS_END * HF_BOYS_STEPS + 1)

struct hf_boys {
    double line[HF_BOYS_POINTS][HF_BOYS_TERMS] __attribute__((aligned(64)));
};

// Computed when it is first asked for. From any thread.
const struct hf_boys *hf_boys(void);

// F0(t) for t >= 0, to some 1e-15 of it.
double hf_boys0(const struct hf_boys *boys, double t);

// The same below HF_BOYS_END, for inner loops: the polynomial's even terms and its odd ones side by
// side, two neighbours of a line at a time.
static inline __attribute__((always_inline)) double hf_boys0_near(const struct hf_boys *boys,
                                                                  double t)
{
    typedef double couple __attribute__((vector_size(16)));
    int point = (int)(t * HF_BOYS_STEPS + 0.5);
    double d = t - point * (1.0 / HF_BOYS_STEPS);
    const couple *line = (const couple *)boys->line[point];
    couple d2 = {d * d, d * d}, sum = line[3];
    sum = sum * d2 + line[2];
    sum = sum * d2 + line[1];
    sum = sum * d2 + line[0];
    return sum[0] + sum[1] * d;
}

// The product of a primitive of function i, around A, and one of j, around B. It is a Gaussian.
struct hf_product {
    double p;      // its exponent, a + b
    double mu;     // ab / p
    double factor; // of both, and exp(-mu |A-B|^2)
    double at[3];  // (aA + bB) / p
};

struct hf_product hf_product(const struct hf_system *system, size_t i, size_t a, size_t j,
                             size_t b);

double hf_overlap(const struct hf_system *system, size_t i, size_t j);
double hf_kinetic(const struct hf_system *system, size_t i, size_t j);
double hf_attraction(const struct hf_system *system, size_t i, size_t j);
double hf_attraction_own(const struct hf_system *system, size_t i, size_t j); // by i's atom alone

// (ij|kl), the repulsion of two charge distributions, by the straight formula: what the faster
// way of quartet.c is compared with.
double hf_repulsion(const struct hf_system *system, const struct hf_boys *boys, size_t i, size_t j,
                    size_t k, size_t l);

#endif

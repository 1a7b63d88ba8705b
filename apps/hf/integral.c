// SPDX-License-Identifier: Apache-2.0
// Integrals one by one. A function is a sum of Gaussians, so that an integral is a sum over all
// combinations of them; the product of two Gaussians is one around a point between.
#include "apps/hf/integral.h"

#include <math.h>

#include "apps/hf/system.h"

#define POWER_MOST 700 // exp(-700) is 1e-304

static double distance2(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

static double function_distance2(const struct hf_system *system, size_t i, size_t j)
{
    return distance2(system->function[i].at, system->function[j].at);
}

struct hf_product hf_product(const struct hf_system *system, size_t i, size_t a, size_t j, size_t b)
{
    const struct hf_primitive *first = &system->primitive[system->function[i].first + a];
    const struct hf_primitive *second = &system->primitive[system->function[j].first + b];
    const double *at = system->function[i].at, *bt = system->function[j].at;
    struct hf_product product = {.p = first->exponent + second->exponent};
    double inverse = 1 / product.p;
    product.mu = first->exponent * second->exponent * inverse;
    double power = product.mu * distance2(at, bt); // exp() is slow where it has no answer but 0
    product.factor = power < POWER_MOST ? first->factor * second->factor * exp(-power) : 0;
    for (int axis = 0; axis < 3; axis++)
        product.at[axis] = (first->exponent * at[axis] + second->exponent * bt[axis]) * inverse;
    return product;
}

static double overlap(const struct hf_product *product)
{
    double over = M_PI / product->p;
    return product->factor * over * sqrt(over);
}

static double overlap_term(const struct hf_system *system, const struct hf_product *product,
                           double r2)
{
    (void)system, (void)r2;
    return overlap(product);
}

static double kinetic_term(const struct hf_system *system, const struct hf_product *product,
                           double r2)
{
    (void)system;
    return product->mu * (3 - 2 * product->mu * r2) * overlap(product);
}

// By atoms [begin, end).
static double attract(const struct hf_system *system, const struct hf_product *product,
                      size_t begin, size_t end)
{
    const struct hf_boys *boys = hf_boys();
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        double t = product->p * distance2(product->at, system->atom[i].at);
        sum += system->atom[i].charge * hf_boys0(boys, t);
    }
    return -2 * M_PI / product->p * product->factor * sum;
}

static double attraction_term(const struct hf_system *system, const struct hf_product *product,
                              double r2)
{
    (void)r2;
    return attract(system, product, 0, system->atoms);
}

// A sum over the products of the primitives of i and j.
static double sum_products(const struct hf_system *system, size_t i, size_t j,
                           double (*term)(const struct hf_system *, const struct hf_product *,
                                          double))
{
    double sum = 0, r2 = function_distance2(system, i, j);
    for (size_t a = 0; a < system->function[i].count; a++)
        for (size_t b = 0; b < system->function[j].count; b++) {
            struct hf_product product = hf_product(system, i, a, j, b);
            sum += term(system, &product, r2);
        }
    return sum;
}

double hf_overlap(const struct hf_system *system, size_t i, size_t j)
{
    return sum_products(system, i, j, overlap_term);
}

double hf_kinetic(const struct hf_system *system, size_t i, size_t j)
{
    return sum_products(system, i, j, kinetic_term);
}

double hf_attraction(const struct hf_system *system, size_t i, size_t j)
{
    return sum_products(system, i, j, attraction_term);
}

double hf_attraction_own(const struct hf_system *system, size_t i, size_t j)
{
    size_t atom = system->function[i].atom;
    double sum = 0;
    for (size_t a = 0; a < system->function[i].count; a++)
        for (size_t b = 0; b < system->function[j].count; b++) {
            struct hf_product product = hf_product(system, i, a, j, b);
            sum += attract(system, &product, atom, atom + 1);
        }
    return sum;
}

static double repulsion(const struct hf_boys *boys, const struct hf_product *bra,
                        const struct hf_product *ket)
{
    double pq = bra->p * ket->p, sum = bra->p + ket->p;
    double t = pq / sum * distance2(bra->at, ket->at);
    return 2 * M_PI * M_PI * sqrt(M_PI) / (pq * sqrt(sum)) * bra->factor * ket->factor *
           hf_boys0(boys, t);
}

double hf_repulsion(const struct hf_system *system, const struct hf_boys *boys, size_t i, size_t j,
                    size_t k, size_t l)
{
    const struct hf_function *f = system->function;
    double sum = 0;
    for (size_t a = 0; a < f[i].count; a++)
        for (size_t b = 0; b < f[j].count; b++) {
            struct hf_product bra = hf_product(system, i, a, j, b);
            for (size_t c = 0; c < f[k].count; c++)
                for (size_t d = 0; d < f[l].count; d++) {
                    struct hf_product ket = hf_product(system, k, c, l, d);
                    sum += repulsion(boys, &bra, &ket);
                }
        }
    return sum;
}

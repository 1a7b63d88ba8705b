// SPDX-License-Identifier: Apache-2.0
// See hf_straight.h. Compiled with the flags of apps/hf/row.c.
#include "hf_straight.h"

#include <math.h>
#include <string.h>

#include "apps/hf/integral.h"
#include "apps/hf/system.h"

#define REPULSION (2 * M_PI * M_PI * sqrt(M_PI))

// N exp(-a |r - A|^2)
struct gaussian {
    double a, factor;
    const double *at;
};

static inline struct gaussian gaussian_of(const struct hf_system *system, size_t number)
{
    const struct hf_function *function = &system->function[number];
    const struct hf_primitive *primitive = &system->primitive[function->first];
    return (struct gaussian){primitive->exponent, primitive->factor, function->at};
}

static inline double distance2(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

// The product of two of them is one around a point between.
struct charge {
    double p, factor, at[3];
};

static inline struct charge product_of(struct gaussian one, struct gaussian other)
{
    struct charge charge = {.p = one.a + other.a};
    double over = 1 / charge.p;
    charge.factor =
        one.factor * other.factor * exp(-one.a * other.a * over * distance2(one.at, other.at));
    for (int axis = 0; axis < 3; axis++)
        charge.at[axis] = (one.a * one.at[axis] + other.a * other.at[axis]) * over;
    return charge;
}

static inline double boys0(const struct hf_boys *boys, double t)
{
    return t < HF_BOYS_END ? hf_boys0_near(boys, t) : sqrt(M_PI / 4 / t);
}

static inline double repulsion(const struct hf_boys *boys, const struct charge *bra,
                               const struct charge *ket)
{
    double pq = bra->p * ket->p, sum = bra->p + ket->p;
    double t = pq / sum * distance2(bra->at, ket->at);
    return REPULSION / (pq * sqrt(sum)) * bra->factor * ket->factor * boys0(boys, t);
}

static void run_task(const struct hf_screen *screen, const struct hf_task *task,
                     const struct hf_tiles *density, const struct hf_tiles *result)
{
    struct hf_pairs bra = hf_pairs_of(screen, task->i, task->j);
    struct hf_pairs ket = hf_pairs_of(screen, task->k, task->l);
    const struct hf_system *system = screen->system;
    const double *density_kl = hf_tile(density, task->k, task->l);
    const double *density_jl = hf_tile(density, task->j, task->l);
    double *fock_ij = hf_tile(result, task->i, task->j);
    double *fock_ik = hf_tile(result, task->i, task->k);
    size_t tile = screen->tile;
    for (size_t n = 0; n < bra.list->count; n++) {
        size_t i = bra.first[n], j = bra.second[n];
        struct charge left = product_of(gaussian_of(system, task->i * tile + i),
                                        gaussian_of(system, task->j * tile + j));
        double sum = 0;
        for (size_t m = 0; m < ket.list->count; m++) {
            if (bra.list->bound[n] * ket.list->bound[m] < screen->tolerance)
                break; // so are those that follow
            size_t k = ket.first[m], l = ket.second[m];
            struct charge right = product_of(gaussian_of(system, task->k * tile + k),
                                             gaussian_of(system, task->l * tile + l));
            double g = repulsion(screen->boys, &left, &right);
            sum += g * density_kl[k * tile + l];
            fock_ik[i * tile + k] -= 0.5 * g * density_jl[j * tile + l];
        }
        fock_ij[i * tile + j] += sum;
    }
}

int twb_hf_straight(const struct hf_fock *fock, const struct hf_tiles *density,
                    struct hf_tiles *result)
{
    memset(result->data, 0, hf_tiles_size(result) * sizeof *result->data);
    for (size_t i = 0; i < fock->tasks.count; i++)
        run_task(&fock->screen, &fock->tasks.task[i], density, result);
    return 0;
}

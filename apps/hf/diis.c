// SPDX-License-Identifier: Apache-2.0
// See diis.h. The weights add up to 1 and make the square of the combined error least: a system of
// equations with one unknown more, the multiplier of that condition.
#include "apps/hf/diis.h"

#include <stdlib.h>
#include <string.h>

#include <twill/runtime.h>

#include "apps/linear.h"

bool hf_diis_make(struct hf_diis *diis, size_t size, size_t freedom)
{
    *diis = (struct hf_diis){.size = size,
                             .most = freedom + 1 < HF_DIIS_MAX ? freedom + 1 : HF_DIIS_MAX};
    diis->fock = malloc(2 * HF_DIIS_MAX * size * sizeof *diis->fock);
    if (!diis->fock)
        return false;
    diis->error = diis->fock + HF_DIIS_MAX * size;
    return true;
}

void hf_diis_free(struct hf_diis *diis)
{
    free(diis->fock);
}

static double dot(const double *a, const double *b, size_t size)
{
    double sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += a[i] * b[i];
    return sum;
}

static void keep(struct hf_diis *diis, const double *fock, const double *error)
{
    size_t at = diis->next * diis->size;
    memcpy(diis->fock + at, fock, diis->size * sizeof *fock);
    memcpy(diis->error + at, error, diis->size * sizeof *error);
    diis->next = (diis->next + 1) % diis->most;
    if (diis->count < diis->most)
        diis->count++;
}

// Products are divided by the newest one's: they become small, the ones of the condition do not.
static void fill(const struct hf_diis *diis, const double *error, double *equations,
                 double *weights)
{
    size_t count = diis->count, order = count + 1;
    double scale = dot(error, error, diis->size);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++)
            equations[i * order + j] =
                dot(diis->error + i * diis->size, diis->error + j * diis->size, diis->size) / scale;
        equations[i * order + count] = equations[count * order + i] = 1;
        weights[i] = 0;
    }
    equations[count * order + count] = 0;
    weights[count] = 1;
}

static void combine(const struct hf_diis *diis, const double *weights, double *fock)
{
    memset(fock, 0, diis->size * sizeof *fock);
    for (size_t i = 0; i < diis->count; i++)
        for (size_t j = 0; j < diis->size; j++)
            fock[j] += weights[i] * diis->fock[i * diis->size + j];
}

int hf_diis_step(struct hf_diis *diis, const struct linear *linear, double *fock,
                 const double *error)
{
    double equations[(HF_DIIS_MAX + 1) * (HF_DIIS_MAX + 1)], weights[HF_DIIS_MAX + 1];
    keep(diis, fock, error);
    fill(diis, error, equations, weights);
    int failed = linear_solve(linear, diis->count + 1, equations, weights);
    if (failed == TW_EINVAL) {
        diis->count = diis->next = 0;
        return 0;
    }
    if (!failed)
        combine(diis, weights, fock);
    return failed;
}

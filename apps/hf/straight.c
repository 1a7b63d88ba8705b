// SPDX-License-Identifier: Apache-2.0
// The oracle of the Fock build: the sums as they are written, over the pairs that survive.
#include <string.h>

#include "apps/hf/fock.h"
#include "apps/hf/integral.h"
#include "apps/hf/system.h"

static void run_task(const struct hf_screen *screen, const struct hf_task *task,
                     const struct hf_tiles *density, const struct hf_tiles *result)
{
    struct hf_pairs bra = hf_pairs_of(screen, task->i, task->j);
    struct hf_pairs ket = hf_pairs_of(screen, task->k, task->l);
    const double *density_kl = hf_tile(density, task->k, task->l);
    const double *density_jl = hf_tile(density, task->j, task->l);
    double *fock_ij = hf_tile(result, task->i, task->j);
    double *fock_ik = hf_tile(result, task->i, task->k);
    size_t tile = screen->tile;
    for (size_t n = 0; n < bra.list->count; n++)
        for (size_t m = 0; m < ket.list->count; m++) {
            if (bra.list->bound[n] * ket.list->bound[m] < screen->tolerance)
                continue;
            size_t i = bra.first[n], j = bra.second[n], k = ket.first[m], l = ket.second[m];
            double g = hf_repulsion(screen->system, screen->boys, task->i * tile + i,
                                    task->j * tile + j, task->k * tile + k, task->l * tile + l);
            fock_ij[i * tile + j] += g * density_kl[k * tile + l];
            fock_ik[i * tile + k] -= g * density_jl[j * tile + l] / 2;
        }
}

int hf_fock_straight(const struct hf_fock *fock, const struct hf_tiles *density,
                     struct hf_tiles *result)
{
    memset(result->data, 0, hf_tiles_size(result) * sizeof *result->data);
    for (size_t i = 0; i < fock->tasks.count; i++)
        run_task(&fock->screen, &fock->tasks.task[i], density, result);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// The oracle of the Fock build: the sums as they are written, over the pairs that survive.
#include <string.h>

#include "apps/hf/fock.h"
#include "apps/hf/integral.h"
#include "apps/hf/system.h"

// The functions of pair n of two tiles.
static void functions_of(const struct hf_screen *screen, size_t i, size_t j, size_t n,
                         size_t functions[2])
{
    const struct hf_list *list = hf_list(screen, i, j);
    functions[0] = i * screen->tile + (i <= j ? list->first : list->second)[n];
    functions[1] = j * screen->tile + (i <= j ? list->second : list->first)[n];
}

static double *element(const struct hf_tiles *matrix, size_t row, size_t column)
{
    size_t tile = matrix->tile;
    return hf_tile(matrix, row / tile, column / tile) + row % tile * tile + column % tile;
}

static void run_task(const struct hf_screen *screen, const struct hf_task *task,
                     const struct hf_tiles *density, const struct hf_tiles *result)
{
    const struct hf_list *bras = hf_list(screen, task->i, task->j);
    const struct hf_list *kets = hf_list(screen, task->k, task->l);
    size_t bra[2], ket[2];
    for (size_t n = 0; n < bras->count; n++)
        for (size_t m = 0; m < kets->count; m++) {
            if (bras->bound[n] * kets->bound[m] < screen->tolerance)
                continue;
            functions_of(screen, task->i, task->j, n, bra);
            functions_of(screen, task->k, task->l, m, ket);
            double g = hf_repulsion(screen->system, screen->boys, bra[0], bra[1], ket[0], ket[1]);
            *element(result, bra[0], bra[1]) += g * *element(density, ket[0], ket[1]);
            *element(result, bra[0], ket[0]) -= g * *element(density, bra[1], ket[1]) / 2;
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

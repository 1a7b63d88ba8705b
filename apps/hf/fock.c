// SPDX-License-Identifier: Apache-2.0
// The sequential Fock build: see fock.h.
#include "apps/hf/fock.h"

#include <string.h>

#include <twill/runtime.h>

#include "apps/hf/quartet.h"

int hf_fock_make(struct hf_fock *fock, const struct hf_system *system, size_t tile,
                 double tolerance, const struct hf_bounds_source *source)
{
    if (hf_screen_make_from(&fock->screen, system, tile, tolerance, source) != 0)
        return TW_ENOMEM;
    if (hf_tasks_make(&fock->tasks, &fock->screen) == 0)
        return 0;
    hf_screen_free(&fock->screen);
    return TW_ENOMEM;
}

void hf_fock_free(struct hf_fock *fock)
{
    hf_tasks_free(&fock->tasks);
    hf_screen_free(&fock->screen);
}

static void run_task(const struct hf_fock *fock, size_t number, const struct hf_tiles *density,
                     const struct hf_tiles *result)
{
    const struct hf_task *task = &fock->tasks.task[number];
    struct hf_operands operands = {
        .density_kl = hf_tile(density, task->k, task->l),
        .density_jl = hf_tile(density, task->j, task->l),
        .fock_ij = hf_tile(result, task->i, task->j),
        .fock_ik = hf_tile(result, task->i, task->k),
    };
    hf_quartet(&fock->screen, task->i, task->j, task->k, task->l, &operands);
}

int hf_fock_plain(const struct hf_fock *fock, const struct hf_tiles *density,
                  struct hf_tiles *result)
{
    memset(result->data, 0, hf_tiles_size(result) * sizeof *result->data);
    for (size_t i = 0; i < fock->tasks.count; i++)
        run_task(fock, i, density, result);
    return 0;
}

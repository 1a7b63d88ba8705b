// SPDX-License-Identifier: Apache-2.0
// Fock builds on one machine: see fock.h.
//
// Tasks add to tiles that others add to as well. Each worker has a whole matrix for that, a view of
// a reducer, and these are added in the end: no task ever waits for a tile.
#include "apps/hf/fock.h"

#include <stdlib.h>
#include <string.h>

#include <twill/twill.h>

#include "apps/hf/quartet.h"
#include "apps/hf/system.h"

int hf_fock_make(struct hf_fock *fock, const struct hf_system *system, size_t tile,
                 double tolerance)
{
    if (hf_screen_make(&fock->screen, system, tile, tolerance) != 0)
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

// ---- with tasks ----

// The sum of what some tasks have added; none yet: no data.
static struct hf_tiles join(struct hf_tiles a, struct hf_tiles b)
{
    if (!a.data)
        return b;
    for (size_t i = 0; b.data && i < hf_tiles_size(&a); i++)
        a.data[i] += b.data[i];
    hf_tiles_free(&b);
    return a;
}

TW_REDUCER(struct hf_tiles, partial, {.data = NULL}, join(a, b))

TW_LOOP(quartets, number, {
    const struct hf_fock *fock;
    const struct hf_tiles *density;
    tw_reducer(partial) * sum;
})
{
    struct hf_tiles *view = tw_view(partial, self.sum);
    if (!view->data && !hf_tiles_make(view, self.density->n, self.density->tile))
        tw_fail(TW_ENOMEM);
    else
        run_task(self.fock, (size_t)number, self.density, view);
}

int hf_fock_loop(const struct hf_fock *fock, const struct hf_tiles *density,
                 struct hf_tiles *result)
{
    tw_reducer(partial) sum;
    tw_reducer_open(partial, &sum);
    tw_finish {
        tw_forasync(quartets, tw_range(0, (int64_t)fock->tasks.count), .fock = fock,
                    .density = density, .sum = &sum);
    }
    struct hf_tiles all = tw_reducer_close(partial, &sum);
    size_t size = hf_tiles_size(result) * sizeof *result->data;
    if (all.data)
        memcpy(result->data, all.data, size);
    else
        memset(result->data, 0, size);
    hf_tiles_free(&all);
    return tw_cancelled() ? TW_ECANCELED : 0;
}

// SPDX-License-Identifier: Apache-2.0
// See sums.h.
#include "apps/hf/sums.h"

#include <stdlib.h>

struct hf_desk *hf_desks_make(unsigned workers, size_t tiles)
{
    struct hf_desk *desks = aligned_alloc(_Alignof(struct hf_desk), workers * sizeof *desks);
    for (unsigned worker = 0; desks && worker < workers; worker++) {
        desks[worker].count = HF_SUM_EXCHANGE + tiles;
        desks[worker].sum = calloc(desks[worker].count, sizeof *desks[worker].sum);
        if (!desks[worker].sum) {
            hf_desks_free(desks, worker);
            return NULL;
        }
    }
    return desks;
}

void hf_desks_free(struct hf_desk *desks, unsigned workers)
{
    for (unsigned worker = 0; desks && worker < workers; worker++)
        free(desks[worker].sum);
    free(desks);
}

double *hf_sum_turn(struct hf_sum *sum, size_t i, size_t j, size_t tile, struct hf_sum *left)
{
    if (sum->data && sum->i == i && sum->j == j)
        return sum->data;
    *left = *sum;
    *sum = (struct hf_sum){i, j, calloc(tile * tile, sizeof *sum->data)};
    return sum->data;
}

void hf_sum_give(struct hf_sum *sum, struct tw_matrix matrix, size_t tile)
{
    if (sum->data)
        tw_tile_accumulate(matrix, (uint32_t)sum->i, (uint32_t)sum->j, sum->data, tile);
    free(sum->data);
    sum->data = NULL;
}

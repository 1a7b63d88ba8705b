// SPDX-License-Identifier: Apache-2.0
// See sums.h.
#include "apps/hf/sums.h"

#include <stdlib.h>

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

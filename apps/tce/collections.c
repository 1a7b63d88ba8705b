// SPDX-License-Identifier: Apache-2.0
// The contraction by task collections: a task for each tile of C, which begins where its panel of A
// is.
#include <stdlib.h>

#include <twill/twill.h>

#include "apps/tce/tce.h"

TW_TASK(contract, { uint32_t tile; })
{
    int error = 0;
    if (!tce_contract(tw_collection_local(), self.tile, &error))
        tw_collection_null();
    if (error)
        tw_fail(error);
}

static int seed(void *program, struct tw_collection *collection, enum tw_balance balance)
{
    const struct tce *tce = program;
    bool has_nulls = tce->has_nulls || balance == TW_BALANCE_STEAL_ALL;
    uint32_t pairs = tce->shape.pairs;
    int error = 0;
    for (uint32_t left = tw_here(); left < pairs; left += tw_places())
        for (uint32_t tile = left * pairs; tile < (left + 1) * pairs && !error; tile++)
            if (has_nulls || !tce_is_null(&tce->shape, tile))
                error = tw_collection_add_near(collection, (int)(left / tw_places()), contract,
                                               .tile = tile);
    return error;
}

static void begin(void *program, unsigned iteration, unsigned turn)
{
    struct tce *tce = program;
    (void)iteration;
    tce->factor = tce_factor(turn);
    tce->factors += tce->factor;
    tce->processes++;
}

int tce_collections(const struct tw_options *options, struct tce *tce,
                    struct iterations *iterations)
{
    iterations->task_size = sizeof(struct tw_args_contract);
    iterations->program = tce;
    iterations->seed = seed;
    iterations->begin = begin;
    int error = iterations_run(options, iterations);
    if (!error)
        tce_collect(tce);
    size_t tiles = (size_t)tce->shape.pairs * tce->shape.pairs;
    if (!error && tw_places() > 1)
        error = tw_places_sum(tce->found, tiles);
    if (!error && tw_places() > 1 && tce->is_kept)
        error = tw_places_sum(tce->kept, tiles);
    return error;
}

// SPDX-License-Identifier: Apache-2.0
// Where no task is cancelled and none has large arguments. (attempt.c has cancellation.)
#ifndef MODEL_UNCANCELLED_H
#define MODEL_UNCANCELLED_H

#include "sched/attempt.h"

int twi_heed(struct tw_fiber *f)
{
    (void)f;
    return 0;
}

int twi_pool_cancelled(struct twi_pool *pool, const struct tw_attempt *attempt)
{
    (void)pool, (void)attempt;
    return 0;
}

struct tw_attempt *twi_attempt_of_piece(struct twi_pool *pool, const struct twi_found *found)
{
    (void)pool, (void)found;
    return NULL;
}

void *tw_spill(const void *args, size_t size, size_t align)
{
    (void)args, (void)size, (void)align;
    return NULL;
}

void tw_spill_free(void *spilled)
{
    (void)spilled;
}

#endif

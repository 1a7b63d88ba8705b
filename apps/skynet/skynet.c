// SPDX-License-Identifier: Apache-2.0
// Skynet: the formula, the plain recursion, and the recursion with tasks.
#include "apps/skynet/skynet.h"

#include <twill/twill.h>

bool skynet_is_whole(uint64_t leaves)
{
    while (leaves > 1 && leaves % SKYNET_CHILDREN == 0)
        leaves /= SKYNET_CHILDREN;
    return leaves == 1;
}

uint64_t skynet_sum(uint64_t leaves)
{
    return leaves * (leaves - 1) / 2;
}

uint64_t skynet_nodes(uint64_t leaves)
{
    uint64_t nodes = leaves;
    while (leaves > 1) {
        leaves /= SKYNET_CHILDREN;
        nodes += leaves;
    }
    return nodes;
}

// The subtree of `leaves` leaves, numbered from `first`.
static uint64_t sum_below(uint64_t first, uint64_t leaves)
{
    if (leaves == 1)
        return first;
    uint64_t sum = 0, each = leaves / SKYNET_CHILDREN;
    for (unsigned i = 0; i < SKYNET_CHILDREN; i++)
        sum += sum_below(first + i * each, each);
    return sum;
}

uint64_t skynet_sequential(uint64_t leaves)
{
    return sum_below(0, leaves);
}

// A fork for each child but the last, which is called.
TW_FUNCTION(uint64_t, forked, {
    uint64_t first;
    uint64_t leaves;
})
{
    if (self.leaves == 1)
        return self.first;
    tw_forked(forked) child[SKYNET_CHILDREN - 1];
    uint64_t each = self.leaves / SKYNET_CHILDREN;
    for (unsigned i = 0; i < SKYNET_CHILDREN - 1; i++)
        child[i] = tw_fork(forked, .first = self.first + i * each, .leaves = each);
    uint64_t sum =
        tw_call(forked, .first = self.first + (SKYNET_CHILDREN - 1) * each, .leaves = each);
    for (unsigned i = SKYNET_CHILDREN - 1; i-- > 0;)
        sum += tw_join(forked, child[i]);
    return sum;
}

TW_TASK(run_forked, {
    uint64_t leaves;
    uint64_t *sum;
})
{
    *self.sum = tw_call(forked, .first = 0, .leaves = self.leaves);
}

TW_TASK(started, {
    uint64_t first;
    uint64_t leaves;
    uint64_t *sum;
})
{
    if (self.leaves == 1) {
        *self.sum = self.first;
        return;
    }
    uint64_t sums[SKYNET_CHILDREN], each = self.leaves / SKYNET_CHILDREN;
    tw_finish {
        for (unsigned i = 0; i < SKYNET_CHILDREN; i++)
            tw_async(started, .first = self.first + i * each, .leaves = each, .sum = &sums[i]);
    }
    uint64_t sum = 0;
    for (unsigned i = 0; i < SKYNET_CHILDREN; i++)
        sum += sums[i];
    *self.sum = sum;
}

int skynet_fork(const struct tw_options *options, uint64_t leaves, uint64_t *sum)
{
    return tw_run_with(options, run_forked, .leaves = leaves, .sum = sum);
}

int skynet_async(const struct tw_options *options, uint64_t leaves, uint64_t *sum)
{
    return tw_run_with(options, started, .first = 0, .leaves = leaves, .sum = sum);
}

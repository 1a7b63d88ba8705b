// SPDX-License-Identifier: Apache-2.0
#include "apps/uts/tally.h"

#include <twill/twill.h>

struct uts_tally uts_tallies[TW_WORKERS_MAX];

void uts_tally_clear(void)
{
    for (unsigned i = 0; i < TW_WORKERS_MAX; i++) {
        struct uts_count *count = &uts_tallies[i].count;
        TWI_STORE(&count->nodes, (uint64_t)0, TWI_RELAXED); // statistic
        count->leaves = count->depth = 0;
    }
}

int uts_tally_sum(int error, struct uts_count *count)
{
    struct uts_count here = {0};
    for (unsigned i = 0; i < TW_WORKERS_MAX; i++)
        uts_count_add(&here, &uts_tallies[i].count);
    uint64_t sums[] = {here.nodes, here.leaves}, depth = here.depth;
    if (!error)
        error = tw_places_sum(sums, 2);
    if (!error)
        error = tw_places_max(&depth, 1);
    *count = (struct uts_count){.nodes = sums[0], .leaves = sums[1], .depth = depth};
    return error;
}

uint64_t uts_nodes_so_far(void)
{
    uint64_t nodes = 0;
    for (unsigned i = 0; i < TW_WORKERS_MAX; i++)
        nodes += TWI_LOAD(&uts_tallies[i].count.nodes, TWI_RELAXED); // statistic
    return nodes;
}

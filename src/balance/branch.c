// SPDX-License-Identifier: Apache-2.0
#include "balance/branch.h"

#include "balance/bin.h"

// ---- the shape of the tree ----

uint32_t twi_level_nodes(uint32_t cores, uint32_t fan, uint32_t level)
{
    while (level-- > 0)
        cores = cores / fan + (cores % fan != 0);
    return cores;
}

uint32_t twi_levels(uint32_t cores, uint32_t fan)
{
    uint32_t levels = 0;
    for (; cores > 1; cores = twi_level_nodes(cores, fan, 1))
        levels++;
    return levels;
}

uint32_t twi_node_core(uint32_t node, uint32_t fan, uint32_t level)
{
    while (level-- > 0)
        node *= fan;
    return node;
}

// ---- a node ----

void twi_branch_merge(const struct twi_branch *children, uint32_t fan, const struct twi_pick *picks,
                      struct twi_pick *pool)
{
    struct {
        const struct twi_pick *at, *end;
    } list[TWI_FAN_MOST];
    uint32_t lists = 0;
    for (uint32_t i = 0; i < fan; i++) {
        if (children[i].count) {
            list[lists].at = picks;
            list[lists++].end = picks + children[i].count;
        }
        picks += children[i].count;
    }
    while (lists > 0) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < lists; i++)
            if (list[i].at->bin > list[best].at->bin)
                best = i;
        *pool++ = *list[best].at++;
        if (list[best].at == list[best].end) { // the others stay in their order
            lists--;
            for (uint32_t i = best; i < lists; i++)
                list[i] = list[i + 1];
        }
    }
}

static int is_poorer(const struct twi_branch *a, const struct twi_branch *b)
{
    return (unsigned __int128)a->load_ns * b->cores < (unsigned __int128)b->load_ns * a->cores;
}

static uint32_t poorest(const struct twi_branch *children, uint32_t fan)
{
    uint32_t found = 0;
    for (uint32_t i = 1; i < fan; i++)
        if (is_poorer(&children[i], &children[found]))
            found = i;
    return found;
}

uint32_t twi_branch_assign(struct twi_branch *children, uint32_t fan, const struct twi_pick *pool,
                           uint32_t count, uint64_t fill_ns, uint8_t *to)
{
    uint32_t given;
    for (given = 0; given < count; given++) {
        uint32_t child = poorest(children, fan);
        struct twi_branch *branch = &children[child];
        if (branch->load_ns >= (unsigned __int128)fill_ns * branch->cores)
            break;
        to[given] = (uint8_t)child;
        branch->load_ns += twi_bin_ns(pool[given].bin);
    }
    return given;
}

void twi_branch_part(struct twi_assigned kept, struct twi_assigned came, uint32_t fan,
                     struct twi_pick *out, uint32_t *counts)
{
    struct twi_pick *at[TWI_FAN_MOST];
    for (uint32_t i = 0; i < fan; i++)
        counts[i] = 0;
    for (uint32_t i = 0; i < kept.count; i++)
        counts[kept.to[i]]++;
    for (uint32_t i = 0; i < came.count; i++)
        counts[came.to[i]]++;
    for (uint32_t i = 0; i < fan; out += counts[i++])
        at[i] = out;
    for (uint32_t k = 0, c = 0; k < kept.count || c < came.count;) {
        if (c == came.count || (k < kept.count && kept.picks[k].bin >= came.picks[c].bin)) {
            *at[kept.to[k]]++ = kept.picks[k];
            k++;
        } else {
            *at[came.to[c]]++ = came.picks[c];
            c++;
        }
    }
}

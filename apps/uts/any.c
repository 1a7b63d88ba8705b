// SPDX-License-Identifier: Apache-2.0
// UTS over places: the tasks of async.c, but any place may run them. What a task needs beside its
// own node every place has: the tree, made from the same settings, and a tally for each worker.
#include <string.h>

#include <twill/twill.h>

#include "apps/uts/uts.h"

#ifdef TWILL_SERIAL // has no workers
#define tw_worker() 0
#endif

// A cache line for each worker: nobody else writes it.
static struct {
    struct uts_count count;
} __attribute__((aligned(64))) tally[TW_WORKERS_MAX];

static const struct uts_tree *tree; // the one that is searched

TW_TASK(visit, {
    struct uts_state parent;
    uint32_t index;
    uint32_t height;
})
{
    struct uts_state parent = self.parent, node;
    uint32_t index = self.index, height = self.height;
    for (;;) {
        uts_hash_child(tree, &parent, index, &node);
        unsigned children = uts_state_children(tree, height, &node);
        if (children == 0)
            break;
        height++;
        for (index = 0; index < children - 1; index++)
            tw_async_any(visit, .parent = node, .index = index, .height = height);
        parent = node;
    }
    struct uts_count *count = &tally[tw_worker()].count;
    count->nodes += height - self.height + 1;
    count->leaves++;
    if (count->depth < height)
        count->depth = height;
}

TW_TASK(search, { int unused; })
{
    tw_finish {
        struct uts_node root;
        uts_root(tree, &root);
        unsigned children = uts_children(&root);
        for (unsigned i = 0; i < children; i++)
            tw_async_any(visit, .parent = root.state, .index = i, .height = 1);
    }
}

int uts_search_any(const struct tw_options *options, const struct uts_tree *searched,
                   struct uts_count *count)
{
    tree = searched;
    memset(tally, 0, sizeof tally);
    int error = tw_run_with(options, search, .unused = 0);
    struct uts_count here = {0};
    for (unsigned i = 0; i < TW_WORKERS_MAX; i++)
        uts_count_add(&here, &tally[i].count);
    uint64_t sums[] = {here.nodes, here.leaves}, depth = here.depth;
    if (!error)
        error = tw_places_sum(sums, 2);
    if (!error)
        error = tw_places_max(&depth, 1);
    *count = (struct uts_count){.nodes = sums[0] + 1, .leaves = sums[1], .depth = depth};
    count->leaves += count->nodes == 1;
    return error;
}

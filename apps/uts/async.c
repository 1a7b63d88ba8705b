// SPDX-License-Identifier: Apache-2.0
// UTS: an async for each node but its parent's last child, all in one finish block.
//
// A task carries all it needs and waits for nobody, so that it could run anywhere, and no stack
// grows with the tree: a node that has children starts all but the last and goes on with that one.
// So each task ends at one leaf. Each worker counts its own; the block's end makes the counts
// visible to the root task, which adds them.
#include "apps/uts/uts.h"

#include <stdlib.h>
#include <twill/twill.h>

// A cache line for each worker: nobody else writes it.
struct tally {
    struct uts_count count;
} __attribute__((aligned(64)));

struct search {
    const struct uts_tree *tree;
    struct tally *tally;
};

// `node` comes first: where it is aligned, it is copied and read in the same pieces.
TW_TASK(visit, {
    struct uts_state node;
    uint32_t height;
    const struct search *search;
})
{
    const struct uts_tree *tree = self.search->tree;
    struct uts_path path = {.node = self.node, .height = self.height};
    for (; uts_path_branches(tree, &path); uts_path_down(tree, &path))
        for (uint32_t i = 0; i < path.last; i++) {
            struct uts_state child;
            uts_hash_child(tree, &path.node, i, &child);
            tw_async(visit, .node = child, .height = path.height, .search = self.search);
        }
    struct uts_count found = uts_path_count(&path, self.height);
    uts_count_add(&self.search->tally[tw_worker()].count, &found);
}

TW_TASK(search, {
    const struct uts_tree *tree;
    struct uts_count *count;
    bool *ok;
})
{
    unsigned workers = tw_workers();
    struct search search = {.tree = self.tree};
    search.tally = aligned_alloc(sizeof(struct tally), workers * sizeof(struct tally));
    *self.ok = search.tally != NULL;
    if (!search.tally)
        return;
    for (unsigned i = 0; i < workers; i++)
        search.tally[i].count = (struct uts_count){0};
    tw_finish {
        struct uts_node root;
        uts_root(self.tree, &root);
        unsigned children = uts_children(&root);
        for (unsigned i = 0; i < children; i++) {
            struct uts_state child;
            uts_hash_child(self.tree, &root.state, i, &child);
            tw_async(visit, .node = child, .height = 1, .search = &search);
        }
    }
    *self.count = (struct uts_count){.nodes = 1};
    for (unsigned i = 0; i < workers; i++)
        uts_count_add(self.count, &search.tally[i].count);
    self.count->leaves += self.count->nodes == 1;
    free(search.tally);
}

int uts_search_async(const struct tw_options *options, const struct uts_tree *tree,
                     struct uts_count *count)
{
    bool ok = true;
    int error = tw_run_with(options, search, .tree = tree, .count = count, .ok = &ok);
    return error == 0 && !ok ? TW_ENOMEM : error;
}

// SPDX-License-Identifier: Apache-2.0
// UTS: an async for each node, all in one finish block.
//
// A task carries all it needs and waits for nobody, so that it could run anywhere, and no stack
// grows with the tree. Each worker counts what it visits; the block's end makes the counts visible
// to the root task, which adds them.
#include "apps/uts/uts.h"

#include <stdlib.h>
#include <twill/twill.h>

#ifdef TWILL_SERIAL // has no workers
#define tw_workers() 1
#define tw_worker() 0
#endif

// A cache line for each worker: nobody else writes it.
struct tally {
    struct uts_count count;
} __attribute__((aligned(64)));

struct search {
    const struct uts_tree *tree;
    struct tally *tally;
};

static void tally_node(const struct search *search, const struct uts_node *node, unsigned children)
{
    uts_count_node(&search->tally[tw_worker()].count, node->height, children);
}

// `parent` comes first: where it is aligned, it is copied and read in the same pieces.
TW_TASK(visit, {
    struct uts_state parent;
    uint32_t index;
    uint32_t height;
    const struct search *search;
})
{
    struct uts_node node = {.height = self.height, .tree = self.search->tree};
    uts_hash_child(node.tree, &self.parent, self.index, &node.state);
    unsigned children = uts_children(&node);
    tally_node(self.search, &node, children);
    for (unsigned i = 0; i < children; i++)
        tw_async(visit, .parent = node.state, .index = i, .height = node.height + 1,
                 .search = self.search);
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
        tally_node(&search, &root, children);
        for (unsigned i = 0; i < children; i++)
            tw_async(visit, .parent = root.state, .index = i, .height = 1, .search = &search);
    }
    for (unsigned i = 0; i < workers; i++)
        uts_count_add(self.count, &search.tally[i].count);
    free(search.tally);
}

int uts_search_async(const struct tw_options *options, const struct uts_tree *tree,
                     struct uts_count *count)
{
    bool ok = true;
    *count = (struct uts_count){0};
    int error = tw_run_with(options, search, .tree = tree, .count = count, .ok = &ok);
    return error == 0 && !ok ? TW_ENOMEM : error;
}

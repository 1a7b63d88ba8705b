// SPDX-License-Identifier: Apache-2.0
// UTS over places: the tasks of async.c, but any place may run them. What a task needs beside its
// own node every place has: the tree, made from the same settings, and a tally for each worker.
#include <twill/twill.h>

#include "apps/uts/tally.h"

static const struct uts_tree *tree; // the one that is searched

TW_TASK(visit, {
    struct uts_state node;
    uint32_t height;
})
{
    struct uts_state node = self.node, child;
    uint32_t height = self.height;
    unsigned children;
    while ((children = uts_state_children(tree, height, &node)) > 0) {
        height++;
        for (uint32_t i = 0; i < children - 1; i++) {
            uts_hash_child(tree, &node, i, &child);
            tw_async_any(visit, .node = child, .height = height);
        }
        uts_hash_child(tree, &node, children - 1, &child);
        node = child;
    }
    struct uts_count found = {.nodes = height - self.height + 1, .leaves = 1, .depth = height};
    uts_tally_add(&found);
}

TW_TASK(search, { int unused; })
{
    tw_finish {
        struct uts_node root;
        struct uts_count found = {0};
        uts_root(tree, &root);
        unsigned children = uts_children(&root);
        uts_count_node(&found, 0, children);
        uts_tally_add(&found);
        for (unsigned i = 0; i < children; i++) {
            struct uts_state child;
            uts_hash_child(tree, &root.state, i, &child);
            tw_async_any(visit, .node = child, .height = 1);
        }
    }
}

int uts_search_any(const struct tw_options *options, const struct uts_tree *searched,
                   struct uts_count *count)
{
    tree = searched;
    uts_tally_clear();
    return uts_tally_sum(tw_run_with(options, search, .unused = 0), count);
}

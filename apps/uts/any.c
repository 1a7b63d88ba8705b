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
    struct uts_path path = {.node = self.node, .height = self.height};
    for (; uts_path_branches(tree, &path); uts_path_down(tree, &path))
        for (uint32_t i = 0; i < path.last; i++) {
            struct uts_state child;
            uts_hash_child(tree, &path.node, i, &child);
            tw_async_any(visit, .node = child, .height = path.height);
        }
    struct uts_count found = uts_path_count(&path, self.height);
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

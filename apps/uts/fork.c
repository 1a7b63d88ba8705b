// SPDX-License-Identifier: Apache-2.0
// UTS: a fork for each node but its parent's last child, which is called.
//
// A task is its parent's address and an index, so that forking costs two words and the hash belongs
// to whoever runs the task; the parent waits in its frame until all its children are joined. Leaves,
// four nodes of five, end before `uts_below` sets up a frame for handles.
#include "apps/uts/uts.h"

#include <alloca.h>
#include <twill/twill.h>

TW_FUNCTION_DECLARE(struct uts_count, uts_below, {
    const struct uts_node *node;
    unsigned children;
});

TW_FUNCTION(struct uts_count, subtree, {
    const struct uts_node *parent;
    uint32_t index;
})
{
    struct uts_node node;
    uts_child(self.parent, self.index, &node);
    unsigned children = uts_children(&node);
    if (children == 0)
        return (struct uts_count){.nodes = 1, .leaves = 1, .depth = node.height};
    return tw_call(uts_below, .node = &node, .children = children);
}

// The node, which has children, and all below it.
TW_FUNCTION_DEFINE(uts_below)
{
    unsigned last = self.children - 1;
    tw_forked(subtree) *forked = alloca(last * sizeof *forked);
    for (unsigned i = 0; i < last; i++)
        forked[i] = tw_fork(subtree, .parent = self.node, .index = i);
    struct uts_count count = tw_call(subtree, .parent = self.node, .index = last);
    count.nodes++;
    while (last-- > 0) {
        struct uts_count more = tw_join(subtree, forked[last]);
        uts_count_add(&count, &more);
    }
    return count;
}

TW_TASK(search, {
    const struct uts_tree *tree;
    struct uts_count *count;
})
{
    struct uts_node root;
    uts_root(self.tree, &root);
    unsigned children = uts_children(&root);
    if (children == 0)
        *self.count = (struct uts_count){.nodes = 1, .leaves = 1};
    else
        *self.count = tw_call(uts_below, .node = &root, .children = children);
}

int uts_search_fork(const struct tw_options *options, const struct uts_tree *tree,
                    struct uts_count *count)
{
    return tw_run_with(options, search, .tree = tree, .count = count);
}

// SPDX-License-Identifier: Apache-2.0
// UTS: a fork for each node but its parent's last child, which is called.
//
// A task is its parent's address and an index, so that forking costs two words and the hash belongs
// to whoever runs the task; the parent waits in its frame until all its children are joined.
// Leaves, four nodes of five, end before `uts_below` sets up a frame for handles.
#include "apps/uts/uts.h"

#include <alloca.h>
#include <twill/twill.h>

TW_FUNCTION_DECLARE(struct uts_count, uts_below, {
    const struct uts_node *node;
    unsigned children;
});

TW_FUNCTION(struct uts_count, subtree, { const struct uts_node *root; })
{
    unsigned children = uts_children(self.root);
    if (children == 0)
        return (struct uts_count){.nodes = 1, .leaves = 1, .depth = self.root->height};
    return tw_call(uts_below, .node = self.root, .children = children);
}

TW_FUNCTION(struct uts_count, child, {
    const struct uts_node *parent;
    uint32_t index;
})
{
    struct uts_node node;
    uts_child(self.parent, self.index, &node);
    return tw_call(subtree, .root = &node);
}

// The node, which has children, and all below it. The last child's hash comes first: the processor
// calculates it while the others are forked.
TW_FUNCTION_DEFINE(uts_below)
{
    unsigned last = self.children - 1;
    tw_forked(child) *forked = alloca(last * sizeof *forked);
    struct uts_node node;
    uts_child(self.node, last, &node);
    for (unsigned i = 0; i < last; i++)
        forked[i] = tw_fork(child, .parent = self.node, .index = i);
    struct uts_count count = tw_call(subtree, .root = &node);
    count.nodes++;
    while (last-- > 0) {
        struct uts_count more = tw_join(child, forked[last]);
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
    *self.count = tw_call(subtree, .root = &root);
}

int uts_search_fork(const struct tw_options *options, const struct uts_tree *tree,
                    struct uts_count *count)
{
    return tw_run_with(options, search, .tree = tree, .count = count);
}

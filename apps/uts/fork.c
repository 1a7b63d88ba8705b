// SPDX-License-Identifier: Apache-2.0
// UTS: a fork for each node but its parent's last child, which is called.
//
// A task is its parent's address and an index, so that forking costs two words and the hash belongs
// to whoever runs the task; the parent waits in its frame until all its children are joined.
// Leaves, four nodes of five, end before `uts_below` sets up a frame for handles.
#include "apps/uts/uts.h"

#include <string.h>
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

// The node, which has children, and all below it.
#ifdef TWILL_SERIAL // a handle is a value there: calls need none
TW_FUNCTION_DEFINE(uts_below)
{
    struct uts_count count = {.nodes = 1};
    for (unsigned i = 0; i < self.children; i++) {
        struct uts_count more = tw_call(child, .parent = self.node, .index = i);
        uts_count_add(&count, &more);
    }
    return count;
}
#else
// The last child's hash comes first: the processor calculates it while the others are forked. One
// body's forks in a row have handles in a row, so the newest leads to all, and no array is needed.
TW_FUNCTION_DEFINE(uts_below)
{
    unsigned last = self.children - 1;
    struct uts_count count;
    tw_forked(child) newest = {NULL};
    {
        struct uts_node node; // its place in the frame is free for others afterwards
        uts_child(self.node, last, &node);
        for (unsigned i = 0; i < last; i++)
            newest = tw_fork(child, .parent = self.node, .index = i);
        count = tw_call(subtree, .root = &node);
    }
    count.nodes++;
    for (; last > 0; last--, newest.slot--) {
        struct uts_count more = tw_join(child, newest);
        uts_count_add(&count, &more);
    }
    return count;
}
#endif

TW_TASK(search, {
    const struct uts_tree *tree;
    struct uts_count *count;
})
{
    struct uts_node root;
    uts_root(self.tree, &root);
    *self.count = tw_call(subtree, .root = &root);
}

// Frames stand as deep as the tree, T3L's 17,844 times 0.3 KB; a stack costs memory only where it
// is used.
#define STACK_SIZE ((size_t)64 << 20)

// The options given, but for a stack size that nobody has chosen.
static void choose_stack(const struct tw_options *given, struct tw_options *options)
{
#ifdef TWILL_SERIAL
    (void)given, (void)options;
#else
    char value[32];
    const char *source = "";
    if (given)
        *options = *given;
    else
        tw_options_init(options, NULL, 0);
    tw_options_get(options, "stack-size", value, sizeof value, &source);
    if (strcmp(source, "default") == 0)
        options->stack_size = STACK_SIZE;
#endif
}

int uts_search_fork(const struct tw_options *options, const struct uts_tree *tree,
                    struct uts_count *count)
{
    struct tw_options deep;
    choose_stack(options, &deep);
    return tw_run_with(&deep, search, .tree = tree, .count = count);
}

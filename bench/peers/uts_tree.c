// SPDX-License-Identifier: Apache-2.0
// See uts_tree.h.
#include "uts_tree.h"

#include <stdio.h>

const struct uts_tree *peer_tree(long number)
{
    static struct uts_tree tree;
    char name[16];
    snprintf(name, sizeof name, "T%ld", number);
    const struct uts_named_tree *named = uts_find_named(name);
    if (named == NULL || uts_tree_init(&tree, &named->parameters, UTS_SHA_PORTABLE, 1) != NULL)
        return NULL;
    return &tree;
}

unsigned peer_node_size(void)
{
    return sizeof(struct uts_node);
}

void peer_root(long tree, struct uts_node *root)
{
    uts_root(peer_tree(tree), root);
}

void peer_child(const struct uts_node *parent, uint32_t index, struct uts_node *child)
{
    uts_child(parent, index, child);
}

unsigned peer_children(const struct uts_node *node)
{
    return uts_children(node);
}

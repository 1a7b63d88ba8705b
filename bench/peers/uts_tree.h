// SPDX-License-Identifier: Apache-2.0
// The trees of the peers: the application's own nodes and portable SHA-1 (apps/uts), so that only
// the runtimes differ.
#ifndef PEER_UTS_TREE_H
#define PEER_UTS_TREE_H

#ifdef __cplusplus
#include <cmath>
extern "C" {
#endif

#include "apps/uts/uts.h"

// Tree T<number>, always the same object; NULL when there is none.
const struct uts_tree *peer_tree(long number);

// For languages that cannot include uts.h.
unsigned peer_node_size(void);
void peer_root(long tree, struct uts_node *root);
void peer_child(const struct uts_node *parent, uint32_t index, struct uts_node *child);
unsigned peer_children(const struct uts_node *node);

#ifdef __cplusplus
}
#endif
#endif

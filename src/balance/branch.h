// SPDX-License-Identifier: Apache-2.0
// Algorithm 2: a tree in which every core is a leaf, and what one of its nodes does.
//
// A leaf sends up what it gives away (donate.h). On the way up a node merges what its children give
// and keeps as much for them as brings the poorest to D times the average, longest tasks first; the
// rest it hands up. At the root nothing is left over. On the way down a node hands each child what
// it kept for it and its part of what came from above. A child is as poor as its cores are on
// average. What stands in a list is sorted, longest first, at all times.
//
// The paper prints "if processor is not root" before the way up: it is the test whether the
// processor is a leaf. A node that was the root alone would keep nothing for its children, and a
// leaf would wait for children that it does not have.
#ifndef TWI_BRANCH_H
#define TWI_BRANCH_H

#include "balance/balancer.h"

// What a child tells its parent, before its picks. Flat: it travels as it is.
struct twi_branch {
    uint64_t load_ns; // of its cores, without what it hands up
    uint32_t cores;
    uint32_t count; // picks that it hands up
};

// ---- the shape of the tree ----
//
// Leaf i is core i. Node i of a level has the nodes fan * i, ... of the level below as children, so
// many as there are; the last level has one node, the root. The first of its cores runs a node.

// Levels above the leaves.
uint32_t twi_levels(uint32_t cores, uint32_t fan);
// Nodes of a level; level 0 are the leaves.
uint32_t twi_level_nodes(uint32_t cores, uint32_t fan, uint32_t level);
// The core that runs node `node` of a level.
uint32_t twi_node_core(uint32_t node, uint32_t fan, uint32_t level);

// ---- a node ----

// Merges the children's picks, which stand one child after the other, into pool[].
void twi_branch_merge(const struct twi_branch *children, uint32_t fan, const struct twi_pick *picks,
                      struct twi_pick *pool);

// Gives the first picks of a sorted pool to the children, each to the one that is poorest then, as
// long as that has less than `fill_ns` for each of its cores; UINT64_MAX: to the end. to[i] is the
// child that gets pool[i]; its load grows by it. Returns how many were given. The rest goes up.
uint32_t twi_branch_assign(struct twi_branch *children, uint32_t fan, const struct twi_pick *pool,
                           uint32_t count, uint64_t fill_ns, uint8_t *to);

// Picks that a node has assigned.
struct twi_assigned {
    const struct twi_pick *picks; // sorted
    const uint8_t *to;
    uint32_t count;
};

// Parts what was kept on the way up, and what came from above, by child: out[] has the children's
// lists one after the other, each sorted, and counts[] how long they are.
void twi_branch_part(struct twi_assigned kept, struct twi_assigned came, uint32_t fan,
                     struct twi_pick *out, uint32_t *counts);

#endif

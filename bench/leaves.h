// SPDX-License-Identifier: Apache-2.0
// What the runtimes of the suites waiting and networks have in common: the leaves of trees, whose
// loop is the work of messages too (scatter.h), and how memory is counted. C and C++ peers link it;
// Go has the same loop in its own words, Rust calls this one.
//
// A leaf computes by a loop that no compiler shortens, whose last number is the leaf's value; the
// sum of all leaves is what a run answers. How long the loop is, and what else a size has no room
// for, the harness says in the environment, once for all:
//
//     TWB_LOOPS     rounds of the loop in a microsecond
//     TWB_LEAVES    leaves of a tree over TCP
//     TWB_PORT      where the server that answers late listens (late.h)
#ifndef TWB_LEAVES_H
#define TWB_LEAVES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TWB_LEAVES = 5000, TWB_LEAVES_WORK = 500, TWB_US = 1, TWB_US_WORK = 500 };

// A tree of so many leaves; each waits and then goes round the loop.
struct twb_tree {
    long leaves;
    uint64_t rounds;
    long wait_us;
};

// The trees of mapreduce_timer, mapreduce_work, mapreduce_tcp and mapreduce_blocking, by the
// environment. Where waits block, fewer leaves take as long.
struct twb_tree twb_tree_timer(long wait_us);
struct twb_tree twb_tree_work(long wait_us);
struct twb_tree twb_tree_tcp(void);
struct twb_tree twb_tree_blocking(long wait_us);

// A number of the environment, or `otherwise`.
long twb_setting(const char *variable, long otherwise);

// The value of a leaf.
uint64_t twb_leaf(long leaf, uint64_t rounds);
// Of all leaves, one after the other.
uint64_t twb_leaves_sum(const struct twb_tree *tree);
// Rounds of the loop that take so long, by the environment.
uint64_t twb_loops_of(long ns);
// Rounds of the loop in a microsecond, measured.
long twb_loops_per_us(void);

// Memory of this process that is resident, in bytes.
double twb_resident_bytes(void);

#ifdef __cplusplus
}
#endif
#endif

// SPDX-License-Identifier: Apache-2.0
// Unbalanced tree search: count the nodes of a tree that nobody knows before searching it.
//
// A node is 20 bytes, the SHA-1 of its parent's 20 bytes and its index among its siblings; how many
// children it has follows from those bytes, its height and the tree's parameters. So a node is
// cheap to send, and no subtree's size can be told from its root.
//
// tree.c knows the parameters and the named trees, sha1.c and sha1_ni.c the hash, search.c the
// sequential search, fork.c and async.c the parallel ones, any.c and chunks.c those over places,
// app.c `twill run uts`.
#ifndef APPS_UTS_H
#define APPS_UTS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tw_options;

enum uts_type { UTS_BINOMIAL, UTS_GEOMETRIC, UTS_HYBRID, UTS_BALANCED };
enum uts_shape { UTS_LINEAR, UTS_EXPONENTIAL, UTS_CYCLIC, UTS_FIXED };
enum uts_sha { UTS_SHA_AUTO, UTS_SHA_PORTABLE, UTS_SHA_NI };

// Children of a node, except of a binomial root; children of any node.
#define UTS_CHILDREN_MAX 100
#define UTS_ROOT_CHILDREN_MAX 10000

struct uts_parameters {
    enum uts_type type;
    enum uts_shape shape; // geometric and hybrid
    uint64_t depth;       // D: geometric, hybrid, balanced
    double b0;            // branching factor of the root
    uint64_t seed;
    double q;     // binomial and hybrid: the probability of having children ...
    uint64_t m;   // ... and their number
    double shift; // hybrid: the part of D that is geometric
};

// What a search finds.
struct uts_count {
    uint64_t nodes;
    uint64_t leaves;
    uint64_t depth;
};

struct uts_named_tree {
    const char *name;
    struct uts_parameters parameters;
    struct uts_count known; // 0: unknown (a tree has leaves, and more than its root)
};

extern const struct uts_named_tree uts_named_trees[];
extern const size_t uts_named_tree_count;
const struct uts_named_tree *uts_find_named(const char *name);

// The digest's five words, as numbers.
struct uts_state {
    uint32_t word[5];
};

typedef void uts_hash(const struct uts_state *parent, uint32_t index, struct uts_state *child);

uts_hash uts_hash_portable;
uts_hash uts_hash_ni;
bool uts_hash_ni_available(void);
void uts_hash_root(uint32_t seed, struct uts_state *root);

// Heights up to here look up what follows from the height alone; deeper ones calculate it.
#define UTS_LEVELS 512

// Parameters made ready for searching; constant while a search runs.
struct uts_tree {
    uts_hash *hash;
    uint32_t granularity;    // how often a child's hash is calculated
    uint32_t binomial_from;  // height from which nodes are binomial
    uint32_t binomial_below; // such a node has children if its random value is below this
    uint32_t binomial_children;
    double level[UTS_LEVELS]; // see uts_tree_level()
    struct uts_state root;
    struct uts_parameters parameters;
};

// NULL, or what is wrong with the parameters. UTS_SHA_NI needs uts_hash_ni_available().
const char *uts_tree_init(struct uts_tree *tree, const struct uts_parameters *parameters,
                          enum uts_sha sha, uint32_t granularity);

// Of a node that is not binomial: its number of children, or, when that is random, ln(1 - p),
// which is negative.
double uts_tree_level(const struct uts_parameters *parameters, uint32_t height);

// Calculates the hash as often as the granularity asks for, less once.
void uts_tree_hash_again(const struct uts_tree *tree, const struct uts_state *parent,
                         uint32_t index, struct uts_state *child);

// ---- one node, inlined into every search ----

// Written in place, never copied: a copy made at once would wait for its parts to leave the
// processor's store buffer.
struct uts_node {
    struct uts_state state;
    uint32_t height;
    const struct uts_tree *tree;
};

static inline void uts_root(const struct uts_tree *tree, struct uts_node *root)
{
    root->tree = tree;
    root->height = 0;
    root->state = tree->root;
}

static inline void uts_hash_child(const struct uts_tree *tree, const struct uts_state *parent,
                                  uint32_t index, struct uts_state *child)
{
    tree->hash(parent, index, child);
    if (__builtin_expect(tree->granularity > 1, 0))
        uts_tree_hash_again(tree, parent, index, child);
}

static inline void uts_child(const struct uts_node *parent, uint32_t index, struct uts_node *child)
{
    child->tree = parent->tree;
    child->height = parent->height + 1;
    uts_hash_child(parent->tree, &parent->state, index, &child->state);
}

static inline unsigned uts_geometric(double log_stop, uint32_t random)
{
    double children = log(1 - random / 2147483648.0) / log_stop;
    return children < UTS_CHILDREN_MAX ? (unsigned)children : UTS_CHILDREN_MAX;
}

static inline unsigned uts_state_children(const struct uts_tree *tree, uint32_t height,
                                          const struct uts_state *state)
{
    uint32_t random = state->word[4] & 0x7fffffff;
    if (height >= tree->binomial_from)
        return random < tree->binomial_below ? tree->binomial_children : 0;
    double level =
        height < UTS_LEVELS ? tree->level[height] : uts_tree_level(&tree->parameters, height);
    return level < 0 ? uts_geometric(level, random) : (unsigned)level;
}

static inline unsigned uts_children(const struct uts_node *node)
{
    return uts_state_children(node->tree, node->height, &node->state);
}

// Adds what a subtree holds.
static inline void uts_count_add(struct uts_count *count, const struct uts_count *more)
{
    count->nodes += more->nodes;
    count->leaves += more->leaves;
    if (count->depth < more->depth)
        count->depth = more->depth;
}

static inline void uts_count_node(struct uts_count *count, uint32_t height, unsigned children)
{
    count->nodes++;
    count->leaves += children == 0;
    if (count->depth < height)
        count->depth = height;
}

// The way of a task from a node down to a leaf: from each node to its last child. A node hashes all
// its children: so the processor is busy with the next hash when it learns, from the one before,
// whether a child has children of its own.
struct uts_path {
    struct uts_state node;
    uint32_t height; // of the node, and of its children once they are looked for
    uint32_t last;   // index of its last child
};

// Has the node children? Those before the last are the caller's to look after.
static inline bool uts_path_branches(const struct uts_tree *tree, struct uts_path *path)
{
    unsigned children = uts_state_children(tree, path->height, &path->node);
    if (children == 0)
        return false;
    path->height++;
    path->last = children - 1;
    return true;
}

// To its last child.
static inline void uts_path_down(const struct uts_tree *tree, struct uts_path *path)
{
    struct uts_state child;
    uts_hash_child(tree, &path->node, path->last, &child);
    path->node = child;
}

// What such a way has found that began at `height`.
static inline struct uts_count uts_path_count(const struct uts_path *path, uint32_t height)
{
    return (struct uts_count){
        .nodes = path->height - height + 1, .leaves = 1, .depth = path->height};
}

// ---- the searches ----

// The sequential one. False: no memory.
bool uts_search(const struct uts_tree *tree, struct uts_count *count);

// A task for each node: forked and joined, or started in one finish block. 0 or a TW_E... code.
int uts_search_fork(const struct tw_options *options, const struct uts_tree *tree,
                    struct uts_count *count);
int uts_search_async(const struct tw_options *options, const struct uts_tree *tree,
                     struct uts_count *count);
// The same at all places, which get the sum.
int uts_search_any(const struct tw_options *options, const struct uts_tree *tree,
                   struct uts_count *count);
// Likewise, but a task carries up to `chunk` nodes, of UTS_CHUNK_MOST at most.
#define UTS_CHUNK_MOST 16
int uts_search_chunks(const struct tw_options *options, const struct uts_tree *tree, uint32_t chunk,
                      struct uts_count *count);
// Nodes that this place has found in the last two; any thread, also while they run.
uint64_t uts_nodes_so_far(void);

#endif

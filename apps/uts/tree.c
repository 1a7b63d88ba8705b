// SPDX-License-Identifier: Apache-2.0
// UTS: the named trees, and parameters made ready for a search.
#include "apps/uts/uts.h"

#include <math.h>
#include <string.h>

// A node has q times m children on average. Above 1 most seeds give an endless tree, but the named
// T3L is finite with 1.00007.
#define SUPERCRITICAL_MAX 1.001

// The sizes up to T3L were found by this program too; the larger ones are as published with the
// original benchmark.
const struct uts_named_tree uts_named_trees[] = {
    {"T1",
     {.type = UTS_GEOMETRIC, .shape = UTS_FIXED, .depth = 10, .b0 = 4, .seed = 19},
     {.nodes = 4130071, .leaves = 3305118, .depth = 10}},
    {"T2",
     {.type = UTS_GEOMETRIC, .shape = UTS_CYCLIC, .depth = 16, .b0 = 6, .seed = 502},
     {.nodes = 4117769, .leaves = 2342762, .depth = 81}},
    {"T3",
     {.type = UTS_BINOMIAL, .b0 = 2000, .q = 0.124875, .m = 8, .seed = 42},
     {.nodes = 4112897, .leaves = 3599034, .depth = 1572}},
    {"T4",
     {.type = UTS_HYBRID,
      .shape = UTS_LINEAR,
      .depth = 16,
      .b0 = 6,
      .q = 0.234375,
      .m = 4,
      .seed = 1,
      .shift = 0.5},
     {.nodes = 4132453, .leaves = 3108986, .depth = 134}},
    {"T5",
     {.type = UTS_GEOMETRIC, .shape = UTS_LINEAR, .depth = 20, .b0 = 4, .seed = 34},
     {.nodes = 4147582, .leaves = 2181318, .depth = 20}},
    {"T1L",
     {.type = UTS_GEOMETRIC, .shape = UTS_FIXED, .depth = 13, .b0 = 4, .seed = 29},
     {.nodes = 102181082, .leaves = 81746377, .depth = 13}},
    {"T2L",
     {.type = UTS_GEOMETRIC, .shape = UTS_CYCLIC, .depth = 23, .b0 = 7, .seed = 220},
     {.nodes = 96793510, .leaves = 53791152, .depth = 67}},
    {"T3L",
     {.type = UTS_BINOMIAL, .b0 = 2000, .q = 0.200014, .m = 5, .seed = 7},
     {.nodes = 111345631, .leaves = 89076904, .depth = 17844}},
    {"T1XL",
     {.type = UTS_GEOMETRIC, .shape = UTS_FIXED, .depth = 15, .b0 = 4, .seed = 29},
     {.nodes = 1635119272, .leaves = 1308100063, .depth = 15}},
    {"T1XXL",
     {.type = UTS_GEOMETRIC, .shape = UTS_FIXED, .depth = 15, .b0 = 4, .seed = 19},
     {.nodes = 4230646601, .leaves = 0, .depth = 15}},
    {"T3XXL",
     {.type = UTS_BINOMIAL, .b0 = 2000, .q = 0.499995, .m = 2, .seed = 316},
     {.nodes = 2793220501, .leaves = 0, .depth = 0}},
    {"T1WL",
     {.type = UTS_GEOMETRIC, .shape = UTS_FIXED, .depth = 18, .b0 = 4, .seed = 19},
     {.nodes = 270751679750, .leaves = 216601257283, .depth = 18}},
    {"T3WL",
     {.type = UTS_BINOMIAL, .b0 = 2000, .q = 0.4999995, .m = 2, .seed = 559},
     {.nodes = 157063495159, .leaves = 78531748579, .depth = 758577}},
};
const size_t uts_named_tree_count = sizeof uts_named_trees / sizeof uts_named_trees[0];

const struct uts_named_tree *uts_find_named(const char *name)
{
    for (size_t i = 0; i < uts_named_tree_count; i++)
        if (strcmp(uts_named_trees[i].name, name) == 0)
            return &uts_named_trees[i];
    return NULL;
}

// The branching factor that a geometric node of this height aims at.
static double geometric_target(const struct uts_parameters *parameters, uint32_t height)
{
    double b0 = parameters->b0, depth = (double)parameters->depth;
    if (height == 0)
        return b0;
    switch (parameters->shape) {
    case UTS_LINEAR:
        return b0 * (1 - height / depth);
    case UTS_EXPONENTIAL:
        return b0 * pow(height, -log(b0) / log(depth));
    case UTS_CYCLIC:
        return height > 5 * depth ? 0 : pow(b0, sin(2 * 3.141592653589793 * height / depth));
    case UTS_FIXED:
        return height < depth ? b0 : 0;
    }
    return 0;
}

double uts_tree_level(const struct uts_parameters *parameters, uint32_t height)
{
    if (parameters->type == UTS_BINOMIAL)
        return floor(parameters->b0);
    if (parameters->type == UTS_BALANCED)
        return height < parameters->depth ? floor(parameters->b0) : 0;
    double target = geometric_target(parameters, height);
    return target > 0 ? log(1 - 1 / (1 + target)) : 0;
}

void uts_tree_hash_again(const struct uts_tree *tree, const struct uts_state *parent,
                         uint32_t index, struct uts_state *child)
{
    for (uint32_t times = 1; times < tree->granularity; times++)
        tree->hash(parent, index, child);
}

static const char *check_binomial(const struct uts_parameters *parameters)
{
    if (!(parameters->q >= 0 && parameters->q <= 1))
        return "q is a probability: 0 to 1";
    if (parameters->m > UTS_CHILDREN_MAX)
        return "m is at most 100";
    if (parameters->q * (double)parameters->m > SUPERCRITICAL_MAX)
        return "such a tree has no end: q times m is at most 1.001";
    return NULL;
}

static const char *check_geometric(const struct uts_parameters *parameters)
{
    if (parameters->depth < 1 || parameters->depth > UINT32_MAX / 8)
        return "the depth of a geometric or hybrid tree is at least 1";
    if (parameters->shape == UTS_EXPONENTIAL && parameters->depth < 2)
        return "the depth of an exponential shape is at least 2";
    return NULL;
}

static const char *check(const struct uts_parameters *parameters)
{
    const char *wrong = NULL;
    bool binomial = parameters->type == UTS_BINOMIAL;
    double b0_max = binomial ? UTS_ROOT_CHILDREN_MAX : UTS_CHILDREN_MAX;
    if (!(parameters->b0 >= 0 && parameters->b0 <= b0_max))
        return binomial ? "b0 is 0 to 10000" : "b0 is 0 to 100 unless the tree is binomial";
    if (binomial || parameters->type == UTS_HYBRID)
        wrong = check_binomial(parameters);
    if (!wrong && (parameters->type == UTS_GEOMETRIC || parameters->type == UTS_HYBRID))
        wrong = check_geometric(parameters);
    if (!wrong && parameters->type == UTS_HYBRID &&
        !(parameters->shift >= 0 && parameters->shift <= 1))
        wrong = "shift is 0 to 1";
    if (!wrong && parameters->seed > INT32_MAX)
        wrong = "the seed is 0 to 2147483647";
    return wrong;
}

// Hybrid nodes are geometric while height < shift * depth.
static uint32_t binomial_from(const struct uts_parameters *parameters)
{
    switch (parameters->type) {
    case UTS_BINOMIAL:
        return 1;
    case UTS_HYBRID:
        return (uint32_t)ceil(parameters->shift * (double)parameters->depth);
    case UTS_GEOMETRIC:
    case UTS_BALANCED:
        break;
    }
    return UINT32_MAX;
}

const char *uts_tree_init(struct uts_tree *tree, const struct uts_parameters *parameters,
                          enum uts_sha sha, uint32_t granularity)
{
    const char *wrong = check(parameters);
    if (wrong)
        return wrong;
    bool ni = sha == UTS_SHA_NI || (sha == UTS_SHA_AUTO && uts_hash_ni_available());
    tree->hash = ni ? uts_hash_ni : uts_hash_portable;
    tree->granularity = granularity;
    tree->binomial_from = binomial_from(parameters);
    tree->binomial_below = (uint32_t)ceil(parameters->q * 2147483648.0);
    tree->binomial_children = (uint32_t)parameters->m;
    tree->parameters = *parameters;
    for (uint32_t height = 0; height < UTS_LEVELS; height++)
        tree->level[height] = uts_tree_level(parameters, height);
    uts_hash_root((uint32_t)parameters->seed, &tree->root);
    return NULL;
}

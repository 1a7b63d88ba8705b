// SPDX-License-Identifier: Apache-2.0
// UTS: the sequential search, by which the parallel ones are checked and measured.
#include "apps/uts/uts.h"

#include <stdlib.h>

// Recursion is the fastest; below this height the search goes on with a stack on the heap, so that
// no tree is too deep.
#define RECURSION_MAX 10000

// A node whose children are being visited.
struct level {
    struct uts_node node;
    uint32_t next, children;
};

struct stack {
    struct level *level;
    size_t used, capacity;
};

static bool grow(struct stack *stack)
{
    size_t capacity = stack->capacity ? stack->capacity * 2 : 1024;
    struct level *level = realloc(stack->level, capacity * sizeof *level);
    if (!level)
        return false;
    stack->level = level;
    stack->capacity = capacity;
    return true;
}

// Visits the node that stands on top of the used levels.
static void visit_top(struct stack *stack, struct uts_count *count)
{
    struct level *top = &stack->level[stack->used];
    top->next = 0;
    top->children = uts_children(&top->node);
    uts_count_node(count, top->node.height, top->children);
    stack->used += top->children > 0;
}

static bool search_deep(const struct uts_node *root, struct uts_count *count)
{
    struct stack stack = {0};
    if (!grow(&stack))
        return false;
    stack.level[0].node = *root;
    visit_top(&stack, count);
    while (stack.used > 0) {
        if (stack.used == stack.capacity && !grow(&stack))
            break;
        struct level *parent = &stack.level[stack.used - 1];
        if (parent->next == parent->children) {
            stack.used--;
            continue;
        }
        uts_child(&parent->node, parent->next++, &parent[1].node);
        visit_top(&stack, count);
    }
    free(stack.level);
    return stack.used == 0;
}

static bool search(const struct uts_node *node, struct uts_count *count)
{
    if (node->height >= RECURSION_MAX)
        return search_deep(node, count);
    unsigned children = uts_children(node);
    uts_count_node(count, node->height, children);
    for (unsigned i = 0; i < children; i++) {
        struct uts_node child;
        uts_child(node, i, &child);
        if (!search(&child, count))
            return false;
    }
    return true;
}

bool uts_search(const struct uts_tree *tree, struct uts_count *count)
{
    struct uts_node root;
    uts_root(tree, &root);
    *count = (struct uts_count){0};
    return search(&root, count);
}

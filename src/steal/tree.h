// SPDX-License-Identifier: Apache-2.0
// The tree of all places, by their numbers, that detectors send votes up and news down.
#ifndef TWI_TREE_H
#define TWI_TREE_H

#include "steal/machine.h"

enum { TWI_TREE_FAN = 8 };

struct twi_tree {
    uint32_t parent;          // TWI_NO_PLACE at the root, which is place 0
    uint32_t first, children; // consecutive numbers
};

static inline struct twi_tree twi_tree_of(uint32_t place, uint32_t places)
{
    uint64_t first = (uint64_t)place * TWI_TREE_FAN + 1;
    struct twi_tree tree = {.parent = place ? (place - 1) / TWI_TREE_FAN : TWI_NO_PLACE};
    if (first < places) {
        tree.first = (uint32_t)first;
        tree.children = places - tree.first < TWI_TREE_FAN ? places - tree.first : TWI_TREE_FAN;
    }
    return tree;
}

static inline void twi_tree_send_up(const struct twi_tree *tree, uint32_t message, uint64_t word,
                                    struct twi_actions *actions)
{
    twi_act(actions,
            (struct twi_action){
                .kind = TWI_DO_SEND, .peer = tree->parent, .message = message, .word = word});
}

static inline void twi_tree_send_down(const struct twi_tree *tree, uint32_t message, uint64_t word,
                                      struct twi_actions *actions)
{
    for (uint32_t i = 0; i < tree->children; i++)
        twi_act(actions, (struct twi_action){.kind = TWI_DO_SEND,
                                             .peer = tree->first + i,
                                             .message = message,
                                             .word = word});
}

// The phase is over here and below.
static inline void twi_tree_finish(const struct twi_tree *tree, uint32_t message,
                                   struct twi_actions *actions)
{
    twi_tree_send_down(tree, message, 0, actions);
    twi_act(actions, (struct twi_action){.kind = TWI_DO_FINISH});
}

extern const struct twi_machine twi_scopes, twi_waves;

#endif

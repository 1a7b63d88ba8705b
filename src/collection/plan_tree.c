// SPDX-License-Identifier: Apache-2.0
// See plan.h: Algorithm 2. Level by level, each place does what the nodes do whose first core it
// has. What comes down to a leaf is a core's new seeds: their donors are answered where they go.
#include <stdlib.h>
#include <string.h>

#include "collection/plan.h"

// A node of this place between its way up and its way down.
struct node {
    struct node *above; // the one that this place came to before
    uint32_t level, number, fan, kept;
    struct twi_branch children[TWI_FAN_MOST];
    struct twi_pick *pool; // the first are kept
    uint8_t *to;
};

struct tree {
    struct twi_rebalance *plan;
    uint32_t fan, levels;
    struct node *last;
};

static struct twi_label label_of(enum twi_parcel_what what, uint32_t level, uint32_t number)
{
    return (struct twi_label){.what = what, .level = level, .node = number};
}

static void send_to(struct tree *self, struct twi_label label, uint32_t core,
                    const struct twi_branch *branch, const struct twi_pick *picks, uint32_t count)
{
    size_t head = branch ? sizeof *branch : 0;
    struct twi_parcel *parcel = twi_parcel_make(label, head + count * sizeof *picks);
    if (branch)
        memcpy(parcel->bytes, branch, head);
    if (count)
        memcpy(parcel->bytes + head, picks, count * sizeof *picks);
    twi_parcel_send(self->plan->collection, twi_rebalance_place(self->plan, core), parcel);
}

// From a node, or a leaf, to the node above it.
static void hand_up(struct tree *self, uint32_t level, uint32_t number,
                    const struct twi_branch *branch, const struct twi_pick *picks)
{
    uint32_t core = twi_node_core(number / self->fan, self->fan, level + 1);
    send_to(self, label_of(TWI_PARCEL_UP, level, number), core, branch, picks, branch->count);
}

// ---- up ----

static void send_leaves(struct tree *self)
{
    struct twi_rebalance *plan = self->plan;
    const struct twi_pick *picks = plan->picks;
    for (uint32_t i = 0; i < plan->layout.cores; i++) {
        struct twi_branch leaf = {plan->load_ns[i], 1, plan->given[i]};
        hand_up(self, 0, plan->base + i, &leaf, picks);
        picks += plan->given[i];
    }
}

// The children's picks side by side, the caller's to free; NULL: TW_E...
static struct twi_pick *hear_children(struct tree *self, struct node *node, uint32_t *count,
                                      int *error)
{
    struct twi_parcel *came[TWI_FAN_MOST];
    uint32_t heard = 0;
    *count = 0;
    for (*error = 0; heard < node->fan; heard++) {
        struct twi_label label =
            label_of(TWI_PARCEL_UP, node->level - 1, node->number * self->fan + heard);
        if (!(came[heard] = twi_parcel_wait(self->plan->collection, label, error)))
            break;
        memcpy(&node->children[heard], came[heard]->bytes, sizeof *node->children);
        *count += node->children[heard].count;
    }
    struct twi_pick *picks = *error ? NULL : twi_parcel_memory(*count * sizeof *picks), *at = picks;
    for (uint32_t i = 0; i < heard; i++) {
        size_t bytes = came[i]->size - sizeof *node->children;
        if (at && bytes) {
            memcpy(at, came[i]->bytes + sizeof *node->children, bytes);
            at += node->children[i].count;
        }
        free(came[i]);
    }
    return picks;
}

static int ascend(struct tree *self, struct node *node)
{
    uint32_t count;
    int error, is_root = node->level == self->levels;
    struct twi_pick *picks = hear_children(self, node, &count, &error);
    if (!picks)
        return error;
    uint64_t fill_ns =
        is_root ? UINT64_MAX
                : twi_share_of(self->plan->sum_ns, self->plan->cores, self->plan->rules.fill);
    node->pool = twi_parcel_memory(count * sizeof *picks);
    node->to = twi_parcel_memory(count);
    twi_branch_merge(node->children, node->fan, picks, node->pool);
    node->kept = twi_branch_assign(node->children, node->fan, node->pool, count, fill_ns, node->to);
    free(picks);
    struct twi_branch up = {.count = count - node->kept};
    for (uint32_t i = 0; i < node->fan; i++) {
        up.load_ns += node->children[i].load_ns;
        up.cores += node->children[i].cores;
    }
    if (!is_root)
        hand_up(self, node->level, node->number, &up, node->pool + node->kept);
    return 0;
}

static struct node *make_node(struct tree *self, uint32_t level, uint32_t number)
{
    struct node *node = twi_parcel_memory(sizeof *node);
    uint32_t below = twi_level_nodes(self->plan->cores, self->fan, level - 1) - number * self->fan;
    *node = (struct node){.above = self->last,
                          .level = level,
                          .number = number,
                          .fan = below < self->fan ? below : self->fan};
    self->last = node;
    return node;
}

// All nodes of this place, from the lowest on.
static int go_up(struct tree *self)
{
    uint64_t base = self->plan->base, end = base + self->plan->layout.cores;
    int error = 0;
    for (uint32_t level = 1; level <= self->levels; level++) {
        uint64_t span = twi_node_core(1, self->fan, level);
        for (uint64_t i = (base + span - 1) / span; i * span < end && !error; i++)
            error = ascend(self, make_node(self, level, (uint32_t)i));
    }
    return error;
}

// ---- down ----

static int descend(struct tree *self, struct node *node)
{
    uint32_t counts[TWI_FAN_MOST], came = 0;
    int error = 0;
    struct twi_parcel *parcel = NULL;
    if (node->level < self->levels) {
        parcel = twi_parcel_wait(self->plan->collection,
                                 label_of(TWI_PARCEL_DOWN, node->level, node->number), &error);
        if (!parcel)
            return error;
        came = (uint32_t)(parcel->size / sizeof(struct twi_pick));
    }
    const struct twi_pick *picks = parcel ? (const struct twi_pick *)parcel->bytes : NULL;
    uint8_t *to = twi_parcel_memory(came);
    struct twi_pick *out = twi_parcel_memory((node->kept + came) * sizeof *out), *at = out;
    twi_branch_assign(node->children, node->fan, picks, came, UINT64_MAX, to);
    twi_branch_part((struct twi_assigned){node->pool, node->to, node->kept},
                    (struct twi_assigned){picks, to, came}, node->fan, out, counts);
    for (uint32_t i = 0; i < node->fan; at += counts[i++]) {
        uint32_t child = node->number * self->fan + i;
        send_to(self, label_of(TWI_PARCEL_DOWN, node->level - 1, child),
                twi_node_core(child, self->fan, node->level - 1), NULL, at, counts[i]);
    }
    free(parcel);
    free(to);
    free(out);
    return 0;
}

// All nodes of this place, the last of the way up first; frees them, whatever happens.
static int go_down(struct tree *self, int error)
{
    for (struct node *node = self->last, *above; node; node = above) {
        above = node->above;
        if (!error)
            error = descend(self, node);
        free(node->pool);
        free(node->to);
        free(node);
    }
    return error;
}

// ---- at the leaves ----

// Tells the donors of what came to a seat.
static void answer(struct tree *self, uint32_t seat, const struct twi_pick *picks, uint32_t count)
{
    struct twi_rebalance *plan = self->plan;
    for (uint32_t i = 0, end; i < count; i = end) {
        uint32_t donor = twi_rebalance_place(plan, picks[i].owner);
        struct twi_parcel *parcel = twi_parcel_make(label_of(TWI_PARCEL_ANSWER, 0, 0),
                                                    (count - i) * sizeof(struct twi_move));
        parcel->size = 0;
        for (end = i; end < count && twi_rebalance_place(plan, picks[end].owner) == donor; end++) {
            struct twi_move move = {picks[end].owner, picks[end].index, plan->base + seat};
            memcpy(parcel->bytes + parcel->size, &move, sizeof move);
            parcel->size += sizeof move;
            plan->load_ns[seat] += twi_bin_ns(picks[end].bin);
        }
        plan->coming += donor != tw_here() ? end - i : 0;
        twi_parcel_send(plan->collection, donor, parcel);
    }
    if (plan->load_ns[seat] > plan->after_ns)
        plan->after_ns = plan->load_ns[seat];
}

// Picks of one place side by side, so that each donor's place is answered once for a seat.
static int by_owner(const void *a, const void *b)
{
    uint32_t first = ((const struct twi_pick *)a)->owner;
    uint32_t second = ((const struct twi_pick *)b)->owner;
    return (first > second) - (first < second);
}

static int answer_all(struct tree *self)
{
    struct twi_rebalance *plan = self->plan;
    int error = 0;
    for (uint32_t i = 0; i < plan->layout.cores && !error; i++) {
        struct twi_parcel *parcel =
            twi_parcel_wait(plan->collection, label_of(TWI_PARCEL_DOWN, 0, plan->base + i), &error);
        if (!parcel)
            break;
        uint32_t count = (uint32_t)(parcel->size / sizeof(struct twi_pick));
        qsort(parcel->bytes, count, sizeof(struct twi_pick), by_owner);
        answer(self, i, (const struct twi_pick *)parcel->bytes, count);
        free(parcel);
    }
    return error;
}

// Every pick of this place is answered, by whichever seat it came to.
static int hear_answers(struct tree *self)
{
    uint32_t left = self->plan->count;
    int error = 0;
    while (left && !error) {
        struct twi_parcel *parcel =
            twi_parcel_wait(self->plan->collection, label_of(TWI_PARCEL_ANSWER, 0, 0), &error);
        if (!parcel)
            break;
        uint32_t count = (uint32_t)(parcel->size / sizeof(struct twi_move));
        twi_rebalance_leave(self->plan, (const struct twi_move *)parcel->bytes, count);
        left -= count;
        free(parcel);
    }
    return error;
}

int twi_rebalance_tree(struct twi_rebalance *plan)
{
    struct tree self = {
        .plan = plan, .fan = plan->rules.fan, .levels = twi_levels(plan->cores, plan->rules.fan)};
    send_leaves(&self);
    int error = go_down(&self, go_up(&self));
    if (!error)
        error = answer_all(&self);
    return error ? error : hear_answers(&self);
}

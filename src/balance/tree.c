// SPDX-License-Identifier: Apache-2.0
// Algorithm 2 with all cores in one process: the nodes of branch.h, level by level, up and down.
//
// Lists of one level stand one node after the other in `pool`, those of the next are written to
// `other`, and both change places. What nodes keep on the way up is added to `kept`: a pick is in
// one of these lists only, so each has room for all.
#include "balance/branch.h"
#include "balance/donate.h"

enum { LEVELS_MOST = 33 };

struct tree {
    uint32_t fan, levels;
    uint32_t nodes[LEVELS_MOST];            // of each level
    struct twi_branch *branch[LEVELS_MOST]; // likewise
    uint32_t *keeps;            // picks that a node keeps, leaves left out, as in `kept`
    uint32_t *came, *next_came; // picks that nodes of a level got from above
    struct twi_pick *pool, *other, *kept;
    uint8_t *kept_to, *came_to;
    void *database;
};

static size_t lay_out(struct tree *self, const struct twi_layout *layout, uint32_t fan,
                      void *memory)
{
    size_t used = 0, tasks = layout->first[layout->cores], inner = 0;
    self->fan = fan;
    self->levels = twi_levels(layout->cores, fan);
    for (uint32_t level = 0; level <= self->levels; level++) {
        uint32_t nodes = twi_level_nodes(layout->cores, fan, level);
        self->nodes[level] = nodes;
        self->branch[level] = twi_carve(memory, &used, nodes * sizeof(struct twi_branch));
        inner += level ? nodes : 0;
    }
    self->keeps = twi_carve(memory, &used, inner * sizeof *self->keeps);
    self->came = twi_carve(memory, &used, layout->cores * sizeof *self->came);
    self->next_came = twi_carve(memory, &used, layout->cores * sizeof *self->next_came);
    self->pool = twi_carve(memory, &used, tasks * sizeof *self->pool);
    self->other = twi_carve(memory, &used, tasks * sizeof *self->other);
    self->kept = twi_carve(memory, &used, tasks * sizeof *self->kept);
    self->kept_to = twi_carve(memory, &used, tasks);
    self->came_to = twi_carve(memory, &used, tasks);
    self->database = twi_carve(memory, &used, twi_database_size(twi_layout_most(layout)));
    return used;
}

static size_t size(const struct twi_layout *layout, const struct twi_balance_rules *rules)
{
    struct tree tree;
    return lay_out(&tree, layout, rules->fan, NULL);
}

static uint32_t fan_of(const struct tree *self, uint32_t level, uint32_t node)
{
    uint32_t left = self->nodes[level - 1] - node * self->fan;
    return left < self->fan ? left : self->fan;
}

static void swap_pools(struct tree *self)
{
    struct twi_pick *pool = self->pool;
    self->pool = self->other;
    self->other = pool;
}

// ---- up ----

static uint32_t donate(struct tree *self, const struct twi_layout *layout, uint64_t limit_ns)
{
    struct twi_database *database = twi_database_make(self->database, twi_layout_most(layout));
    uint32_t count = 0;
    for (uint32_t core = 0; core < layout->cores; core++) {
        struct twi_branch *leaf = &self->branch[0][core];
        leaf->cores = 1;
        leaf->count =
            twi_layout_donate(layout, core, limit_ns, database, self->pool + count, &leaf->load_ns);
        count += leaf->count;
    }
    return count;
}

static struct twi_branch sum_of(const struct twi_branch *children, uint32_t fan)
{
    struct twi_branch sum = {0};
    for (uint32_t i = 0; i < fan; i++) {
        sum.load_ns += children[i].load_ns;
        sum.cores += children[i].cores;
        sum.count += children[i].count;
    }
    return sum;
}

// One level: its children's lists are in `pool`, what it hands up is in `pool` afterwards. Picks
// are merged where those that are kept have to stand. Returns how many are kept.
static uint32_t go_up(struct tree *self, uint32_t level, uint64_t fill_ns, uint32_t kept,
                      uint32_t *keeps)
{
    const struct twi_pick *from = self->pool;
    struct twi_pick *rest = self->other;
    uint32_t begun = kept;
    for (uint32_t node = 0; node < self->nodes[level]; node++) {
        struct twi_branch *children = self->branch[level - 1] + node * self->fan;
        uint32_t fan = fan_of(self, level, node);
        uint32_t count = sum_of(children, fan).count;
        struct twi_pick *merged = self->kept + kept;
        twi_branch_merge(children, fan, from, merged);
        keeps[node] =
            twi_branch_assign(children, fan, merged, count, fill_ns, self->kept_to + kept);
        self->branch[level][node] = sum_of(children, fan);
        self->branch[level][node].count = count - keeps[node];
        for (uint32_t i = keeps[node]; i < count; i++)
            *rest++ = merged[i];
        from += count;
        kept += keeps[node];
    }
    swap_pools(self);
    return kept - begun;
}

// ---- down ----

// One level: what its nodes got from above is in `pool`, what their children get is there
// afterwards.
static void go_down(struct tree *self, uint32_t level, uint32_t kept, const uint32_t *keeps)
{
    const struct twi_pick *from = self->pool;
    struct twi_pick *out = self->other;
    for (uint32_t node = 0; node < self->nodes[level]; node++) {
        struct twi_branch *children = self->branch[level - 1] + node * self->fan;
        uint32_t fan = fan_of(self, level, node), *counts = self->next_came + node * self->fan;
        struct twi_assigned own = {self->kept + kept, self->kept_to + kept, keeps[node]};
        struct twi_assigned came = {from, self->came_to, self->came[node]};
        twi_branch_assign(children, fan, from, came.count, UINT64_MAX, self->came_to);
        twi_branch_part(own, came, fan, out, counts);
        kept += own.count;
        from += came.count;
        out += own.count + came.count;
    }
    swap_pools(self);
    uint32_t *counts = self->came;
    self->came = self->next_came;
    self->next_came = counts;
}

static void give_moves(const struct tree *self, uint32_t cores, struct twi_plan *plan)
{
    const struct twi_pick *at = self->pool;
    for (uint32_t core = 0; core < cores; core++)
        for (uint32_t i = 0; i < self->came[core]; i++)
            twi_plan_add(plan, at++, core);
}

static void make_plan(const struct twi_layout *layout, const struct twi_balance_rules *rules,
                      void *memory, struct twi_plan *plan)
{
    struct tree self;
    uint32_t begun[LEVELS_MOST], kept = 0, *keeps;
    lay_out(&self, layout, rules->fan, memory);
    uint64_t sum = twi_layout_load(layout);
    plan->count = 0;
    plan->donated = donate(&self, layout, twi_share_of(sum, layout->cores, rules->keep));
    uint64_t fill_ns = twi_share_of(sum, layout->cores, rules->fill);
    if (plan->donated == 0 || self.levels == 0)
        return;
    keeps = self.keeps;
    for (uint32_t level = 1; level <= self.levels; level++) {
        begun[level] = kept;
        uint64_t most_ns = level == self.levels ? UINT64_MAX : fill_ns;
        kept += go_up(&self, level, most_ns, kept, keeps);
        keeps += self.nodes[level];
    }
    self.came[0] = 0;
    for (uint32_t level = self.levels; level > 0; level--) {
        keeps -= self.nodes[level];
        go_down(&self, level, begun[level], keeps);
    }
    give_moves(&self, layout->cores, plan);
}

const struct twi_balancer twi_persist_tree = {
    .name = "persist-tree",
    .summary = "a tree of cores: each node evens out its children, and hands up what is too much",
    .size = size,
    .plan = make_plan,
};

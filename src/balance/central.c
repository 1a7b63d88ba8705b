// SPDX-License-Identifier: Apache-2.0
// See central.h. The paper's heap of tasks is a sort by bins here: it takes no comparison.
#include "balance/central.h"

#include "balance/donate.h"

static int is_less(const struct twi_load *a, const struct twi_load *b)
{
    return a->load_ns != b->load_ns ? a->load_ns < b->load_ns : a->core < b->core;
}

static void sift_down(struct twi_load *heap, uint32_t count, uint32_t at)
{
    struct twi_load moved = heap[at];
    for (uint64_t child; (child = 2 * (uint64_t)at + 1) < count; at = (uint32_t)child) {
        child += child + 1 < count && is_less(&heap[child + 1], &heap[child]);
        if (!is_less(&heap[child], &moved))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

void twi_central_assign(uint64_t *load_ns, uint32_t cores, const struct twi_pick *pool,
                        uint32_t count, struct twi_load *heap, uint32_t *receiver)
{
    if (count == 0)
        return;
    for (uint32_t core = 0; core < cores; core++)
        heap[core] = (struct twi_load){load_ns[core], core};
    for (uint32_t at = cores / 2; at-- > 0;)
        sift_down(heap, cores, at);
    for (uint32_t i = 0; i < count; i++) {
        receiver[i] = heap[0].core;
        heap[0].load_ns += twi_bin_ns(pool[i].bin);
        load_ns[heap[0].core] = heap[0].load_ns;
        sift_down(heap, cores, 0);
    }
}

// ---- all cores in one process ----

struct scratch {
    void *database;
    struct twi_pick *pool, *spare;
    uint32_t *counters, *receiver;
    uint64_t *load_ns;
    struct twi_load *heap;
};

static size_t lay_out(struct scratch *self, const struct twi_layout *layout, void *memory)
{
    size_t used = 0, tasks = layout->first[layout->cores], cores = layout->cores;
    self->database = twi_carve(memory, &used, twi_database_size(twi_layout_most(layout)));
    self->pool = twi_carve(memory, &used, tasks * sizeof *self->pool);
    self->spare = twi_carve(memory, &used, tasks * sizeof *self->spare);
    self->counters = twi_carve(memory, &used, TWI_BINS * sizeof *self->counters);
    self->receiver = twi_carve(memory, &used, tasks * sizeof *self->receiver);
    self->load_ns = twi_carve(memory, &used, cores * sizeof *self->load_ns);
    self->heap = twi_carve(memory, &used, cores * sizeof *self->heap);
    return used;
}

static size_t size(const struct twi_layout *layout, const struct twi_balance_rules *rules)
{
    struct scratch scratch;
    (void)rules;
    return lay_out(&scratch, layout, NULL);
}

static void make_plan(const struct twi_layout *layout, const struct twi_balance_rules *rules,
                      void *memory, struct twi_plan *plan)
{
    struct scratch self;
    lay_out(&self, layout, memory);
    uint64_t limit_ns = twi_share_of(twi_layout_load(layout), layout->cores, rules->keep);
    struct twi_database *database = twi_database_make(self.database, twi_layout_most(layout));
    uint32_t count = 0;
    for (uint32_t core = 0; core < layout->cores; core++)
        count += twi_layout_donate(layout, core, limit_ns, database, self.pool + count,
                                   &self.load_ns[core]);
    twi_picks_sort(self.pool, count, self.spare, self.counters);
    twi_central_assign(self.load_ns, layout->cores, self.pool, count, self.heap, self.receiver);
    plan->count = 0;
    plan->donated = count;
    for (uint32_t i = 0; i < count; i++)
        twi_plan_add(plan, &self.pool[i], self.receiver[i]);
}

const struct twi_balancer twi_persist_central = {
    .name = "persist-central",
    .summary = "one core hands out what all have too much: longest task to least load",
    .size = size,
    .plan = make_plan,
};

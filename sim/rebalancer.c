// SPDX-License-Identifier: Apache-2.0
#include "sim/rebalancer.h"

#include <stdlib.h>

#include "balance/balancer.h"
#include "base/rng.h"
#include "sim/works.h"

struct sim_rebalancer {
    struct twi_layout layout;
    struct twi_balance_rules rules;
    struct twi_plan plan;
    uint32_t *first;
    uint64_t *duration_ns;
    void *memory;
};

static void place(struct sim_rebalancer *self, uint32_t cores, uint32_t tasks, uint64_t seed)
{
    struct twi_rng rng = {seed};
    struct sim_spread spread = {
        .distribution = SIM_EXPONENTIAL, .mean_ns = 100000000, .seed = seed};
    for (uint32_t i = 0; i < tasks; i++) {
        self->first[twi_rng_below(&rng, cores) + 1]++;
        self->duration_ns[i] = sim_spread_cost(&spread, i);
    }
    for (uint32_t core = 0; core < cores; core++)
        self->first[core + 1] += self->first[core];
}

struct sim_rebalancer *sim_rebalancer_make(uint32_t cores, uint32_t tasks, uint64_t seed)
{
    struct sim_rebalancer *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->rules = TWI_BALANCE_RULES;
    self->first = calloc((size_t)cores + 1, sizeof *self->first);
    self->duration_ns = malloc(((size_t)tasks + 1) * sizeof *self->duration_ns);
    self->plan.moves = malloc(((size_t)tasks + 1) * sizeof *self->plan.moves);
    self->layout = (struct twi_layout){cores, self->first, self->duration_ns};
    if (self->first && self->duration_ns && self->plan.moves) {
        place(self, cores, tasks, seed);
        self->memory = malloc(twi_persist_tree.size(&self->layout, &self->rules));
    }
    if (self->memory)
        return self;
    sim_rebalancer_free(self);
    return NULL;
}

void sim_rebalancer_free(struct sim_rebalancer *self)
{
    free(self->first);
    free(self->duration_ns);
    free(self->plan.moves);
    free(self->memory);
    free(self);
}

const uint64_t *sim_rebalancer_durations(const struct sim_rebalancer *self)
{
    return self->duration_ns;
}

uint32_t sim_rebalancer_run(struct sim_rebalancer *self)
{
    twi_persist_tree.plan(&self->layout, &self->rules, self->memory, &self->plan);
    return self->plan.count;
}

// ---- check ----

static uint64_t most(const uint64_t *load_ns, uint32_t cores)
{
    uint64_t most = 0;
    for (uint32_t core = 0; core < cores; core++)
        most = load_ns[core] > most ? load_ns[core] : most;
    return most;
}

// Carries the plan out on the loads. 0: a task is not there, or moves twice.
static int carry_out(const struct sim_rebalancer *self, uint64_t *load_ns, unsigned char *has_left)
{
    for (uint32_t i = 0; i < self->plan.count; i++) {
        const struct twi_move *move = &self->plan.moves[i];
        if (move->donor >= self->layout.cores || move->receiver >= self->layout.cores)
            return 0;
        uint32_t task = self->first[move->donor] + move->index;
        if (task >= self->first[move->donor + 1] || has_left[task]++)
            return 0;
        load_ns[move->donor] -= self->duration_ns[task];
        load_ns[move->receiver] += self->duration_ns[task];
    }
    return 1;
}

int sim_rebalancer_check(const struct sim_rebalancer *self)
{
    uint32_t cores = self->layout.cores;
    uint64_t *load_ns = calloc(cores, sizeof *load_ns);
    unsigned char *has_left = calloc((size_t)self->first[cores] + 1, 1);
    int is_right = 0;
    if (load_ns && has_left) {
        for (uint32_t core = 0; core < cores; core++)
            for (uint32_t i = self->first[core]; i < self->first[core + 1]; i++)
                load_ns[core] += self->duration_ns[i];
        uint64_t before_ns = most(load_ns, cores);
        is_right = carry_out(self, load_ns, has_left) && most(load_ns, cores) < before_ns;
    }
    free(load_ns);
    free(has_left);
    return is_right;
}

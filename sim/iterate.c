// SPDX-License-Identifier: Apache-2.0
// See iterate.h.
#include "sim/iterate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "balance/auto.h"
#include "balance/branch.h"
#include "balance/prune.h"
#include "base/rng.h"
#include "sim/draw.h"
#include "sim/phase.h"
#include "sim/units.h"

const char *const sim_scheme_names[] = {
    "none", "steal-all", "steal", "retentive", "persist-central", "persist-tree", "auto", NULL,
};

const char *const sim_scheme_summaries[] = {
    "every core runs what it starts with",
    "all tasks in every iteration, null ones too, stolen from the same start",
    "tasks that are not null, stolen from the same start",
    "stolen, and every core starts with what it ran the last time",
    "rebalanced by one core before each iteration",
    "rebalanced by a tree of cores before each iteration",
    "retentive, and rebalanced when that pays",
    NULL,
};

enum { TASK_BYTES = 64, PICK_NS = 20, TERMINATION_FAN = 2 };

struct program {
    const struct sim_iterate *settings;
    struct sim_units all; // of iteration 0
    struct sim_lists now; // where tasks are
    uint64_t *cost_ns;    // of this iteration, by the number of the unit
    struct twi_auto rule;
    bool is_due; // `auto` wants a rebalance
    uint64_t attempt_ns, rebalance_ns;
};

// ---- times ----

// There and back; at either end it takes half the time between two polls until it is seen.
static uint64_t attempt_time(const struct sim_iterate *settings)
{
    const struct twi_sim_machine *machine = settings->machine;
    uint64_t way_ns = machine->latency_ns + 2 * machine->overhead_ns + machine->gap_ns;
    return settings->attempt_ns ? settings->attempt_ns : 2 * way_ns + machine->poll_ns;
}

// What a rebalance takes of everyone's time. A sum over all cores goes up and down a tree; picks go
// to core 0 one after the other, or up and down a tree in which nodes work at the same time.
static uint64_t rebalance_time(const struct program *program, bool is_central,
                               const struct sim_rebalanced *done)
{
    const struct sim_iterate *settings = program->settings;
    const struct twi_sim_machine *machine = settings->machine;
    uint64_t level_ns = program->attempt_ns * twi_levels(settings->cores, settings->rules.fan);
    uint64_t pick_ns = 2 * sizeof(struct twi_pick) * machine->gap_ps_per_byte / 1000 + PICK_NS;
    uint64_t cores = settings->cores;
    if (is_central)
        return level_ns + 2 * cores * (machine->overhead_ns + machine->gap_ns) +
               done->donated * pick_ns;
    return 2 * level_ns + done->donated * pick_ns / cores;
}

// ---- costs of an iteration ----

static uint64_t disturbed(const struct sim_iterate *settings, uint32_t iteration, uint32_t task)
{
    uint32_t tasks = settings->costs->tasks, from = task;
    struct twi_rng rng = {settings->seed ^ (uint64_t)iteration << 32 ^ task};
    if (settings->shift && iteration >= settings->shift)
        from = (uint32_t)(((uint64_t)task + tasks / 2) % tasks);
    uint64_t cost_ns = settings->costs->cost_ns[from];
    uint64_t millionths =
        1000000 - settings->noise + sim_draw_below(2 * settings->noise + 1, twi_rng_next(&rng));
    return cost_ns / 1000000 * millionths + cost_ns % 1000000 * millionths / 1000000;
}

static void draw_costs(struct program *program, uint32_t iteration)
{
    for (uint32_t i = 0; i < program->settings->costs->tasks; i++)
        program->cost_ns[i] = disturbed(program->settings, iteration, i);
}

// ---- what was measured ----

static struct sim_spread_of spread_of(const struct sim_phase *phase, size_t offset)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < phase->cores; i++) {
        uint32_t value;
        memcpy(&value, (const char *)&phase->of[i] + offset, sizeof value);
        sum += value;
        squares += (double)value * value;
    }
    double mean = sum / phase->cores, variance = squares / phase->cores - mean * mean;
    return (struct sim_spread_of){mean, variance > 0 ? sqrt(variance) : 0};
}

static uint64_t fingerprint_of(const struct sim_phase *phase)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < phase->tasks; i++)
        sum += twi_rng_next(&(struct twi_rng){phase->task[i]});
    return sum;
}

static void fill_in(struct sim_iteration *result, const struct sim_phase *phase)
{
    result->fingerprint = fingerprint_of(phase);
    result->makespan_ns = phase->makespan_ns;
    result->last_task_ns = phase->last_task_ns;
    result->events = phase->events;
    result->usage = phase->usage;
    for (uint32_t i = 0; i < phase->cores; i++) {
        result->work_ns += phase->of[i].load_ns;
        if (phase->of[i].load_ns > result->most_ns)
            result->most_ns = phase->of[i].load_ns;
    }
    result->attempts = spread_of(phase, offsetof(struct sim_phase_core, attempts));
    result->steals = spread_of(phase, offsetof(struct sim_phase_core, steals));
    result->tasks = spread_of(phase, offsetof(struct sim_phase_core, tasks));
}

double sim_iteration_efficiency(const struct sim_iteration *iteration, uint32_t cores)
{
    if (iteration->makespan_ns == 0)
        return 0;
    return (double)iteration->work_ns / ((double)iteration->makespan_ns * cores);
}

// ---- from one iteration to the next ----

// Who ran a task has it; null tasks are left out.
static int retain(struct program *program, const struct sim_phase *phase)
{
    uint32_t tasks = program->settings->costs->tasks;
    uint8_t *is_null = malloc((size_t)phase->tasks + 1);
    uint32_t *kept = malloc(((size_t)phase->tasks + 1) * sizeof *kept);
    struct sim_lists next;
    int error = -1;
    if (is_null && kept) {
        for (uint32_t i = 0; i < phase->tasks; i++)
            is_null[i] = phase->task[i] >= tasks;
        uint32_t count = twi_prune(is_null, phase->tasks, kept);
        for (uint32_t i = 0; i < count; i++) {
            phase->core[i] = phase->core[kept[i]];
            phase->task[i] = phase->task[kept[i]];
        }
        error = sim_lists_gather(&next, phase->cores, count, phase->core, phase->task);
    }
    free(is_null);
    free(kept);
    if (error == 0) {
        sim_lists_free(&program->now);
        program->now = next;
    }
    return error;
}

static void ask_rule(struct program *program, const struct sim_iteration *result)
{
    const struct sim_iterate *settings = program->settings;
    struct twi_measured measured = {
        .sum_ns = result->work_ns,
        .most_ns = result->most_ns,
        .longest_ns = settings->costs->longest_ns,
        .stealing_ns = (uint64_t)(result->steals.mean * settings->cores) * program->attempt_ns,
        .cores = settings->cores,
    };
    program->is_due = twi_auto_decide(&program->rule, &measured, program->rebalance_ns);
}

static bool is_keeping(enum sim_scheme scheme)
{
    return scheme != SIM_SCHEME_NONE && scheme != SIM_SCHEME_STEAL_ALL &&
           scheme != SIM_SCHEME_STEAL;
}

static bool is_stealing(enum sim_scheme scheme, uint32_t iteration)
{
    if (scheme == SIM_SCHEME_PERSIST_CENTRAL || scheme == SIM_SCHEME_PERSIST_TREE)
        return iteration < 2;
    return scheme != SIM_SCHEME_NONE;
}

static bool is_rebalancing(const struct program *program, uint32_t iteration)
{
    enum sim_scheme scheme = program->settings->scheme;
    if (scheme == SIM_SCHEME_PERSIST_CENTRAL || scheme == SIM_SCHEME_PERSIST_TREE)
        return iteration > 2;
    return scheme == SIM_SCHEME_AUTO && program->is_due;
}

// `auto` does not carry out a plan that leaves the busiest core as it is.
static int rebalance(struct program *program, struct sim_iteration *result)
{
    const struct sim_iterate *settings = program->settings;
    bool is_central = settings->scheme == SIM_SCHEME_PERSIST_CENTRAL ||
                      (settings->scheme == SIM_SCHEME_AUTO && settings->cores <= TWI_AUTO_CENTRAL);
    struct sim_lists changed;
    if (sim_lists_copy(&changed, &program->now) != 0)
        return -1;
    if (sim_lists_rebalance(&changed, program->cost_ns,
                            is_central ? &twi_persist_central : &twi_persist_tree, &settings->rules,
                            &result->rebalanced) != 0) {
        sim_lists_free(&changed);
        return -1;
    }
    result->rebalance_ns = rebalance_time(program, is_central, &result->rebalanced);
    program->rebalance_ns = result->rebalance_ns;
    result->is_rebalanced = settings->scheme != SIM_SCHEME_AUTO ||
                            result->rebalanced.after_ns < result->rebalanced.before_ns;
    struct sim_lists left = result->is_rebalanced ? program->now : changed;
    program->now = result->is_rebalanced ? changed : program->now;
    sim_lists_free(&left);
    return 0;
}

static int iterate(struct program *program, uint32_t number, struct sim_iteration *result)
{
    const struct sim_iterate *settings = program->settings;
    bool is_all = number == 0 || settings->scheme == SIM_SCHEME_STEAL_ALL;
    struct sim_phase phase;
    *result = (struct sim_iteration){.number = number,
                                     .is_stealing = is_stealing(settings->scheme, number)};
    if (is_rebalancing(program, number) && rebalance(program, result) != 0)
        return -1;
    draw_costs(program, number);
    struct sim_phase_options options = {
        .start = is_all ? &program->all.lists : &program->now,
        .cost_ns = program->cost_ns,
        .is_stealing = result->is_stealing,
        .attempt_ns = program->attempt_ns,
        .give_ns = TASK_BYTES * settings->machine->gap_ps_per_byte / 1000,
        .task_ns = settings->machine->task_ns,
        .end_ns = program->attempt_ns * twi_levels(settings->cores, TERMINATION_FAN),
        .seed = settings->seed ^ (uint64_t)number << 40,
    };
    if (sim_phase_run(&phase, &options) != 0)
        return -1;
    fill_in(result, &phase);
    int error = 0;
    if (number == 0 || is_keeping(settings->scheme))
        error = retain(program, &phase);
    if (settings->scheme == SIM_SCHEME_AUTO && number > 0)
        ask_rule(program, result);
    sim_phase_free(&phase);
    return error;
}

// ---- the program ----

void sim_iterate_defaults(struct sim_iterate *settings)
{
    *settings = (struct sim_iterate){.scheme = SIM_SCHEME_RETENTIVE,
                                     .attempt_ns = 500000,
                                     .null_ns = 10000000,
                                     .noise = 50000,
                                     .seed = 1,
                                     .rules = TWI_BALANCE_RULES};
}

static int begin(struct program *program, const struct sim_iterate *settings)
{
    *program = (struct program){.settings = settings, .attempt_ns = attempt_time(settings)};
    program->rebalance_ns =
        rebalance_time(program, settings->cores <= TWI_AUTO_CENTRAL, &(struct sim_rebalanced){0});
    int error = settings->every ? sim_lists_deal(&program->now, settings->costs, settings->cores,
                                                 settings->every, settings->share)
                                : sim_lists_blocks(&program->now, settings->costs, settings->cores);
    if (error == 0)
        error = sim_units_make(&program->all, settings->costs, settings->cores);
    if (error != 0)
        return -1;
    program->cost_ns = malloc(((size_t)program->all.lists.tasks + 1) * sizeof(uint64_t));
    if (!program->cost_ns)
        return -1;
    for (uint32_t i = settings->costs->tasks; i < program->all.lists.tasks; i++)
        program->cost_ns[i] = program->all.nulls[i - settings->costs->tasks] * settings->null_ns;
    return 0;
}

int sim_iterate(const struct sim_iterate *settings, struct sim_iteration *results)
{
    struct program program;
    int count = 0, error = begin(&program, settings);
    bool has_null = settings->costs->all > settings->costs->tasks && !settings->every;
    for (uint32_t i = has_null ? 0 : 1; i <= settings->iterations && error == 0; i++)
        error = iterate(&program, i, &results[count++]);
    sim_lists_free(&program.now);
    sim_units_free(&program.all);
    free(program.cost_ns);
    return error == 0 ? count : -1;
}

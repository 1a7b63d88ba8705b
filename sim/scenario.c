// SPDX-License-Identifier: Apache-2.0
// See scenario.h.
#include "sim/scenario.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "sim/works.h"

enum { EVENTS_MOST = 20000000 }; // five times the most that was seen in 40,000 scenarios

struct range {
    const char *name;
    uint64_t least, most;
    uint64_t often; // the value of about every second scenario
    int by_size;    // small values as often as large ones, in their number of digits
};

static const struct range ranges[SIM_KNOBS] = {
    [SIM_KNOB_POLICY] = {"policy", 0, 5, 1, 0},
    [SIM_KNOB_DETECTOR] = {"detector", 0, 1, 0, 0},
    [SIM_KNOB_PLACES] = {"places", 1, 48, 5, 1},
    [SIM_KNOB_WORKERS] = {"workers", 1, 12, 2, 1},
    [SIM_KNOB_SHARED] = {"shared", 0, 1, 0, 0},
    [SIM_KNOB_TOPOLOGY] = {"topology", 0, 2, 0, 0},
    [SIM_KNOB_LATENCY] = {"latency", 1, 100000, 1000, 1},
    [SIM_KNOB_OVERHEAD] = {"overhead", 0, 2000, 300, 1},
    [SIM_KNOB_READ] = {"read", 1, 100000, 1500, 1},
    [SIM_KNOB_POLL] = {"poll", 0, 20000, 2000, 1},
    [SIM_KNOB_WAKE] = {"wake", 0, 20000, 1000, 1},
    [SIM_KNOB_THRESHOLD] = {"threshold", 1, 32, 2, 1},
    [SIM_KNOB_BATCH] = {"batch", 1, 32, 4, 1},
    [SIM_KNOB_HUNGRY] = {"hungry", 1, 12, 1, 0},
    [SIM_KNOB_ORDER] = {"order", 0, 2, 0, 0},
    [SIM_KNOB_BACKOFF] = {"backoff", 100, 100000, 10000, 1},
    [SIM_KNOB_PHASES] = {"phases", 1, 4, 1, 0},
    [SIM_KNOB_JITTER] = {"jitter", 0, 200000, 0, 1},
    [SIM_KNOB_SLOW] = {"slow", 0, SIM_SLOW_MOST, 0, 0},
    [SIM_KNOB_STALLS] = {"stalls", 0, SIM_STALLS_MOST, 0, 0},
    [SIM_KNOB_STALL] = {"stall", 1, 1000000, 100000, 1},
    [SIM_KNOB_WORK] = {"work", 0, 2, 0, 0},
    [SIM_KNOB_TASKS] = {"tasks", 0, 800, 100, 1},
    [SIM_KNOB_MEAN] = {"mean", 1, 100000, 5000, 1},
    [SIM_KNOB_DISTRIBUTION] = {"distribution", 0, SIM_BIMODAL, SIM_EXPONENTIAL, 0},
    [SIM_KNOB_PLACEMENT] = {"placement", 0, SIM_AT_RANDOM, SIM_ALL_ON_ONE, 0},
    [SIM_KNOB_DEPTH] = {"depth", 0, 6, 3, 0},
    [SIM_KNOB_MISSES] = {"misses", 0, 12, 0, 0},
};

const char *sim_knob_name(enum sim_knob knob)
{
    return ranges[knob].name;
}

uint64_t sim_knob_least(enum sim_knob knob)
{
    return ranges[knob].least;
}

// ---- drawing ----

static uint32_t table_size(const struct twi_machine *const *table)
{
    uint32_t size = 0;
    while (table[size])
        size++;
    return size;
}

static uint64_t most_of(enum sim_knob knob)
{
    return knob == SIM_KNOB_POLICY     ? table_size(twi_policies) - 1
           : knob == SIM_KNOB_DETECTOR ? table_size(twi_detectors) - 1
                                       : ranges[knob].most;
}

static uint64_t draw(struct twi_rng *rng, enum sim_knob knob)
{
    const struct range *range = &ranges[knob];
    uint64_t most = most_of(knob);
    if (knob != SIM_KNOB_POLICY && knob != SIM_KNOB_DETECTOR && twi_rng_below(rng, 2))
        return range->often;
    if (range->by_size) {
        unsigned bits = 64 - (unsigned)__builtin_clzll(most);
        uint64_t below = UINT64_C(1) << twi_rng_below(rng, bits + 1);
        if (below < most)
            most = below;
    }
    if (most < range->least)
        return range->least;
    return range->least + twi_rng_next(rng) % (most - range->least + 1);
}

void sim_scenario_draw(struct sim_scenario *scenario, uint64_t seed)
{
    struct twi_rng rng = {seed * UINT64_C(0x9e3779b97f4a7c15)};
    scenario->seed = seed;
    scenario->events_most = EVENTS_MOST;
    for (int knob = 0; knob < SIM_KNOBS; knob++)
        scenario->knob[knob] = draw(&rng, (enum sim_knob)knob);
}

static int change_one(struct sim_scenario *scenario, const char *word, size_t length)
{
    const char *equals = memchr(word, '=', length);
    for (int knob = 0; equals && knob < SIM_KNOBS; knob++) {
        const char *name = ranges[knob].name;
        char *end;
        if (strlen(name) != (size_t)(equals - word) || strncmp(name, word, strlen(name)) != 0)
            continue;
        uint64_t value = strtoull(equals + 1, &end, 10);
        if (end != word + length || end == equals + 1 || value < ranges[knob].least ||
            value > most_of((enum sim_knob)knob))
            return -1;
        scenario->knob[knob] = value;
        return 0;
    }
    return -1;
}

int sim_scenario_change(struct sim_scenario *scenario, const char *text, char *message, size_t size)
{
    while (*(text += strspn(text, " ,"))) {
        size_t length = strcspn(text, " ,");
        if (change_one(scenario, text, length) != 0) {
            snprintf(
                message, size,
                "'%.*s' is no change of a scenario: give a name and a number in its range, such "
                "as places=3 (1 to 48)",
                (int)length, text);
            return -1;
        }
        text += length;
    }
    return 0;
}

// ---- building ----

static struct twi_sim_machine build_machine(const uint64_t *knob)
{
    return (struct twi_sim_machine){
        .name = "random",
        .places = (uint32_t)knob[SIM_KNOB_PLACES],
        .workers = (uint32_t)knob[SIM_KNOB_WORKERS],
        .dedicated = !knob[SIM_KNOB_SHARED],
        .latency_ns = knob[SIM_KNOB_LATENCY],
        .hop_ns = knob[SIM_KNOB_LATENCY] / 8,
        .overhead_ns = knob[SIM_KNOB_OVERHEAD],
        .gap_ns = knob[SIM_KNOB_OVERHEAD] / 2,
        .gap_ps_per_byte = 100,
        .read_ns = knob[SIM_KNOB_READ],
        .poll_ns = knob[SIM_KNOB_POLL],
        .wake_ns = knob[SIM_KNOB_WAKE],
        .task_ns = 50,
        .topology = (enum twi_topology)knob[SIM_KNOB_TOPOLOGY],
    };
}

static struct sim_work *build_work(const struct sim_scenario *s)
{
    const uint64_t *knob = s->knob;
    char message[256];
    uint64_t depth = knob[SIM_KNOB_DEPTH];
    struct sim_spread spread = {.tasks = knob[SIM_KNOB_TASKS],
                                .distribution = (enum sim_distribution)knob[SIM_KNOB_DISTRIBUTION],
                                .mean_ns = knob[SIM_KNOB_MEAN],
                                .seed = s->seed,
                                .placement = (enum sim_placement)knob[SIM_KNOB_PLACEMENT],
                                .fanout = depth ? 2 : 0,
                                .depth = (uint32_t)depth / 2};
    struct sim_uts uts = {.parameters = {.type = UTS_GEOMETRIC,
                                         .shape = UTS_FIXED,
                                         .depth = depth + 1,
                                         .b0 = 4,
                                         .seed = s->seed & 0x7fffffff},
                          .node_ns = knob[SIM_KNOB_MEAN]};
    struct sim_nqueens queens = {
        .n = (uint32_t)depth + 4, .cutoff = 3, .node_ns = knob[SIM_KNOB_MEAN] / 8 + 1};
    switch (knob[SIM_KNOB_WORK]) {
    case 1:
        return sim_work_uts(&uts, message, sizeof message);
    case 2:
        return sim_work_nqueens(&queens, message, sizeof message);
    default:
        return sim_work_spread(&spread, message, sizeof message);
    }
}

static void build_trouble(const struct sim_scenario *s, struct sim_options *options)
{
    struct twi_rng rng = {s->seed ^ 0x5151};
    uint32_t places = options->machine.places;
    for (uint64_t i = 0; i < s->knob[SIM_KNOB_SLOW]; i++)
        options->slow[i] =
            (struct sim_slow){twi_rng_below(&rng, places), 17 + twi_rng_below(&rng, 160)};
    for (uint64_t i = 0; i < s->knob[SIM_KNOB_STALLS]; i++)
        options->stalls[i] = (struct sim_stall){
            twi_rng_below(&rng, places), twi_rng_below(&rng, 1000000), s->knob[SIM_KNOB_STALL]};
}

struct sim_work *sim_scenario_build(const struct sim_scenario *s, struct sim_options *options)
{
    const uint64_t *knob = s->knob;
    *options = (struct sim_options){
        .machine = build_machine(knob),
        .policy = twi_policies[knob[SIM_KNOB_POLICY]],
        .detector = twi_detectors[knob[SIM_KNOB_DETECTOR]],
        .rules = {.threshold = (uint32_t)knob[SIM_KNOB_THRESHOLD],
                  .batch = (uint32_t)knob[SIM_KNOB_BATCH],
                  .hungry = (uint32_t)knob[SIM_KNOB_HUNGRY],
                  .order = (enum twi_order)knob[SIM_KNOB_ORDER],
                  .backoff_ns = knob[SIM_KNOB_BACKOFF],
                  .backoff_most_ns = 64 * knob[SIM_KNOB_BACKOFF]},
        .seed = s->seed,
        .phases = (uint32_t)knob[SIM_KNOB_PHASES],
        .jitter_ns = knob[SIM_KNOB_JITTER],
        .misses = (uint32_t)knob[SIM_KNOB_MISSES],
        .events_most = s->events_most,
    };
    build_trouble(s, options);
    options->work = build_work(s);
    return (struct sim_work *)options->work;
}

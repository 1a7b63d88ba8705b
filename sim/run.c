// SPDX-License-Identifier: Apache-2.0
// See run.h.
#include "sim/run.h"

#include <stdlib.h>
#include <string.h>

#include <twill/atomic.h>

#include "base/rng.h"
#include "sim/check.h"
#include "sim/place.h"
#include "sim/trace.h"
#include "steal/rules.h"

// What comes due at a place, beside the numbers of its workers.
enum { NEXT_PHASE = 1 << 24, STALL = 1 << 25 }; // and those of place and cores

enum { STOP_LOOK = 4096 }; // events between two looks at options.stop

// ---- rules ----

void sim_rules_default(struct twi_rules *rules, const struct twi_sim_machine *machine)
{
    struct twi_sim_machine settled = *machine;
    twi_sim_settle(&settled);
    rules->places = machine->places;
    rules->workers = machine->workers;
    rules->near = twi_sim_near(&settled);
    if (!rules->threshold)
        rules->threshold = 2 * machine->workers;
    if (!rules->batch)
        rules->batch = 4;
    if (!rules->hungry)
        rules->hungry = (machine->workers + 7) / 8;
    if (rules->hungry > machine->workers)
        rules->hungry = machine->workers;
    if (!rules->tries)
        rules->tries = 2;
    if (!rules->backoff_ns)
        rules->backoff_ns = 10000;
    if (!rules->backoff_most_ns)
        rules->backoff_most_ns = 1000000;
}

struct twi_rules sim_rules_of(const struct sim_options *options)
{
    const struct twi_sim_machine *machine = &options->machine;
    if (options->is_live)
        return twi_rules_live(0, machine->places, machine->workers);
    struct twi_rules rules = options->rules;
    sim_rules_default(&rules, machine);
    return rules;
}

static uint64_t seed_of(uint64_t seed, uint64_t number)
{
    struct twi_rng rng = {seed ^ (number + 1) * UINT64_C(0x9e3779b97f4a7c15)};
    (void)twi_rng_next(&rng);
    return twi_rng_next(&rng);
}

static uint32_t phases_of(const struct sim_options *options)
{
    return options->phases ? options->phases : 1;
}

// ---- what happens ----

static void place_is_told(struct sim_world *world, uint32_t place)
{
    if (world->options->checks)
        sim_checks_finish(world->options->checks, world, place);
    twi_sim_at(world->sim, twi_sim_now(world->sim), place, NEXT_PHASE);
}

static void hash_step(struct sim_world *world, uint32_t place, const struct twi_event *event,
                      const struct twi_actions *actions)
{
    sim_hash(world, event->now_ns << 20 ^ place);
    sim_hash(world, (uint64_t)event->kind << 56 ^ (uint64_t)event->message << 48 ^
                        (uint64_t)event->peer << 16 ^ event->count);
    for (uint32_t i = 0; i < actions->count; i++) {
        const struct twi_action *action = &actions->list[i];
        sim_hash(world, (uint64_t)action->kind << 56 ^ (uint64_t)action->message << 48 ^
                            (uint64_t)action->peer << 16 ^ action->count);
    }
}

static void record(void *recorder, uint32_t place, const struct twi_machine *machine,
                   const struct twi_event *event, const struct twi_actions *actions)
{
    struct sim_world *world = recorder;
    hash_step(world, place, event, actions);
    if (world->options->checks)
        sim_checks_step(world->options->checks, world, place, machine, event, actions);
    if (world->options->trace)
        sim_trace_step(world->options->trace, place, machine, event, actions);
    for (uint32_t i = 0; i < actions->count; i++)
        if (actions->list[i].kind == TWI_DO_FINISH)
            place_is_told(world, place);
}

static void begin_phase(struct sim_place *place)
{
    place->phase++;
    sim_place_seed(place);
    twi_host_begin(place->host);
}

// The phase is over here; one-sided operations may still be under way.
static void next_phase(struct sim_world *world, struct sim_place *place)
{
    if (!twi_host_is_finished(place->host))
        twi_sim_at(world->sim, twi_sim_now(world->sim) + 1000, place->number, NEXT_PHASE);
    else if (place->phase < phases_of(world->options))
        begin_phase(place);
    else
        world->ended++;
}

static void on_due(void *self, uint32_t number, uint32_t what)
{
    struct sim_world *world = self;
    struct sim_place *place = &world->places[number];
    if (what & SIM_CORES_DUE)
        sim_cores_due(world, number, what);
    else if (what & STALL)
        twi_sim_stall(world->sim, number,
                      twi_sim_now(world->sim) + world->options->stalls[what & ~STALL].for_ns);
    else if (what == NEXT_PHASE)
        next_phase(world, place);
    else if (what == SIM_PLACE_LOOK)
        sim_place_look(place);
    else
        sim_place_done(place, what);
}

static void on_poked(void *self, uint32_t number)
{
    twi_host_look(((struct sim_world *)self)->places[number].host);
}

// A shared communication worker comes by between two tasks of its processor, which is that of
// worker 0; an idle one at once.
static uint64_t on_shared_until(void *self, uint32_t number, uint64_t now_ns)
{
    const struct sim_place *place = &((struct sim_world *)self)->places[number];
    return place->idle_count || place->first_done_ns < now_ns ? now_ns : place->first_done_ns;
}

static uint32_t on_load(void *self, uint32_t number)
{
    return ((struct sim_world *)self)->places[number].count;
}

static int on_is_crowded(void *self)
{
    return sim_cores_are_busy(&((struct sim_world *)self)->cores);
}

static void on_spent(void *self, uint64_t ns)
{
    sim_cores_lose(&((struct sim_world *)self)->cores, ns);
}

// ---- a run ----

static int make_places(struct sim_world *world)
{
    const struct sim_options *options = world->options;
    for (uint32_t i = 0; i < options->machine.places; i++) {
        struct twi_host_parts parts = {.policy = options->policy,
                                       .detector = options->detector,
                                       .rules = sim_rules_of(options),
                                       .fabric = twi_sim_fabric(world->sim, i),
                                       .pool = &sim_pool_calls,
                                       .pool_of = &world->places[i],
                                       .record = record,
                                       .recorder = world};
        parts.rules.place = i;
        parts.rules.seed = seed_of(options->seed, i);
        if (sim_place_init(&world->places[i], world, i) != 0)
            return -1;
        world->places[i].host = twi_host_create(&parts);
        if (!world->places[i].host)
            return -1;
    }
    return 0;
}

static int world_init(struct sim_world *world, const struct sim_options *options)
{
    *world = (struct sim_world){.options = options, .work = options->work, .hash = options->seed};
    struct twi_sim_client client = {world,   on_due,        on_poked, on_shared_until,
                                    on_load, on_is_crowded, on_spent};
    struct twi_sim_trouble trouble = {.jitter_ns = options->jitter_ns,
                                      .seed = seed_of(options->seed, UINT32_MAX)};
    world->sim = twi_sim_create(&options->machine, &trouble, &client);
    world->places = calloc(options->machine.places, sizeof *world->places);
    if (!world->sim || !world->places || make_places(world) != 0 ||
        sim_cores_init(&world->cores, &options->machine) != 0)
        return -1;
    for (uint32_t i = 0; i < SIM_STALLS_MOST; i++)
        if (options->stalls[i].for_ns)
            twi_sim_at(world->sim, options->stalls[i].at_ns, options->stalls[i].place, STALL | i);
    return 0;
}

static void world_destroy(struct sim_world *world)
{
    for (uint32_t i = 0; world->places && i < world->options->machine.places; i++)
        sim_place_destroy(&world->places[i]);
    free(world->places);
    sim_cores_destroy(&world->cores);
    twi_sim_destroy(world->sim);
}

static enum sim_end go(struct sim_world *world)
{
    const struct sim_options *options = world->options;
    for (uint32_t i = 0; i < options->machine.places; i++)
        begin_phase(&world->places[i]);
    for (uint64_t events = 1; world->ended < options->machine.places; events++) {
        if (!twi_sim_step(world->sim))
            return twi_sim_is_out_of_memory(world->sim) ? SIM_NO_MEMORY : SIM_STUCK;
        if (world->out_of_memory)
            return SIM_NO_MEMORY;
        if (options->events_most && events > options->events_most)
            return SIM_ENDLESS;
        if (events % STOP_LOOK == 0 && options->stop &&
            TWI_LOAD(options->stop, TWI_RELAXED)) // hint
            return SIM_STOPPED;
    }
    return SIM_DONE;
}

// Every statistic is a row of 64-bit counts.
static void add_counts(void *sum, const void *more, size_t size)
{
    uint64_t *to = sum;
    const uint64_t *from = more;
    for (size_t i = 0; i < size / sizeof *to; i++)
        to[i] += from[i];
}

static void collect(struct sim_world *world, struct sim_result *result)
{
    result->bytes = twi_sim_bytes(world->sim);
    for (uint32_t i = 0; i < world->options->machine.places; i++) {
        struct sim_place *place = &world->places[i];
        place->stats.steals = *twi_host_steals(place->host);
        place->stats.host = *twi_host_counts(place->host);
        result->place[i] = place->stats;
        result->bytes += sim_place_bytes(place);
        add_counts(&result->sum, &place->stats, sizeof result->sum);
    }
}

// Of one phase. All must be right for all to be.
static void add_answer(struct sim_result *result, const struct sim_work *work,
                       const struct sim_answer *answer)
{
    int verdict = result->end == SIM_DONE ? work->check(work, answer) : -1;
    add_counts(&result->answer, answer, sizeof *answer);
    if (result->verdict > 0 || verdict == 0)
        result->verdict = verdict;
}

// What beginning and end of a run take beside what is simulated.
static uint64_t around_ns(const struct twi_sim_machine *machine)
{
    return machine->start_ns + machine->places * machine->start_place_ns;
}

int sim_run(const struct sim_options *options, struct sim_result *result)
{
    struct sim_world world;
    *result = (struct sim_result){.end = SIM_NO_MEMORY};
    result->place = calloc(options->machine.places, sizeof *result->place);
    if (world_init(&world, options) != 0 || !result->place) {
        world_destroy(&world);
        free(result->place);
        result->place = NULL; // a sweep frees what its results have
        return -1;
    }
    result->end = go(&world);
    result->verdict = result->end == SIM_DONE ? 1 : -1;
    for (uint32_t phase = 1; phase <= phases_of(options); phase++)
        add_answer(result, options->work, &world.answer[phase]);
    result->makespan_ns = twi_sim_now(world.sim) + around_ns(&options->machine);
    result->last_task_ns = world.last_task_ns;
    result->events = twi_sim_events(world.sim);
    result->trace_hash = world.hash;
    result->work_ns = world.work_ns;
    collect(&world, result);
    if (options->checks)
        sim_checks_end(options->checks, &world, result);
    world_destroy(&world);
    return 0;
}

const char *sim_end_name(enum sim_end end)
{
    switch (end) {
    case SIM_DONE:
        return "done";
    case SIM_STUCK:
        return "stuck";
    case SIM_ENDLESS:
        return "endless";
    case SIM_STOPPED:
        return "stopped";
    case SIM_NO_MEMORY:
        return "out of memory";
    }
    return "?";
}

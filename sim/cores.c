// SPDX-License-Identifier: Apache-2.0
// See cores.h. Where cores are shared there are a few dozen workers at most: all are looked at.
#include "sim/cores.h"

#include <stdlib.h>

#include "sim/place.h"

enum {
    PARTS = 1024,           // of a nanosecond
    BEGIN = 1 << 25,        // the delay of a worker is over, whose number is below this
    ROUNDS = (1 << 25) - 1, // or else the next end is there, of this round
};

struct sim_slot {
    uint64_t takes_ns;
    int64_t end; // when the clock shows this
    int is_busy;
};

int sim_cores_init(struct sim_cores *cores, const struct twi_sim_machine *machine)
{
    *cores = (struct sim_cores){.cores = machine->cores,
                                .workers = machine->workers,
                                .slots = machine->places * machine->workers};
    if (!machine->cores)
        return 0;
    cores->slot = calloc(cores->slots, sizeof *cores->slot);
    return cores->slot ? 0 : -1;
}

void sim_cores_destroy(struct sim_cores *cores)
{
    free(cores->slot);
}

int sim_cores_are_busy(const struct sim_cores *cores)
{
    return cores->busy >= cores->cores;
}

// Among how many the cores are divided.
static uint32_t sharers(const struct sim_cores *cores)
{
    return cores->busy > cores->cores ? cores->busy : cores->cores;
}

static uint64_t lasts_ns(const struct sim_cores *cores, int64_t parts)
{
    uint64_t each = (uint64_t)PARTS * cores->cores;
    return parts > 0 ? ((uint64_t)parts * sharers(cores) + each - 1) / each : 0;
}

static void settle(struct sim_cores *cores, uint64_t now_ns)
{
    uint64_t passed = (now_ns - cores->now_ns) * PARTS;
    uint64_t share = passed * cores->cores / sharers(cores);
    uint64_t lost = cores->owed < share / 2 ? cores->owed : share / 2;
    cores->owed -= lost;
    cores->served += (int64_t)(share - lost);
    cores->now_ns = now_ns;
}

static uint32_t next_to_end(const struct sim_cores *cores)
{
    uint32_t next = cores->slots;
    for (uint32_t i = 0; i < cores->slots; i++)
        if (cores->slot[i].is_busy &&
            (next == cores->slots || cores->slot[i].end < cores->slot[next].end))
            next = i;
    return next;
}

// Those that were looked forward to before are of older rounds.
static void look_forward(struct sim_world *world)
{
    struct sim_cores *cores = &world->cores;
    uint32_t next = next_to_end(cores);
    if (next == cores->slots)
        return;
    cores->round = (cores->round + 1) & ROUNDS;
    twi_sim_at(world->sim, cores->now_ns + lasts_ns(cores, cores->slot[next].end - cores->served),
               next / cores->workers, SIM_CORES_DUE | cores->round);
}

static void begin(struct sim_world *world, struct sim_slot *slot)
{
    struct sim_cores *cores = &world->cores;
    settle(cores, twi_sim_now(world->sim));
    slot->end = cores->served + (int64_t)(slot->takes_ns * PARTS);
    slot->is_busy = 1;
    cores->busy++;
    look_forward(world);
}

// What others have taken meanwhile puts an end off.
static void end(struct sim_world *world)
{
    struct sim_cores *cores = &world->cores;
    settle(cores, twi_sim_now(world->sim));
    uint32_t next = next_to_end(cores);
    int is_over = cores->slot[next].end <= cores->served;
    if (is_over) {
        cores->slot[next].is_busy = 0;
        cores->busy--;
    }
    look_forward(world);
    if (is_over)
        sim_place_done(&world->places[next / cores->workers], next % cores->workers);
}

uint64_t sim_cores_start(struct sim_world *world, uint32_t place, uint32_t worker,
                         uint64_t delay_ns, uint64_t takes_ns)
{
    struct sim_cores *cores = &world->cores;
    struct sim_slot *slot = &cores->slot[place * cores->workers + worker];
    uint64_t now_ns = twi_sim_now(world->sim);
    slot->takes_ns = takes_ns;
    if (delay_ns)
        twi_sim_at(world->sim, now_ns + delay_ns, place, SIM_CORES_DUE | BEGIN | worker);
    else
        begin(world, slot);
    return now_ns + delay_ns + lasts_ns(cores, (int64_t)(takes_ns * PARTS));
}

void sim_cores_due(struct sim_world *world, uint32_t place, uint32_t what)
{
    struct sim_cores *cores = &world->cores;
    what &= ~(uint32_t)SIM_CORES_DUE;
    if (what & BEGIN)
        begin(world, &cores->slot[place * cores->workers + (what & ~(uint32_t)BEGIN)]);
    else if (what == cores->round && cores->busy)
        end(world);
}

void sim_cores_lose(struct sim_cores *cores, uint64_t ns)
{
    if (sim_cores_are_busy(cores))
        cores->owed += ns * PARTS / cores->busy;
}

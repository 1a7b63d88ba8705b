// SPDX-License-Identifier: Apache-2.0
// See traffic.h. An actor is two words; a packet's word has its number at that place and, above it,
// what it is sent.
#include "sim/traffic.h"

#include <stdlib.h>

#include "fabric/sim.h"
#include "sim/machine.h"

struct actor {
    uint32_t base;     // of its partners
    uint32_t received; // in all rounds: its present round, once it waits
};

struct place {
    struct sim_traffic *traffic;
    struct twi_fabric *fabric;
    uint32_t first; // number of its first actor
};

struct sim_traffic {
    struct sim_traffic_shape shape;
    uint32_t actors;  // of all places
    uint32_t waiting; // of them, those that have not received all
    uint32_t end;     // the round that is not begun
    struct sim_traffic_counts counts;
    struct twi_sim *sim;
    struct place *place;
    struct actor *actor;
};

static void send_number(struct place *place, uint32_t at_place)
{
    struct sim_traffic *traffic = place->traffic;
    uint32_t self = place->first + at_place;
    const struct actor *actor = &traffic->actor[self];
    uint32_t partner = sim_traffic_partner(traffic->actors, actor->base, actor->received);
    uint32_t to = partner / traffic->shape.actors;
    uint32_t there = partner - to * traffic->shape.actors;
    struct twi_packet packet = {
        .word = sim_traffic_number(self, actor->received) << 32 | there,
    };
    place->fabric->calls->send(place->fabric, to, &packet, NULL);
}

static void note(struct sim_traffic *traffic, uint32_t self, uint64_t number)
{
    struct sim_traffic_counts *counts = &traffic->counts;
    uint64_t what = twi_sim_now(traffic->sim) << 20 ^ (uint64_t)self << 32 ^ number;
    counts->trace = (counts->trace ^ what) * 0x9e3779b97f4a7c15u;
    counts->trace ^= counts->trace >> 32;
    counts->sum += number;
    counts->messages++;
}

static void take_packet(void *host, uint32_t from, const struct twi_packet *packet,
                        const void *bytes)
{
    struct place *place = host;
    struct sim_traffic *traffic = place->traffic;
    uint32_t at_place = (uint32_t)packet->word;
    struct actor *actor = &traffic->actor[place->first + at_place];
    (void)from;
    (void)bytes;
    note(traffic, place->first + at_place, packet->word >> 32);
    if (++actor->received < traffic->end)
        send_number(place, at_place);
    else
        traffic->waiting--;
}

// Only packets are sent here: the rest of both contracts is never used.
static const struct twi_sink sink = {.packet = take_packet};

static int join_places(struct sim_traffic *traffic)
{
    const struct sim_traffic_shape *shape = &traffic->shape;
    struct twi_sim_machine machine;
    struct twi_sim_trouble trouble = {0};
    struct twi_sim_client client = {.self = traffic};
    char complaint[200];
    if (sim_machine_read("edison", &machine, complaint, sizeof complaint) != 0)
        return 0;
    machine.places = shape->places;
    machine.dedicated = 1; // nobody computes
    traffic->sim = twi_sim_create(&machine, &trouble, &client);
    if (traffic->sim == NULL)
        return 0;
    for (uint32_t i = 0; i < shape->places; i++) {
        struct twi_fabric *fabric = twi_sim_fabric(traffic->sim, i);
        traffic->place[i] = (struct place){traffic, fabric, i * shape->actors};
        fabric->sink = &sink;
        fabric->host = &traffic->place[i];
    }
    return 1;
}

struct sim_traffic *sim_traffic_create(const struct sim_traffic_shape *shape)
{
    struct sim_traffic *traffic = calloc(1, sizeof *traffic);
    if (traffic == NULL)
        return NULL;
    traffic->shape = *shape;
    traffic->actors = sim_traffic_actors(shape);
    traffic->place = calloc(shape->places, sizeof *traffic->place);
    traffic->actor = calloc(traffic->actors, sizeof *traffic->actor);
    if (!traffic->place || !traffic->actor || !join_places(traffic)) {
        sim_traffic_destroy(traffic);
        return NULL;
    }
    uint64_t stride = sim_traffic_stride(traffic->actors);
    for (uint32_t i = 0; i < traffic->actors; i++)
        traffic->actor[i].base = (uint32_t)(i * stride % traffic->actors);
    return traffic;
}

void sim_traffic_destroy(struct sim_traffic *traffic)
{
    if (traffic->sim != NULL)
        twi_sim_destroy(traffic->sim);
    free(traffic->place);
    free(traffic->actor);
    free(traffic);
}

int sim_traffic_run(struct sim_traffic *traffic, uint32_t rounds)
{
    if (rounds == 0)
        return 1;
    traffic->end += rounds;
    traffic->waiting = traffic->actors;
    for (uint32_t i = 0; i < traffic->actors; i++)
        send_number(&traffic->place[i / traffic->shape.actors], i % traffic->shape.actors);
    while (traffic->waiting != 0 && twi_sim_step(traffic->sim))
        ;
    return traffic->waiting == 0;
}

struct sim_traffic_counts sim_traffic_count(const struct sim_traffic *traffic)
{
    struct sim_traffic_counts counts = traffic->counts;
    counts.events = twi_sim_events(traffic->sim);
    counts.now_ns = twi_sim_now(traffic->sim);
    return counts;
}

size_t sim_traffic_bytes(const struct sim_traffic *traffic)
{
    return sizeof *traffic + traffic->shape.places * sizeof *traffic->place +
           traffic->actors * sizeof *traffic->actor + twi_sim_bytes(traffic->sim);
}

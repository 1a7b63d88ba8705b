// SPDX-License-Identifier: Apache-2.0
// Topologies of simulated machines: how far it is from place to place.
#include "fabric/sim.h"

enum { ROUTER_SIZE = 4 }; // places of a dragonfly's router, unless told

// The smallest number whose cube (or square) holds n.
static uint32_t side_for(uint32_t n, int dimensions)
{
    uint64_t side = 1;
    while ((dimensions == 3 ? side * side * side : side * side) < n)
        side++;
    return (uint32_t)side;
}

void twi_sim_settle(struct twi_sim_machine *machine)
{
    uint32_t *shape = machine->shape;
    switch (machine->topology) {
    case TWI_TOPOLOGY_FLAT:
        break;
    case TWI_TOPOLOGY_TORUS:
        for (int i = 0; i < 3; i++)
            if (!shape[i])
                shape[i] = side_for(machine->places, 3);
        break;
    case TWI_TOPOLOGY_DRAGONFLY:
        if (!shape[0])
            shape[0] = ROUTER_SIZE;
        if (!shape[1])
            shape[1] = side_for((machine->places + shape[0] - 1) / shape[0], 2);
        break;
    }
}

static uint32_t around(uint32_t a, uint32_t b, uint32_t size)
{
    uint32_t apart = a > b ? a - b : b - a;
    return apart < size - apart ? apart : size - apart;
}

static uint32_t torus_hops(const uint32_t *shape, uint32_t from, uint32_t to)
{
    uint32_t hops = 0;
    for (int i = 0; i < 3; i++) {
        hops += around(from % shape[i], to % shape[i], shape[i]);
        from /= shape[i];
        to /= shape[i];
    }
    return hops ? hops : 1; // more places than the torus has: several share one
}

// In a group routers are neighbours; between groups it is a router, the long cable, a router.
static uint32_t dragonfly_hops(const uint32_t *shape, uint32_t from, uint32_t to)
{
    uint32_t group = shape[0] * shape[1];
    if (from / shape[0] == to / shape[0])
        return 1;
    return from / group == to / group ? 2 : 4;
}

uint32_t twi_sim_hops(const struct twi_sim_machine *machine, uint32_t from, uint32_t to)
{
    if (from == to)
        return 0;
    switch (machine->topology) {
    case TWI_TOPOLOGY_FLAT:
        break;
    case TWI_TOPOLOGY_TORUS:
        return torus_hops(machine->shape, from, to);
    case TWI_TOPOLOGY_DRAGONFLY:
        return dragonfly_hops(machine->shape, from, to);
    }
    return 1;
}

uint32_t twi_sim_near(const struct twi_sim_machine *machine)
{
    switch (machine->topology) {
    case TWI_TOPOLOGY_FLAT:
        break;
    case TWI_TOPOLOGY_TORUS:
        return machine->shape[0];
    case TWI_TOPOLOGY_DRAGONFLY:
        return machine->shape[0] * machine->shape[1];
    }
    return 0;
}

uint64_t twi_sim_way_ns(const struct twi_sim_machine *machine, uint32_t from, uint32_t to,
                        uint64_t first_ns)
{
    uint32_t hops = twi_sim_hops(machine, from, to);
    return hops ? first_ns + (hops - 1) * machine->hop_ns : 0;
}

// Places poll at times of their own, so that they are not all in step.
uint64_t twi_sim_next_poll(const struct twi_sim_machine *machine, uint32_t place, uint64_t now_ns)
{
    uint64_t poll = machine->poll_ns;
    if (!poll)
        return now_ns;
    uint64_t offset = place * UINT64_C(0x9e3779b97f4a7c15) % poll;
    return now_ns + (poll - (now_ns + offset) % poll) % poll;
}

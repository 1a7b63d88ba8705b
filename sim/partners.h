// SPDX-License-Identifier: Apache-2.0
// Who sends what to whom when places do nothing but talk: many actors at each place, in rounds.
//
// In a round every actor sends a number to a partner and receives one; who has received begins the
// next round. The partners of a round are a permutation, another in each round: neighbours send to
// places far from each other. An actor may be its own partner.
//
// It needs nothing else of Twill, so that other simulators can have the same traffic.
#ifndef SIM_PARTNERS_H
#define SIM_PARTNERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sim_traffic_shape {
    uint32_t places;
    uint32_t actors; // at each place; of all places together less than 2^31
};

static inline uint32_t sim_traffic_actors(const struct sim_traffic_shape *shape)
{
    return shape->places * shape->actors;
}

// The sum of the numbers received in rounds `first` to `first + rounds - 1`.
uint64_t sim_traffic_sum(const struct sim_traffic_shape *shape, uint32_t first, uint32_t rounds);

// The distance of the partners of two neighbours, in all rounds: prime to the number of actors, so
// that no two have the same partner.
uint32_t sim_traffic_stride(uint32_t actors);

// The partner of actor 0.
static inline uint32_t sim_traffic_shift(uint32_t actors, uint32_t round)
{
    uint64_t mixed = ((uint64_t)round + 1) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93u;
    return (uint32_t)((mixed >> 32) * actors >> 32);
}

// That of any: `base` is its number times the stride, modulo the number of actors.
static inline uint32_t sim_traffic_partner(uint32_t actors, uint32_t base, uint32_t round)
{
    uint32_t partner = base + sim_traffic_shift(actors, round);
    return partner < actors ? partner : partner - actors;
}

// What an actor sends; never 0.
static inline uint64_t sim_traffic_number(uint32_t actor, uint32_t round)
{
    return (uint64_t)actor + 1 + round;
}

#ifdef __cplusplus
}
#endif
#endif

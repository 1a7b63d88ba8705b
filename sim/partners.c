// SPDX-License-Identifier: Apache-2.0
// See partners.h.
#include "sim/partners.h"

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b != 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

uint32_t sim_traffic_stride(uint32_t actors)
{
    uint32_t stride = (uint32_t)((uint64_t)actors * 618 / 1000); // golden: spreads neighbours well
    while (common_divisor(actors, stride) != 1)
        stride++;
    return stride;
}

uint64_t sim_traffic_sum(const struct sim_traffic_shape *shape, uint32_t first, uint32_t rounds)
{
    uint64_t actors = sim_traffic_actors(shape), begin = first, end = begin + rounds;
    uint64_t of_actors = actors * (actors + 1) / 2;
    uint64_t of_rounds = (end * (end - 1) - begin * (begin - 1)) / 2;
    return rounds * of_actors + actors * of_rounds;
}

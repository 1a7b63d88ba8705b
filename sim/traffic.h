// SPDX-License-Identifier: Apache-2.0
// Traffic over the simulated fabric (partners.h): what the simulator costs when places do nothing
// but talk.
#ifndef SIM_TRAFFIC_H
#define SIM_TRAFFIC_H

#include <stddef.h>
#include <stdint.h>

#include "sim/partners.h"

struct sim_traffic_counts {
    uint64_t sum;      // of the numbers received
    uint64_t messages; // received
    uint64_t events;   // that the fabric handled
    uint64_t now_ns;   // virtual time
    uint64_t trace;    // a hash of all that was received: when, where and what, in order
};

struct sim_traffic;

// On Edison, with so many places. NULL: no memory.
struct sim_traffic *sim_traffic_create(const struct sim_traffic_shape *shape);
void sim_traffic_destroy(struct sim_traffic *traffic);

// Goes `rounds` further rounds, until every actor has received as many numbers; the first round
// ever is round 0. 0: nothing happened any more before that.
int sim_traffic_run(struct sim_traffic *traffic, uint32_t rounds);
// Of all rounds so far.
struct sim_traffic_counts sim_traffic_count(const struct sim_traffic *traffic);
// Memory it uses, with the fabric's.
size_t sim_traffic_bytes(const struct sim_traffic *traffic);

#endif

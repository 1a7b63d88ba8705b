// SPDX-License-Identifier: Apache-2.0
// How busy all cores were, over time: a row of stretches of equal width, which doubles whenever the
// row is full.
#ifndef SIM_USAGE_H
#define SIM_USAGE_H

#include <stdint.h>

enum { SIM_USAGE_MOST = 128 }; // stretches; a run has at least half as many

struct sim_usage {
    uint64_t width_ns;
    uint64_t busy_ns[SIM_USAGE_MOST]; // of all cores
};

static inline void sim_usage_start(struct sim_usage *usage)
{
    *usage = (struct sim_usage){.width_ns = 1};
}

static inline void sim_usage_widen(struct sim_usage *usage)
{
    for (int i = 0; i < SIM_USAGE_MOST / 2; i++)
        usage->busy_ns[i] = usage->busy_ns[2 * i] + usage->busy_ns[2 * i + 1];
    for (int i = SIM_USAGE_MOST / 2; i < SIM_USAGE_MOST; i++)
        usage->busy_ns[i] = 0;
    usage->width_ns *= 2;
}

// A core was busy from one moment to the other.
static inline void sim_usage_add(struct sim_usage *usage, uint64_t from_ns, uint64_t to_ns)
{
    while (to_ns > usage->width_ns * SIM_USAGE_MOST)
        sim_usage_widen(usage);
    while (from_ns < to_ns) {
        uint64_t i = from_ns / usage->width_ns, end = (i + 1) * usage->width_ns;
        end = end < to_ns ? end : to_ns;
        usage->busy_ns[i] += end - from_ns;
        from_ns = end;
    }
}

#endif

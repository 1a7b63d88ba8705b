// SPDX-License-Identifier: Apache-2.0
// A random simulation: a few dozen numbers drawn from a seed, each of which can be given instead.
#ifndef SIM_SCENARIO_H
#define SIM_SCENARIO_H

#include "sim/run.h"

enum sim_knob {
    SIM_KNOB_POLICY,   // its number in the table
    SIM_KNOB_DETECTOR, // likewise
    SIM_KNOB_PLACES,
    SIM_KNOB_WORKERS,
    SIM_KNOB_SHARED, // 1: communication shares a processor
    SIM_KNOB_TOPOLOGY,
    SIM_KNOB_LATENCY, // nanoseconds, and below
    SIM_KNOB_OVERHEAD,
    SIM_KNOB_READ,
    SIM_KNOB_POLL,
    SIM_KNOB_WAKE,
    SIM_KNOB_THRESHOLD,
    SIM_KNOB_BATCH,
    SIM_KNOB_HUNGRY,
    SIM_KNOB_ORDER,
    SIM_KNOB_BACKOFF,
    SIM_KNOB_PHASES,
    SIM_KNOB_JITTER,
    SIM_KNOB_SLOW,   // places that are slow
    SIM_KNOB_STALLS, // times that some place stands still
    SIM_KNOB_STALL,  // for how long
    SIM_KNOB_WORK,   // 0: tasks, 1: a tree, 2: queens
    SIM_KNOB_TASKS,
    SIM_KNOB_MEAN,
    SIM_KNOB_DISTRIBUTION,
    SIM_KNOB_PLACEMENT,
    SIM_KNOB_DEPTH, // of what tasks spawn; of the tree; of the board
    SIM_KNOB_MISSES, // sixteenths of gifts that find nothing
    SIM_KNOBS,
};

struct sim_scenario {
    uint64_t seed;
    uint64_t events_most; // of a run that ends; not drawn
    uint64_t knob[SIM_KNOBS];
};

const char *sim_knob_name(enum sim_knob knob);
// The simplest value a knob can have.
uint64_t sim_knob_least(enum sim_knob knob);

void sim_scenario_draw(struct sim_scenario *scenario, uint64_t seed);
// Reads "places=3 jitter=0" over it. 0, or -1 with what is wrong in `message`.
int sim_scenario_change(struct sim_scenario *scenario, const char *text, char *message,
                        size_t size);

struct sim_work;

// What is to be run. NULL: no memory; else the work, to be destroyed.
struct sim_work *sim_scenario_build(const struct sim_scenario *scenario,
                                    struct sim_options *options);

#endif

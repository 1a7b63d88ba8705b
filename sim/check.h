// SPDX-License-Identifier: Apache-2.0
// Checkers: watch a simulation and note what must not happen. They know what the protocols promise,
// not how they do it.
//
//  - A place is told that a phase is over only when no task of it is left anywhere.
//  - Nobody asks a place again that has not answered; nobody gets tasks unasked, or a refusal.
//  - A policy that answers at once leaves no request open for longer than the way takes.
//  - All places are told soon after the last task.
//  - The answer is right, and the run ends.
//  - Messages are bounded by requests, steals and places.
#ifndef SIM_CHECK_H
#define SIM_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "steal/machine.h"

struct sim_world;
struct sim_options;
struct sim_result;

enum { SIM_TROUBLE_MOST = 256 };

// Requests of a place that are open.
struct sim_asked {
    struct sim_request *list;
    uint32_t count, room;
};

struct sim_checks {
    char trouble[SIM_TROUBLE_MOST]; // the first thing that was wrong; "": nothing was
    struct sim_asked *asked;        // of each place
    uint64_t trip_ns;               // no message takes longer until it has been handled
    uint64_t waves;                 // that began at the root of a detector
};

// 0, or -1: no memory.
int sim_checks_init(struct sim_checks *checks, const struct sim_options *options);
void sim_checks_destroy(struct sim_checks *checks, const struct sim_options *options);

// A machine was told something, and acts.
void sim_checks_step(struct sim_checks *checks, const struct sim_world *world, uint32_t place,
                     const struct twi_machine *machine, const struct twi_event *event,
                     const struct twi_actions *actions);
// A place has been told that its phase is over.
void sim_checks_finish(struct sim_checks *checks, const struct sim_world *world, uint32_t place);
// All is over.
void sim_checks_end(struct sim_checks *checks, const struct sim_world *world,
                    const struct sim_result *result);

#endif

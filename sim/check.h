// SPDX-License-Identifier: Apache-2.0
// Checkers: watch a simulation and note what must not happen. They know what the protocols promise,
// not how they do it.
//
//  - A place is told that a phase is over only when no task of it is left anywhere.
//  - Nobody asks a place again that has not answered; nobody gets tasks unasked, or a refusal;
//    nobody talks to itself.
//  - A policy that answers at once leaves no request open for longer than the way takes.
//  - Nor do the requests of two places wait at each other, with a policy that promises it.
//  - A hungry place asks, looks or pauses. A place at which requests wait gives, or watches for
//    tasks to give. A lock is held only with a request.
//  - What answers an action comes once, and in the same phase.
//  - All places are told soon after the last task.
//  - The answer is right, and the run ends.
//  - Messages are bounded by requests, steals and places; requests and reads by searches and
//    pauses; pauses by time.
#ifndef SIM_CHECK_H
#define SIM_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "steal/machine.h"

struct sim_world;
struct sim_options;
struct sim_result;

enum { SIM_TROUBLE_MOST = 256 };

// What the checkers know of a place's policy.
struct sim_watched {
    struct sim_request *list; // its requests that are open
    uint32_t count, room;
    uint32_t reads, locks, gives; // under way
    uint32_t held;                // locks
    uint32_t waiting;             // requests of others that it has not answered
    uint32_t watch, watch_low;    // as it set them
    uint8_t is_hungry, has_timer;
};

struct sim_checks {
    char trouble[SIM_TROUBLE_MOST]; // the first thing that was wrong; "": nothing was
    struct sim_watched *watched;    // each place
    uint64_t trip_ns;               // no message takes longer until it has been handled
    uint64_t waves;                 // that began at the root of a detector
    uint64_t locks;                 // that were tried
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

// ---- between check.c and check_policy.c ----

// Notes what is wrong, if nothing was before.
void sim_complain(struct sim_checks *checks, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// sim_checks_step of a policy.
void sim_check_policy(struct sim_checks *checks, const struct sim_world *world, uint32_t place,
                      const struct twi_event *event, const struct twi_actions *actions);
// Its requests at the end of a phase.
void sim_check_open(struct sim_checks *checks, const struct sim_world *world, uint32_t place);

#endif

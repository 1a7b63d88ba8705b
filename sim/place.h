// SPDX-License-Identifier: Apache-2.0
// A simulated place: workers, and one pool of tasks that they share.
//
// Workers take the newest task, thieves from other places the oldest. That one worker steals from
// another inside a place is not modelled: it costs next to nothing beside a message.
#ifndef SIM_PLACE_H
#define SIM_PLACE_H

#include "base/rng.h"
#include "sim/cores.h"
#include "sim/run.h"
#include "steal/rest.h"

struct sim_world;

struct sim_place {
    struct sim_world *world;
    struct twi_host *host;
    uint32_t number;
    uint32_t sixteenths; // of the cost
    // The pool: a ring of tasks.
    unsigned char *ring;
    uint32_t first, count, room;
    unsigned char *parcel; // what was last taken out
    uint32_t parcel_room;
    // Workers.
    unsigned char *current; // a task for each
    uint32_t *idle;         // their numbers
    uint32_t idle_count;
    uint32_t active;        // that run tasks or look for some
    struct twi_rest rest;   // of idle ones, on a machine that has fewer cores
    int is_to_look;         // it will see whether they still are to
    uint64_t first_done_ns; // when worker 0 is done with its task
    uint32_t phase;         // begun so far
    struct twi_rng chance;  // of tasks that are gone
    struct sim_stats stats;
};

extern const struct twi_pool_calls sim_pool_calls;

enum { SIM_PLACE_LOOK = 1 << 27 }; // an event: sim_place_look

// 0, or -1: no memory.
int sim_place_init(struct sim_place *place, struct sim_world *world, uint32_t number);
void sim_place_destroy(struct sim_place *place);
size_t sim_place_bytes(const struct sim_place *place);

// Its first tasks of a phase.
void sim_place_seed(struct sim_place *place);
// It sees whether its idle workers are still to rest.
void sim_place_look(struct sim_place *place);
// Worker `worker` has done its task.
void sim_place_done(struct sim_place *place, uint32_t worker);

// ---- what places share: run.c ----

struct sim_world {
    const struct sim_options *options;
    const struct sim_work *work;
    struct twi_sim *sim;
    struct sim_place *places;
    struct sim_answer answer[SIM_PHASES_MOST + 1]; // of each phase
    uint64_t hash;
    uint64_t work_ns, last_task_ns;
    uint64_t longest_ns;                 // that a task took
    uint64_t alive[SIM_PHASES_MOST + 1]; // tasks of a phase that have not been done
    struct sim_cores cores;
    uint32_t active;                     // workers of all places
    uint32_t ended;                      // places that have finished the last phase
    int out_of_memory;
};

// Mixes a number into the hash of all that happens.
static inline void sim_hash(struct sim_world *world, uint64_t number)
{
    uint64_t x = (world->hash ^ number) * UINT64_C(0xd6e8feb86659fd93);
    world->hash = x ^ x >> 32;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Cores that the workers of all places share, when there are fewer of them than workers.
//
// Whoever computes has the same share: of c cores among b workers c / b, one at most. An operating
// system gives whole cores in turns instead; over the length of a run that comes to the same.
//
// A clock advances by what each worker is served. So a task ends when it has advanced by the task's
// cost, whoever comes and goes meanwhile.
#ifndef SIM_CORES_H
#define SIM_CORES_H

#include <stdint.h>

struct sim_world;
struct twi_sim_machine;

// Marks what comes due for the cores.
enum { SIM_CORES_DUE = 1 << 26 };

struct sim_cores {
    uint32_t cores;          // 0: each worker has one, and nothing below is used
    uint32_t busy;           // workers that compute
    uint32_t workers, slots; // of a place, of all
    uint32_t round;          // of the end that was last looked forward to
    int64_t served;          // the clock, in parts of a nanosecond
    uint64_t owed;           // so much each has been served too much
    uint64_t now_ns;
    struct sim_slot *slot; // each worker
};

// 0, or -1: no memory.
int sim_cores_init(struct sim_cores *cores, const struct twi_sim_machine *machine);
void sim_cores_destroy(struct sim_cores *cores);

// A worker begins, after a delay, with what takes a whole core `takes_ns`. sim_place_done is called
// when that is over. Returns when it would be if nobody came or went.
uint64_t sim_cores_start(struct sim_world *world, uint32_t place, uint32_t worker,
                         uint64_t delay_ns, uint64_t takes_ns);
// Something that was marked with SIM_CORES_DUE has come due.
void sim_cores_due(struct sim_world *world, uint32_t place, uint32_t what);

int sim_cores_are_busy(const struct sim_cores *cores);
// So much of a core goes to somebody else; one that is free is taken first. Those that compute keep
// half of what they have.
void sim_cores_lose(struct sim_cores *cores, uint64_t ns);

#endif

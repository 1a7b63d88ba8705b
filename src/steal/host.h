// SPDX-License-Identifier: Apache-2.0
// The host of a place: joins one policy and one detector to a fabric and a pool of tasks.
//
// It turns what the fabric brings and what happens in the pool into events, has the machines step,
// and carries out their actions. Phases have numbers (epochs), the same at all places: a packet of
// an earlier phase is dropped, one of a later phase is kept until this place gets there.
//
// One thread at a time: the communication worker of the place.
#ifndef TWI_HOST_H
#define TWI_HOST_H

#include "fabric/fabric.h"
#include "steal/machine.h"

// What a host moves: live deques, or modelled tasks. Called with twi_host_parts.pool_of.
struct twi_pool_calls {
    uint32_t (*load)(void *pool);  // tasks that could leave
    uint32_t (*idle)(void *pool);  // workers that have nothing to do
    int (*is_passive)(void *pool); // nothing waits or runs here
    // Takes up to `most` tasks out for a place, the oldest first, as bytes that stay valid until
    // the next call. Returns how many.
    uint32_t (*take)(void *pool, uint32_t thief, uint32_t most, const void **bytes,
                     uint32_t *size);
    void (*add)(void *pool, uint32_t count, const void *bytes, uint32_t size);
};

// Everything a machine is told and does; for recordings, traces and hashes.
typedef void twi_record(void *recorder, uint32_t place, const struct twi_machine *machine,
                        const struct twi_event *event, const struct twi_actions *actions);

struct twi_host_parts {
    const struct twi_machine *policy, *detector;
    struct twi_rules rules;
    uint32_t epoch; // of the last phase that was; 0: there was none
    struct twi_fabric *fabric; // the host becomes its sink
    const struct twi_pool_calls *pool;
    void *pool_of;
    // A packet of twi_host_post, also between this phase and the next. May be NULL.
    void (*mail)(void *pool_of, uint32_t from, const struct twi_packet *packet, const void *bytes);
    twi_record *record; // may be NULL
    void *recorder;
};

struct twi_host_stats {
    uint64_t packets, bytes; // sent
    uint64_t tasks_got, tasks_given;
    uint64_t stale, early;  // packets of a phase that is over here, of a later one
    uint64_t late;          // tasks that came after the end: a detector was wrong
    uint64_t searching_ns;  // in which some workers were hungry
    uint64_t unanswered;    // requests that were open at the end of a phase ...
    uint64_t unanswered_ns; // ... and for how long, in sum
};

struct twi_host;

// NULL: no memory. Bytes that all of it takes: twi_host_size().
struct twi_host *twi_host_create(const struct twi_host_parts *parts);
void twi_host_destroy(struct twi_host *host);
size_t twi_host_size(const struct twi_host *host);

// Begins the next phase; the first has number 1. Not before the last is finished.
void twi_host_begin(struct twi_host *host);
// Whether the phase is over here, as the detector said, and no one-sided operation is open.
int twi_host_is_finished(const struct twi_host *host);
uint32_t twi_host_epoch(const struct twi_host *host);

// Sends tasks, as pool.take packs them, to a place that did not ask; the policies do not know.
void twi_host_push(struct twi_host *host, uint32_t to, uint32_t count, const void *bytes,
                   uint32_t size);
// Sends a message that is for parts.mail there.
void twi_host_post(struct twi_host *host, uint32_t to, uint16_t message, uint64_t word,
                   const void *bytes, uint32_t size);

// To be called when workers have become idle or busy, or the load has crossed a watched one.
void twi_host_look(struct twi_host *host);
// Whether it would do anything, as cheaply as can be.
int twi_host_wants_look(struct twi_host *host);

const struct twi_steal_stats *twi_host_steals(const struct twi_host *host);
const struct twi_host_stats *twi_host_counts(const struct twi_host *host);

#endif

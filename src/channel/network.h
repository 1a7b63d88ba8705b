// SPDX-License-Identifier: Apache-2.0
// What the files of a process network know of each other.
//
// A process waits for at most one stream at a time, and that names the one process which can
// release it: so who waits for whom is a graph with one edge from each node, and whoever is stuck
// is stuck behind a circle (deadlock.c).
//
// Edges:
//  [N1] tail: a put adds to it, and sees whether the reader waits; a reader that is about to wait
//       marks it, unless something was put. The reader sees the items below the tail.
//  [N2] head: the same for gets, and a writer that waits for room. The writer sees that the items
//       below the head were read.
//  [N3] waits: the release of a process that begins or ends a wait; the acquire of who looks for
//       circles.
#ifndef TWI_NETWORK_H
#define TWI_NETWORK_H

#include <twill/network.h>
#include <twill/sync.h>

#include "sched/sched.h"

struct tw_process {
    struct tw_network *network;
    const char *name;
    uintptr_t waits;    // the stream it waits for, and TWI_FOR_ROOM; 0: none. writer: itself
    uint64_t waited;    // so many waits have begun. writer: itself
    uint32_t outputs;   // streams that someone still reads. writers: their readers
    uint32_t has_ended; // writer: itself
    struct tw_stream *first_in, *first_out;
    struct tw_process *next; // of the network
    const struct tw_task_type *type;
    unsigned char args[TW_SLOT_PAYLOAD] __attribute__((aligned(TWI_PAYLOAD_ALIGN)));
};

#define TWI_FOR_ROOM ((uintptr_t)1)

struct tw_network {
    const char *name;
    struct tw_network_options options;
    struct tw_process *processes;
    struct tw_stream *streams;
    size_t count;    // of processes
    size_t running;  // of them have not ended. writers: who ends
    int error;       // the first. under the lock
    int has_run;     //
    char *trouble;   // or NULL. under the lock
    uint32_t broken; // streams were told. writer: under the lock
    struct twi_lock lock;
    struct tw_semaphore over; // released by the last process, and by who wants circles looked for
    struct tw_network_stats stats;
};

static inline struct tw_stream *twi_waits_stream(uintptr_t waits)
{
    return (struct tw_stream *)(waits & ~TWI_FOR_ROOM);
}

// Who can release a process that waits so.
static inline struct tw_process *twi_waits_peer(uintptr_t waits)
{
    struct tw_stream *stream = twi_waits_stream(waits);
    return waits & TWI_FOR_ROOM ? stream->reader : stream->writer;
}

// ---- stream.c ----
// Lets the stream hold `capacity` items, no fewer than before. It is new, or its writer waits for
// room and its reader for another stream. 0, or TW_ENOMEM.
int twi_stream_grow(struct tw_stream *stream, size_t capacity);
void twi_stream_free_items(struct tw_stream *stream);
// The reader's and the writer's waits end with TW_ECANCELED from now on.
void twi_stream_break(struct tw_stream *stream);
// The writer goes on, if it waits.
void twi_stream_release_writer(struct tw_stream *stream);
static inline uint64_t twi_stream_fill(struct tw_stream *stream)
{
    return TWI_LOAD(&stream->tail, TWI_ACQUIRE) / TWI_STREAM_ITEM - // [N1]
           TWI_LOAD(&stream->head, TWI_ACQUIRE) / TWI_STREAM_ITEM;  // [N2]
}

// ---- network.c ----
// The first error counts; all processes are released. `trouble` is kept, and may be NULL.
void twi_network_fail(struct tw_network *network, int error, char *trouble);

// ---- deadlock.c ----
// A process has begun to wait: looks whether that closes a circle nearby.
void twi_circle_suspect(struct tw_process *process);
// Looks at all processes, and mends or reports what is stuck. Returns whether something was.
int twi_circles_resolve(struct tw_network *network);

#endif

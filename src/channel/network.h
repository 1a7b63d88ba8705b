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
//  [N3] waits, has_ended: the release of a process that begins or ends a wait, or ends; the acquire
//       of who looks for circles.
//  [N4] running: each process that ends takes one off; tw_network_run sees what all did.
//  [N5] suspects: the release of a process that puts itself on the list; the acquire of who takes
//       the list. And is_suspect: the other way round, the link may be written again.
#ifndef TWI_NETWORK_H
#define TWI_NETWORK_H

#include <twill/network.h>
#include <twill/sync.h>

#include "sched/sched.h"

struct tw_process {
    struct tw_network *network;
    const char *name;
    uintptr_t waits;    // the stream it waits for, and TWI_FOR_ROOM; 0: none. writer: itself
    uint32_t outputs;   // streams that someone still reads. writers: their readers
    uint32_t has_ended; // writer: itself
    uint32_t in_vain;   // puts into streams that nobody reads. writer: itself
    struct tw_stream *first_in, *first_out;
    struct tw_process *next; // of the network
    const struct tw_task_type *type;
    unsigned char args[TW_SLOT_PAYLOAD] __attribute__((aligned(TWI_PAYLOAD_ALIGN)));
    // Of who looks for circles (deadlock.c), apart from what others read.
    size_t index __attribute__((aligned(64))); // in the order of creation
    uint32_t is_suspect;                       // on the list. writers: itself, who looks
    struct tw_process *next_suspect;           // writer: itself
    uint64_t visit;                            // of the last walk that came by
    uintptr_t seen;                            // waits, and the word of its stream, as it was then
    uint64_t seen_word;
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
    uint32_t broken; // streams are told next. writer: under the lock
    struct twi_lock lock;
    struct tw_semaphore over; // released by the last process, and by the first suspect
    struct tw_process *suspects;
    uint64_t visits; // so many walks were made. Owner-only: of who looks
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

// Where the mark of a process stands that waits so.
static inline uint64_t *twi_waits_word(uintptr_t waits)
{
    struct tw_stream *stream = twi_waits_stream(waits);
    return waits & TWI_FOR_ROOM ? &stream->head : &stream->tail;
}

// Whether a process waits in this word, and nothing has happened to it yet.
static inline int twi_is_marked(uint64_t word)
{
    return (word & TWI_STREAM_FLAGS) == TWI_STREAM_WAITS;
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
// The rest of twi_circle_suspect, once the peer seems to wait.
void twi_circle_chase(struct tw_process *process, struct tw_process *peer);
// Looks from the suspects, or at all processes, and mends or reports what is stuck. Returns whether
// something was. By one task at a time.
int twi_circles_resolve(struct tw_network *network, int all);

// A process is about to set its mark: looks whether that closes a circle nearby, and tells
// tw_network_run. Before the mark, for after it the process may go on, end, and the network with
// it. So two that close a circle at once may both miss it: a look at all finds it later.
static inline void twi_circle_suspect(struct tw_process *process)
{
    uintptr_t waits = TWI_LOAD(&process->waits, TWI_RELAXED); // relaxed: the caller's
    struct tw_process *peer = twi_waits_peer(waits);
    uintptr_t next = TWI_LOAD(&peer->waits, TWI_ACQUIRE); // [N3]
    if (next && (peer == process || twi_is_marked(TWI_LOAD(twi_waits_word(next), TWI_RELAXED))))
        twi_circle_chase(process, peer); // hint
}

#endif

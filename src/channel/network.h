// SPDX-License-Identifier: Apache-2.0
// What the files of a process network know of each other.
//
// A process waits for at most one stream at a time, and that names the one process which can
// release it: so who waits for whom is a graph with one edge from each node, and whoever is stuck
// is stuck behind a circle (deadlock.c).
//
// Edges:
//  [N1] tail: a put adds to it, and sees whether the reader waits; a reader that is about to wait
//       sets a flag there, unless something was put. The reader sees the items below the tail.
//  [N2] head: the reader's release; the writer sees that the items below it were read.
//  [N3] a get stores head, then reads the flags; a writer that is about to wait sets its flag, then
//       reads head. The first has no fence: both may miss (see stream.c). The network's guard calls
//       membarrier, then reads flag and head: so one of the two is seen by it or by the reader.
//  [N4] wanted, fiber, has_ended: the release of a process that begins or ends a wait, or ends; the
//       acquire of who looks for circles. The fiber serves others later: so it is read before
//       `wanted` and after it.
//  [N5] is_looking: the release of who has published a wait; the acquire of the process, which may
//       end the network only then.
//  [N6] running: the release of a process that has ended; the acquire of who waits for all.
//  [N7] suspects: the release of a process that puts itself on the list; the acquire of who takes
//       the list. And is_suspect: the other way round, the link may be written again.
#ifndef TWI_NETWORK_H
#define TWI_NETWORK_H

#include <twill/network.h>
#include <twill/sync.h>

#include "sched/sched.h"

struct tw_process {
    struct tw_network *network;
    const char *name;
    struct twi_fiber *fiber; // it runs on, or NULL. writer: itself
    uint32_t outputs;        // streams that someone still reads. writers: their readers
    uint32_t has_ended;      // writer: itself
    uint32_t is_looking;     // someone publishes its wait for room. writers: itself, who does
    uint32_t in_vain;        // puts into streams that nobody reads. writer: itself
    struct tw_stream *first_in, *first_out;
    struct tw_process *next; // of the network
    const struct tw_task_type *type;
    unsigned char args[TW_SLOT_PAYLOAD] __attribute__((aligned(TWI_PAYLOAD_ALIGN)));
    // Of who looks for circles (deadlock.c), apart from what others read.
    size_t index __attribute__((aligned(64))); // in the order of creation
    uint32_t is_suspect;                       // on the list. writers: itself, who looks
    struct tw_process *next_suspect;           // writer: itself
    uint64_t visit;                            // of the last walk that came by
    uintptr_t seen;                            // what it waits for, and the tail there, as it was
    uint64_t seen_tail;                        // then
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

// What a process waits for: the stream, and TWI_FOR_ROOM; 0: nothing. It may be over already.
static inline uintptr_t twi_process_waits(struct tw_process *process)
{
    struct twi_fiber *fiber = TWI_LOAD(&process->fiber, TWI_ACQUIRE); // [N4]
    if (!fiber)
        return 0;
    uintptr_t waits = TWI_LOAD(&fiber->wanted, TWI_ACQUIRE);            // [N4]
    return TWI_LOAD(&process->fiber, TWI_ACQUIRE) == fiber ? waits : 0; // [N4]
}

// Who can release a process that waits so.
static inline struct tw_process *twi_waits_peer(uintptr_t waits)
{
    struct tw_stream *stream = twi_waits_stream(waits);
    return waits & TWI_FOR_ROOM ? stream->reader : stream->writer;
}

// Whether a process waits so by the tail of its stream, and nothing has happened there yet.
static inline int twi_waits_marked(uintptr_t waits, uint64_t tail)
{
    uint64_t flag = waits & TWI_FOR_ROOM ? TWI_STREAM_CRAMPED : TWI_STREAM_STARVED;
    return (tail & TWI_STREAM_FLAGS) == flag;
}

// ---- stream.c ----
// Lets the stream hold `capacity` items, no fewer than before. It is new, or its writer waits for
// room and its reader for another stream. 0, or TW_ENOMEM.
int twi_stream_grow(struct tw_stream *stream, size_t capacity);
void twi_stream_free_items(struct tw_stream *stream);
// The reader's and the writer's waits end with TW_ECANCELED from now on.
void twi_stream_break(struct tw_stream *stream);
static inline uint32_t twi_stream_fill(struct tw_stream *stream)
{
    uint32_t head = TWI_LOAD(&stream->head, TWI_ACQUIRE);                 // [N2]
    return twi_stream_place(TWI_LOAD(&stream->tail, TWI_ACQUIRE)) - head; // [N1]
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

// A process is about to set its flag at a stream: looks whether that closes a circle nearby, and
// tells tw_network_run. Before the flag is set, for after it the process may go on, end, and the
// network with it. So two that close a circle at once may both miss it: a look at all finds it
// later.
static inline void twi_circle_suspect(struct tw_process *process, struct tw_process *peer)
{
    uintptr_t waits = twi_process_waits(peer);
    if (waits &&
        (peer == process || twi_waits_marked(waits, TWI_LOAD(&twi_waits_stream(waits)->tail,
                                                             TWI_RELAXED)))) // hint
        twi_circle_chase(process, peer);
}

#endif

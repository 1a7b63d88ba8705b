// SPDX-License-Identifier: Apache-2.0
// Kahn process networks: processes that know nothing of each other but the streams between them.
//
//     TW_TASK(count, { struct tw_stream *out; })
//     {
//         for (long i = 0; i < 100; i++)
//             tw_put(self.out, &i);
//     }
//     ...
//     struct tw_network *net = tw_network_create("sum", NULL);
//     struct tw_process *from = tw_process_create(net, "count"), *to = tw_process_create(net, "add");
//     struct tw_stream *numbers = tw_stream_create(net, "numbers", from, to, sizeof(long), 16);
//     tw_process_body(from, count, .out = numbers);
//     tw_process_body(to, add, .in = numbers, .sum = &sum);
//     int error = tw_network_run(net);
//     tw_network_destroy(net);
//
// A stream has one writer and one reader, and nobody can ask whether it is empty. So what flows
// through each stream depends on the processes alone: not on the number of workers, on who runs
// when, or on capacities. When streams that are full keep a network from going on, one of them
// grows; a network in which processes wait for each other in vain ends with TW_EDEADLK, and
// tw_network_trouble tells who waits for whom. docs/networks.md has the rules.
//
// Edges: [N1] and [N2], see src/channel/stream.h.
#ifndef TWILL_NETWORK_H
#define TWILL_NETWORK_H

#include <stddef.h>
#include <stdint.h>

#include <twill/api.h>
#include <twill/runtime.h>
#include <twill/task.h>

// Which stream grows when processes wait in a circle and at least one of them for room.
enum tw_growth {
    TW_GROW_CIRCLE,  // the smallest full one of the circle, even while others still run
    TW_GROW_NETWORK, // the smallest full one of all, once every process waits
    TW_GROW_NEVER,   // none: TW_EDEADLK
};

struct tw_network_options {
    enum tw_wake wake;     // where a process goes on that waited; TW_WAKE_AUTO: as the pool has it
    enum tw_growth growth; //
    size_t capacity_max;   // items that a stream may grow to; 0: 2^20
};

// What a network did, so far or in its last run.
struct tw_network_stats {
    uint64_t growths;    // times that a stream grew
    uint64_t circles;    // circles of waiting processes that were looked into
    size_t capacity_sum; // of all streams, in items
};

struct tw_network;
struct tw_process;

// tw_put(stream, &item)  appends an item, of the stream's size; waits while there is no room. 0;
// TW_EPIPE: nobody is left to read anything from this process, and it may as well return; or
// TW_ECANCELED: the network was cancelled or has failed. What is put into a stream that was
// abandoned vanishes. By the stream's writer, in its body or in plain functions. May suspend.
#define tw_put(stream, item) twi_put((stream), (item), sizeof *(item))

// tw_get(stream, &item)  takes the oldest item; waits until there is one. 0; TW_EPIPE: the stream
// has ended; or TW_ECANCELED as above; then the item is left alone. By the stream's reader, in its
// body or in plain functions. May suspend.
#define tw_get(stream, item) twi_get((stream), (item), sizeof *(item))

// tw_put_each(streams, count, items)  is tw_put(streams[i], &items[i]) for each i from 0, and
// tw_get_each(streams, count, items)  is tw_get(streams[i], &items[i]): up to the first that is not
// 0, which is returned. What they touch is fetched ahead, which matters when the other ends are on
// other processors. May suspend.
#define tw_put_each(streams, count, items)                                                         \
    tw_streams_put((streams), (count), (items), sizeof *(items))
#define tw_get_each(streams, count, items)                                                         \
    tw_streams_get((streams), (count), (items), sizeof *(items))

#ifdef TWILL_SERIAL
#include <twill/serial_network.h>
#else

// One stream. The fields are Twill's.
struct tw_stream {
    // The writer's line.
    uint64_t tail; // items put, in units of TWI_STREAM_ITEM, and what the reader does. writers:
                   // both, and who cancels
    uint64_t room; // up to here the writer may put without looking
    unsigned char *items;
    uint64_t mask;
    size_t size; // of an item. constant
    struct tw_fiber *reader_waits;
    struct tw_process *reader;
    unsigned char inner[64] __attribute__((aligned(64))); // the items, if they fit
    // The reader's line.
    uint64_t head __attribute__((aligned(64))); // items got, and what the writer does
    uint64_t seen;                              // so many had been put when the reader last looked
    struct tw_fiber *writer_waits;
    struct tw_process *writer;
    uint64_t capacity; // writer: who made it, then who lets it grow
    const char *name;
    struct tw_stream *next_in, *next_out, *next; // of the reader, the writer, the network
};

// In both words.
#define TWI_STREAM_WAITS 1u  // the other end waits here
#define TWI_STREAM_ENDED 2u  // this end is used no more: tail by its writer, head by its reader
#define TWI_STREAM_BROKEN 4u // the network was cancelled, or failed
#define TWI_STREAM_ITEM 8u
#define TWI_STREAM_FLAGS 7u

#ifdef __cplusplus
extern "C" {
#endif

// ---- building ----

// A network without processes. NULL: no memory. `options` may be NULL; names are not copied, here
// and below. Never suspends; any thread.
TW_API struct tw_network *tw_network_create(const char *name,
                                            const struct tw_network_options *options);

// Frees it with its processes and streams; not while it runs. NULL is allowed. Never suspends; any
// thread.
TW_API void tw_network_destroy(struct tw_network *network);

// A process without a body. If memory is out the result is NULL, which the calls below take as
// well: then tw_network_run says TW_ENOMEM. So nothing need be checked before. Never suspends; any
// thread, but one at a time.
TW_API struct tw_process *tw_process_create(struct tw_network *network, const char *name);

// A stream of items of `item_size` bytes from one process to another, or to itself; it holds
// `capacity` of them (1 at least) before it has to grow. NULL: no memory, see above; a size or
// capacity of 0 is a misuse. Never suspends; any thread, but one at a time.
TW_API struct tw_stream *tw_stream_create(struct tw_network *network, const char *name,
                                          struct tw_process *writer, struct tw_process *reader,
                                          size_t item_size, size_t capacity);

// What tw_process_body calls: `args` (type->args_size bytes) is copied. Never suspends; any thread,
// but one at a time.
TW_API void tw_process_set(struct tw_process *process, const struct tw_task_type *type,
                           const void *args);

// tw_process_body(process, name, .field = value, ...)  gives a process the body of TW_TASK(name).
// When the body returns, its streams end. A process without a body ends at once.
#define tw_process_body(process, name, ...)                                                        \
    do {                                                                                           \
        TWI_REQUIRE_TASK(name);                                                                    \
        static const struct tw_task_type twi_here = TWI_TYPE(name, 0, 0);                          \
        struct tw_args_##name twi_args = {__VA_ARGS__};                                            \
        tw_process_set((process), &twi_here, &twi_args);                                           \
    } while (0)

// ---- running ----

// Runs all processes, each on a stack of its own, and returns when all have ended: 0; TW_EDEADLK
// when some waited for each other in vain; TW_ENOMEM; TW_ECANCELED when what it is inside of was
// cancelled; what a process was the first to give to tw_process_fail. In all these cases the
// processes that wait are released. A network runs once. May suspend; from a task.
TW_API int tw_network_run(struct tw_network *network);

// After a run that failed: what was wrong, in lines, with the names of processes and streams and
// how full these were. "" when nothing was. Valid until the network is destroyed. Never suspends;
// any thread.
TW_API const char *tw_network_trouble(const struct tw_network *network);

// Never suspends; any thread.
TW_API void tw_network_count(const struct tw_network *network, struct tw_network_stats *stats);

// ---- in processes ----

// The process of `stream` that calls, its writer or its reader, cannot go on: tw_network_run
// returns `error` (not 0), unless another process failed first, and all processes are released. The
// caller goes on; as a rule it returns next. Never suspends.
TW_API void tw_process_fail(struct tw_stream *stream, int error);

// No more will be put into the stream: its reader gets what is left, then TW_EPIPE. By its writer;
// a body that returns does it for all its streams. Never suspends.
TW_API void tw_stream_end(struct tw_stream *stream);

// Nothing will be got from the stream any more: what is put into it vanishes. By its reader; a body
// that returns does it for all its streams. Never suspends.
TW_API void tw_stream_abandon(struct tw_stream *stream);

// Slow halves of the macros below; not for direct use. Both may suspend.
TW_API int tw_stream_put(struct tw_stream *stream, const void *item, size_t size);
TW_API int tw_stream_get(struct tw_stream *stream, void *item, size_t size);
TW_API int tw_streams_put(struct tw_stream *const *streams, size_t count, const void *items,
                          size_t size);
TW_API int tw_streams_get(struct tw_stream *const *streams, size_t count, void *items, size_t size);
TW_API void tw_stream_wake_reader(struct tw_stream *stream, uint64_t before);
TW_API void tw_stream_wake_writer(struct tw_stream *stream, uint64_t before);

#ifdef __cplusplus
}
#endif

TWI_INLINE int twi_put(struct tw_stream *stream, const void *item, size_t size)
{
    uint64_t tail = TWI_LOAD(&stream->tail, TWI_RELAXED); // relaxed: only flags are others'
    uint64_t place = tail / TWI_STREAM_ITEM;
    if (TWI_UNLIKELY(place == stream->room || size != stream->size))
        return tw_stream_put(stream, item, size);
    __builtin_memcpy(stream->items + (place & stream->mask) * size, item, size);
    uint64_t before = TWI_FETCH_ADD(&stream->tail, (uint64_t)TWI_STREAM_ITEM, TWI_ACQ_REL); // [N1]
    if (TWI_UNLIKELY(before & TWI_STREAM_FLAGS))
        tw_stream_wake_reader(stream, before);
    return 0;
}

TWI_INLINE int twi_get(struct tw_stream *stream, void *item, size_t size)
{
    uint64_t head = TWI_LOAD(&stream->head, TWI_RELAXED); // relaxed: only flags are others'
    uint64_t place = head / TWI_STREAM_ITEM;
    if (TWI_UNLIKELY(place == stream->seen || size != stream->size))
        return tw_stream_get(stream, item, size);
    __builtin_memcpy(item, stream->items + (place & stream->mask) * size, size);
    uint64_t before = TWI_FETCH_ADD(&stream->head, (uint64_t)TWI_STREAM_ITEM, TWI_ACQ_REL); // [N2]
    if (TWI_UNLIKELY(before & TWI_STREAM_FLAGS))
        tw_stream_wake_writer(stream, before);
    return 0;
}

#endif
#endif

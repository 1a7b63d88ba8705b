// SPDX-License-Identifier: Apache-2.0
// Kahn process networks: processes that know nothing of each other but the streams between them.
//
//     TW_TASK(count, { struct tw_stream *out; })
//     {
//         for (long i = 0; i < 100; i++)
//             tw_put(self.out, &i);
//     }
//     struct tw_network *net = tw_network_create("sum", NULL);
//     struct tw_process *a = tw_process_create(net, "a"), *b = tw_process_create(net, "b");
//     struct tw_stream *numbers = tw_stream_create(net, "numbers", a, b, sizeof(long), 16);
//     tw_process_body(a, count, .out = numbers);
//     tw_process_body(b, add, .in = numbers, .sum = &sum);
//     int error = tw_network_run(net);
//     tw_network_destroy(net);
//
// A stream has one writer and one reader, and nobody can ask whether it is empty. So what flows
// through each stream depends on the processes alone: not on the number of workers, on who runs
// when, or on capacities. When streams that are full keep a network from going on, one of them
// grows; a network in which processes wait for each other in vain ends with TW_EDEADLK, and
// tw_network_trouble tells who waits for whom. docs/networks.md has the rules.
//
// Edges: [N1] to [N3], see src/channel/network.h.
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
    enum tw_growth growth; // what becomes of streams that are too small
    size_t capacity_max;   // items that a stream may grow to; 0: 2^20
};

// What a network did.
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
    twi_put_each((streams), (count), (items), sizeof *(items))
#define tw_get_each(streams, count, items)                                                         \
    twi_get_each((streams), (count), (items), sizeof *(items))

#ifdef TWILL_SERIAL
#include <twill/serial_network.h>
#else

// Flags beside the count of a stream's tail.
#define TWI_STREAM_STARVED 1u   // the reader waits for an item
#define TWI_STREAM_CRAMPED 2u   // the writer waits for room
#define TWI_STREAM_ENDED 4u     // by the writer
#define TWI_STREAM_ABANDONED 8u // by the reader
#define TWI_STREAM_BROKEN 16u   // the network was cancelled, or has failed
#define TWI_STREAM_OVER (TWI_STREAM_ENDED | TWI_STREAM_ABANDONED | TWI_STREAM_BROKEN)
#define TWI_STREAM_FLAGS 31u
#define TWI_STREAM_ITEM 32u
#define TWI_STREAM_INNER 24 // bytes of items on the writer's line
#define TWI_STREAMS_AHEAD 8

// One stream. The fields are Twill's.
struct tw_stream {
    // The writer's line.
    uint64_t tail; // items put, in units of TWI_STREAM_ITEM, and flags. writers: both ends, and who
                   // breaks the network
    unsigned char *items;          // writer: who lets it grow
    struct tw_fiber *reader_waits; // writer: the reader
    uint32_t room;                 // up to here the writer may put without looking
    uint32_t mask;                 // writer: who lets it grow
    uint32_t size;                 // of an item. constant
    uint16_t wake;                 // of the network. constant
    uint16_t reader_home;          // the worker that the reader ran on last. writer: the reader
    unsigned char inner[TWI_STREAM_INNER]; // the items, if they fit
    // The reader's line.
    uint32_t head __attribute__((aligned(64))); // items got. writer: the reader
    uint32_t seen;                              // so many had been put when the reader last looked
    uint32_t capacity;                          // writer: who lets it grow
    struct tw_fiber *writer_waits;              // writer: the writer
    struct tw_process *writer, *reader;
    const char *name;
    struct tw_stream *follows;            // what its reader puts into next, presumably, or NULL
    struct tw_stream *next_in, *next_out; // of the reader, of the writer
    struct tw_stream *next;               // of the network
};

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

// What the network did so far. Never suspends; any thread.
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

// Slow halves of the macros above; not for direct use. The first two may suspend.
TW_API int tw_stream_await_room(struct tw_stream *stream);
TW_API int tw_stream_await_item(struct tw_stream *stream);
TW_API int tw_stream_put_in_vain(struct tw_stream *stream);
TW_API void tw_stream_put_starved(struct tw_stream *stream, uint64_t tail);
TW_API void tw_stream_wake_reader(struct tw_stream *stream);
TW_API void tw_stream_wake_writer(struct tw_stream *stream);

#ifdef __cplusplus
}
#endif

TWI_INLINE uint32_t twi_stream_place(uint64_t tail)
{
    return (uint32_t)(tail / TWI_STREAM_ITEM);
}

TWI_INLINE unsigned char *twi_stream_item(const struct tw_stream *stream, uint32_t place,
                                          size_t size)
{
    return stream->items + (place & stream->mask) * size;
}

TWI_INLINE void twi_stream_check(const struct tw_stream *stream, size_t size)
{
    if (TWI_UNLIKELY(size != stream->size))
        tw_misuse("an item is not of its stream's size", stream->name);
}

TWI_INLINE int twi_stream_has_room(struct tw_stream *stream, uint32_t place)
{
    stream->room = TWI_LOAD(&stream->head, TWI_ACQUIRE) + stream->capacity; // [N2]
    return place != stream->room;
}

TWI_INLINE int twi_stream_has_item(struct tw_stream *stream, uint32_t place)
{
    stream->seen = twi_stream_place(TWI_LOAD(&stream->tail, TWI_ACQUIRE)); // [N1]
    return place != stream->seen;
}

TWI_INLINE int twi_put(struct tw_stream *stream, const void *item, size_t size)
{
    uint64_t tail = TWI_LOAD(&stream->tail, TWI_RELAXED); // relaxed: only flags are others'
    uint32_t place = twi_stream_place(tail);
    twi_stream_check(stream, size);
    if (TWI_UNLIKELY(tail & TWI_STREAM_OVER))
        return tw_stream_put_in_vain(stream);
    if (TWI_UNLIKELY(place == stream->room) && !twi_stream_has_room(stream, place)) {
        int error = tw_stream_await_room(stream);
        if (error)
            return error;
    }
    __builtin_memcpy(twi_stream_item(stream, place, size), item, size);
    if (tail & TWI_STREAM_STARVED)
        tw_stream_put_starved(stream, tail);
    else if (TWI_UNLIKELY(TWI_FETCH_ADD(&stream->tail, (uint64_t)TWI_STREAM_ITEM, TWI_ACQ_REL) &
                          TWI_STREAM_STARVED)) // [N1]
        tw_stream_wake_reader(stream);
    return 0;
}

TWI_INLINE int twi_get(struct tw_stream *stream, void *item, size_t size)
{
    uint32_t place = stream->head;
    twi_stream_check(stream, size);
    if (TWI_UNLIKELY(place == stream->seen) && !twi_stream_has_item(stream, place)) {
        int error = tw_stream_await_item(stream);
        if (error)
            return error;
    }
    __builtin_memcpy(item, twi_stream_item(stream, place, size), size);
    TWI_STORE(&stream->head, place + 1, TWI_RELEASE);                            // [N2]
    TWI_COMPILER_FENCE();                                                        // [N3]
    if (TWI_UNLIKELY(TWI_LOAD(&stream->tail, TWI_RELAXED) & TWI_STREAM_CRAMPED)) // [N3]
        tw_stream_wake_writer(stream);
    return 0;
}

// Lines are asked for some streams ahead, so that several come at the same time.
TWI_INLINE void twi_put_ahead(struct tw_stream *const *streams, size_t i, size_t count)
{
    if (i < count) {
        TWI_PREFETCH_WRITE(&streams[i]->tail);
        __builtin_prefetch(&streams[i]->head);
    }
}

TWI_INLINE void twi_get_ahead(struct tw_stream *const *streams, size_t i, size_t count)
{
    if (i < count) {
        __builtin_prefetch(&streams[i]->tail);
        TWI_PREFETCH_WRITE(&streams[i]->head);
    }
}

TWI_INLINE int twi_put_each(struct tw_stream *const *streams, size_t count, const void *items,
                            size_t size)
{
    int error = 0;
    for (size_t i = 0; i < TWI_STREAMS_AHEAD; i++)
        twi_put_ahead(streams, i, count);
    for (size_t i = 0; i < count && !error; i++) {
        twi_put_ahead(streams, i + TWI_STREAMS_AHEAD, count);
        error = twi_put(streams[i], (const char *)items + i * size, size);
    }
    return error;
}

TWI_INLINE int twi_get_each(struct tw_stream *const *streams, size_t count, void *items,
                            size_t size)
{
    int error = 0;
    for (size_t i = 0; i < TWI_STREAMS_AHEAD; i++)
        twi_get_ahead(streams, i, count);
    for (size_t i = 0; i < count && !error; i++) {
        twi_get_ahead(streams, i + TWI_STREAMS_AHEAD, count);
        error = twi_get(streams[i], (char *)items + i * size, size);
    }
    return error;
}

#endif
#endif

// SPDX-License-Identifier: Apache-2.0
// network.h in the sequential elision: a process runs when it is given its body, to the end, and
// streams hold whatever is put into them. So a network works whose bodies are set in the order in
// which items flow; a get from a stream that is empty and has not ended would wait for ever, and is
// a misuse.
#ifndef TWILL_SERIAL_NETWORK_H
#define TWILL_SERIAL_NETWORK_H
#ifdef TWILL_SERIAL

#include <string.h>

#include <twill/network.h>
#include <twill/serial_sync.h>

struct tw_stream {
    const char *name;
    struct tw_process *writer, *reader;
    struct tw_stream *next;
    unsigned char *items;
    size_t size, room, head, tail;
    int ended, abandoned;
};

struct tw_process {
    struct tw_process *next;
    struct tw_network *network;
};

struct tw_network {
    struct tw_process *processes;
    struct tw_stream *streams;
    int error;
};

// ---- building ----

static inline struct tw_network *tw_network_create(const char *name,
                                                   const struct tw_network_options *options)
{
    (void)name, (void)options;
    return (struct tw_network *)calloc(1, sizeof(struct tw_network));
}

static inline struct tw_process *tw_process_create(struct tw_network *network, const char *name)
{
    (void)name;
    struct tw_process *process =
        (struct tw_process *)(network ? calloc(1, sizeof(struct tw_process)) : NULL);
    if (process) {
        process->network = network;
        process->next = network->processes;
        network->processes = process;
    } else if (network) {
        network->error = TW_ENOMEM;
    }
    return process;
}

static inline struct tw_stream *tw_stream_create(struct tw_network *network, const char *name,
                                                 struct tw_process *writer,
                                                 struct tw_process *reader, size_t item_size,
                                                 size_t capacity)
{
    twi_serial_require(item_size && capacity, "stream", name, "needs room for an item");
    struct tw_stream *stream =
        (struct tw_stream *)(writer && reader ? calloc(1, sizeof(struct tw_stream)) : NULL);
    if (stream) {
        stream->name = name;
        stream->writer = writer;
        stream->reader = reader;
        stream->size = item_size;
        stream->next = network->streams;
        network->streams = stream;
    } else if (network) {
        network->error = TW_ENOMEM;
    }
    return stream;
}

static inline void tw_network_destroy(struct tw_network *network)
{
    while (network && network->streams) {
        struct tw_stream *stream = network->streams;
        network->streams = stream->next;
        free(stream->items);
        free(stream);
    }
    while (network && network->processes) {
        struct tw_process *process = network->processes;
        network->processes = process->next;
        free(process);
    }
    free(network);
}

// ---- running ----

static inline int tw_network_run(struct tw_network *network)
{
    return network ? network->error : TW_ENOMEM;
}

static inline const char *tw_network_trouble(const struct tw_network *network)
{
    (void)network;
    return "";
}

static inline void tw_network_count(const struct tw_network *network,
                                    struct tw_network_stats *stats)
{
    memset(stats, 0, sizeof *stats);
    for (const struct tw_stream *stream = network->streams; stream; stream = stream->next)
        stats->capacity_sum += stream->room;
}

static inline void twi_serial_end(struct tw_process *process)
{
    for (struct tw_stream *stream = process->network->streams; stream; stream = stream->next) {
        stream->ended |= stream->writer == process;
        stream->abandoned |= stream->reader == process;
    }
}

#define tw_process_body(process, name, ...)                                                        \
    do {                                                                                           \
        struct tw_process *twi_process = (process);                                                \
        struct tw_args_##name twi_args = {__VA_ARGS__};                                            \
        if (twi_process && !twi_process->network->error) {                                         \
            twi_body_##name(twi_args);                                                             \
            twi_serial_end(twi_process);                                                           \
        }                                                                                          \
    } while (0)

// ---- in processes ----

static inline void tw_process_fail(struct tw_stream *stream, int error)
{
    struct tw_network *network = stream->writer->network;
    if (!network->error)
        network->error = error;
}

static inline void tw_stream_end(struct tw_stream *stream)
{
    stream->ended = 1;
}

static inline void tw_stream_abandon(struct tw_stream *stream)
{
    stream->abandoned = 1;
}

static inline int twi_put(struct tw_stream *stream, const void *item, size_t size)
{
    twi_serial_require(size == stream->size, "stream", stream->name, "an item of another size");
    twi_serial_require(!stream->ended, "stream", stream->name, "a put after its end");
    if (stream->writer->network->error)
        return TW_ECANCELED;
    if (stream->tail == stream->room) {
        stream->room = stream->room ? 2 * stream->room : 16;
        stream->items = (unsigned char *)realloc(stream->items, stream->room * size);
        twi_serial_require(stream->items != NULL, "stream", stream->name, "no memory is left");
    }
    memcpy(stream->items + stream->tail++ * size, item, size);
    return 0;
}

static inline int twi_get(struct tw_stream *stream, void *item, size_t size)
{
    twi_serial_require(size == stream->size, "stream", stream->name, "an item of another size");
    if (stream->writer->network->error)
        return TW_ECANCELED;
    if (stream->head == stream->tail) {
        twi_serial_require(stream->ended, "stream", stream->name,
                           "a get that would wait for ever in a program without tasks");
        return TW_EPIPE;
    }
    memcpy(item, stream->items + stream->head++ * size, size);
    return 0;
}

static inline int twi_put_each(struct tw_stream *const *streams, size_t count, const void *items,
                               size_t size)
{
    int error = 0;
    for (size_t i = 0; i < count && !error; i++)
        error = twi_put(streams[i], (const char *)items + i * size, size);
    return error;
}

static inline int twi_get_each(struct tw_stream *const *streams, size_t count, void *items,
                               size_t size)
{
    int error = 0;
    for (size_t i = 0; i < count && !error; i++)
        error = twi_get(streams[i], (char *)items + i * size, size);
    return error;
}

#endif
#endif

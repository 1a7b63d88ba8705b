// SPDX-License-Identifier: Apache-2.0
// Streams: what a put or a get does that finds no room, no item, or somebody who waits for it.
//
// The word of an end is changed by its own process, by the other when it is about to wait, and by
// who breaks the network. Whoever takes the mark of a waiting process off makes it ready; so a wait
// ends once. Nothing else can end it: a cancelled network breaks its streams.
#include <stdlib.h>
#include <string.h>

#include <twill/wait.h>

#include "base/os.h"
#include "channel/network.h"

// One wait. It stands on the stack of who waits, and is gone when the mark is seen.
struct pause {
    uint64_t *word;    // to mark
    uint64_t expected; // if it still is this
    struct tw_fiber *fiber;
    struct tw_process *process;
};

static void publish(void *argument)
{
    struct pause *pause = argument;
    uint64_t expected = pause->expected;
    struct tw_fiber *fiber = pause->fiber;
    twi_circle_suspect(pause->process);
    if (!TWI_CAS(pause->word, &expected, expected | TWI_STREAM_WAITS, TWI_ACQ_REL,
                 TWI_RELAXED)) // [N1] [N2]
        twi_ready(fiber);
}

// `waits`: the stream, and whether for room. Returns when the other end was used, or broken.
static void wait_for(struct tw_process *process, uintptr_t waits, uint64_t *word, uint64_t expected,
                     struct tw_fiber **known)
{
    struct pause pause = {word, expected, tw_fiber_current(), process};
    if (*known != pause.fiber) // else its line stays clean
        *known = pause.fiber;
    TWI_STORE(&process->waits, waits, TWI_RELEASE); // [N3]
    twi_park(publish, &pause);
    TWI_STORE(&process->waits, (uintptr_t)0, TWI_RELEASE); // [N3]
}

static void go_on(struct tw_fiber *fiber)
{
    twi_ready(fiber);
}

// Takes the mark off. 1: the caller did it.
static int unmark(uint64_t *word)
{
    uint64_t waits = TWI_STREAM_WAITS;
    return (TWI_FETCH_AND(word, ~waits, TWI_ACQ_REL) & waits) != 0; // [N1] [N2]
}

void tw_stream_wake_reader(struct tw_stream *stream, uint64_t before)
{
    if (before & TWI_STREAM_WAITS && unmark(&stream->tail))
        go_on(stream->reader_waits);
}

void tw_stream_wake_writer(struct tw_stream *stream, uint64_t before)
{
    if (before & TWI_STREAM_WAITS && unmark(&stream->head))
        go_on(stream->writer_waits);
}

static void check_size(const struct tw_stream *stream, size_t size)
{
    if (size != stream->size)
        tw_misuse("an item is not of its stream's size", stream->name);
}

// ---- putting ----

enum { GIVE_WAY = 64 };

// The reader is gone. What it would have got vanishes, as long as anyone reads anything else. The
// writer never waits here, and might keep those from running who read the rest: it gives way.
static int put_in_vain(struct tw_stream *stream)
{
    struct tw_process *process = stream->writer;
    if (!TWI_LOAD(&process->outputs, TWI_RELAXED)) // relaxed: only sinks
        return TW_EPIPE;
    if (++process->in_vain % GIVE_WAY == 0)
        tw_yield();
    return 0;
}

int tw_stream_put(struct tw_stream *stream, const void *item, size_t size)
{
    check_size(stream, size);
    for (;;) {
        uint64_t head = TWI_LOAD(&stream->head, TWI_ACQUIRE); // [N2]
        if (head & TWI_STREAM_BROKEN)
            return TW_ECANCELED;
        if (head & TWI_STREAM_ENDED)
            return put_in_vain(stream);
        stream->room = head / TWI_STREAM_ITEM + stream->capacity;
        uint64_t tail = TWI_LOAD(&stream->tail, TWI_RELAXED); // relaxed: only flags are others'
        if (tail & TWI_STREAM_ENDED)
            tw_misuse("a put into a stream that its writer has ended", stream->name);
        if (tail / TWI_STREAM_ITEM < stream->room)
            return twi_put(stream, item, size);
        wait_for(stream->writer, (uintptr_t)stream | TWI_FOR_ROOM, &stream->head, head,
                 &stream->writer_waits);
    }
}

// ---- getting ----

int tw_stream_get(struct tw_stream *stream, void *item, size_t size)
{
    check_size(stream, size);
    for (;;) {
        uint64_t tail = TWI_LOAD(&stream->tail, TWI_ACQUIRE); // [N1]
        if (tail & TWI_STREAM_BROKEN)
            return TW_ECANCELED;
        stream->seen = tail / TWI_STREAM_ITEM;
        uint64_t head = TWI_LOAD(&stream->head, TWI_RELAXED); // relaxed: only flags are others'
        if (head & TWI_STREAM_ENDED)
            tw_misuse("a get from a stream that its reader has abandoned", stream->name);
        if (stream->seen > head / TWI_STREAM_ITEM)
            return twi_get(stream, item, size);
        if (tail & TWI_STREAM_ENDED)
            return TW_EPIPE;
        wait_for(stream->reader, (uintptr_t)stream, &stream->tail, tail, &stream->reader_waits);
    }
}

// ---- many at once ----

// Lines that will be written are asked for some streams ahead, so that they come at the same time.
enum { AHEAD = 8 };

int tw_streams_put(struct tw_stream *const *streams, size_t count, const void *items, size_t size)
{
    int error = 0;
    for (size_t i = 0; i < count && !error; i++) {
        if (i + AHEAD < count) {
            __builtin_prefetch(&streams[i + AHEAD]->tail, 1);
            __builtin_prefetch(&streams[i + AHEAD]->inner, 1);
        }
        error = twi_put(streams[i], (const char *)items + i * size, size);
    }
    return error;
}

int tw_streams_get(struct tw_stream *const *streams, size_t count, void *items, size_t size)
{
    int error = 0;
    for (size_t i = 0; i < count && !error; i++) {
        if (i + AHEAD < count) {
            __builtin_prefetch(&streams[i + AHEAD]->tail);
            __builtin_prefetch(&streams[i + AHEAD]->inner);
            __builtin_prefetch(&streams[i + AHEAD]->head, 1);
        }
        error = twi_get(streams[i], (char *)items + i * size, size);
    }
    return error;
}

// ---- ends ----

// How an end is marked that is used no more. A process that was released because the network broke
// may end before the last stream is broken: its peers must not take that for an end that it meant.
static uint64_t end_of(const struct tw_stream *stream)
{
    uint32_t broken = TWI_LOAD(&stream->writer->network->broken, TWI_RELAXED); // see [N1] [N2]
    return broken ? TWI_STREAM_BROKEN : TWI_STREAM_ENDED;
}

void tw_stream_end(struct tw_stream *stream)
{
    uint64_t ended = end_of(stream);
    tw_stream_wake_reader(stream, TWI_FETCH_OR(&stream->tail, ended, TWI_ACQ_REL)); // [N1]
}

void tw_stream_abandon(struct tw_stream *stream)
{
    uint64_t ended = end_of(stream);
    uint64_t before = TWI_FETCH_OR(&stream->head, ended, TWI_ACQ_REL); // [N2]
    if (~before & ended & TWI_STREAM_ENDED)
        TWI_FETCH_SUB(&stream->writer->outputs, 1u, TWI_RELAXED); // relaxed: read after [N2]
    tw_stream_wake_writer(stream, before);
}

void twi_stream_break(struct tw_stream *stream)
{
    uint64_t broken = TWI_STREAM_BROKEN;
    tw_stream_wake_reader(stream, TWI_FETCH_OR(&stream->tail, broken, TWI_ACQ_REL)); // [N1]
    tw_stream_wake_writer(stream, TWI_FETCH_OR(&stream->head, broken, TWI_ACQ_REL)); // [N2]
}

void twi_stream_release_writer(struct tw_stream *stream)
{
    uint64_t head = TWI_LOAD(&stream->head, TWI_RELAXED); // hint: rechecked by who takes it off
    tw_stream_wake_writer(stream, head);
}

// ---- room ----

// How many slots a ring has that holds `capacity` items: a power of two, and no fewer than stand in
// the stream itself. 0: too many.
static uint64_t slots_for(const struct tw_stream *stream, uint64_t capacity)
{
    uint64_t slots = 1;
    while (slots < capacity || 2 * slots * stream->size <= sizeof stream->inner)
        if ((slots *= 2) > SIZE_MAX / 4 / stream->size)
            return 0;
    return slots;
}

static void copy_items(struct tw_stream *stream, unsigned char *to, uint64_t mask)
{
    uint64_t tail = TWI_LOAD(&stream->tail, TWI_ACQUIRE) / TWI_STREAM_ITEM; // [N1]
    uint64_t head = TWI_LOAD(&stream->head, TWI_ACQUIRE) / TWI_STREAM_ITEM; // [N2]
    for (; head < tail; head++)
        memcpy(to + (head & mask) * stream->size,
               stream->items + (head & stream->mask) * stream->size, stream->size);
}

int twi_stream_grow(struct tw_stream *stream, size_t capacity)
{
    uint64_t slots = slots_for(stream, capacity);
    if (!slots)
        return TW_ENOMEM;
    if (!stream->items || slots > stream->mask + 1) {
        int fits = slots * stream->size <= sizeof stream->inner;
        unsigned char *items = fits ? stream->inner : malloc(slots * stream->size);
        if (!items)
            return TW_ENOMEM;
        copy_items(stream, items, slots - 1);
        twi_stream_free_items(stream);
        stream->items = items;
        stream->mask = slots - 1;
    }
    TWI_STORE(&stream->capacity, (uint64_t)capacity,
              TWI_RELAXED); // statistic to all but the writer
    return 0;
}

void twi_stream_free_items(struct tw_stream *stream)
{
    if (stream->items != stream->inner)
        free(stream->items);
}

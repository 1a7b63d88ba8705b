// SPDX-License-Identifier: Apache-2.0
// Streams: what a put or a get does that finds no room, no item, or somebody who waits for it.
//
// All flags stand beside the tail, which is changed by read-modify-writes only. Whoever takes the
// flag of a waiting process off makes it ready; so a wait ends once. Nothing but the other end and
// a network that breaks ends it.
//
// A get is a plain store, and a look at the tail that may come before it: then a writer that finds
// no room at that moment is overlooked [N3]. It waits until the reader's next get from the stream,
// or until the reader is about to wait there; before it does, it looks again for longer than a
// store takes to be seen, and the network's guard (network.c) finds those who wait though there is
// room. So that costs time, hardly ever, but nobody waits for ever; and a get needs no fence.
#include <stdlib.h>
#include <string.h>

#include <twill/wait.h>

#include "base/os.h"
#include "channel/network.h"

enum {
#ifdef TWI_MODEL
    LOOKS_FOR_ROOM = 1,
#else
    LOOKS_FOR_ROOM = 8,
#endif
    GIVE_WAY = 64,
};

// Takes a flag off. 1: the caller did it, and makes the process ready that waited.
static int lower(struct tw_stream *stream, uint64_t flag)
{
    return (TWI_FETCH_AND(&stream->tail, ~flag, TWI_ACQ_REL) & flag) != 0; // [N1] [N3]
}

// ---- waiting ----

static inline void wait_as(struct twi_worker *w, struct tw_stream *stream, uintptr_t waits,
                           void (*publish)(void *))
{
    struct twi_fiber *self = twi_fiber_of(w->active);
    TWI_STORE(&self->wanted, waits, TWI_RELEASE); // [N4]
    twi_park_on(w, publish, stream);
    TWI_STORE(&self->wanted, (uintptr_t)0, TWI_RELEASE); // [N4]
}

// Until the flag is set the reader cannot go on, though its stack is free.
static inline void publish_starved_as(struct tw_stream *stream, int suspicious)
{
    struct tw_fiber *fiber = stream->reader_waits;
    uint64_t tail = TWI_LOAD(&stream->tail, TWI_RELAXED); // rechecked by [N1]
    int waits = twi_stream_place(tail) == stream->seen && !(tail & TWI_STREAM_FLAGS);
    if (waits && suspicious)
        twi_circle_suspect(stream->reader, stream->writer);
    if (!waits ||
        !TWI_CAS(&stream->tail, &tail, tail | TWI_STREAM_STARVED, TWI_ACQ_REL, TWI_RELAXED)) // [N1]
        twi_ready(fiber);
}

static void publish_starved(void *argument)
{
    publish_starved_as(argument, 0);
}

static void publish_starved_alone(void *argument)
{
    publish_starved_as(argument, 1);
}

// While others are ready here the reader does not look for circles: what it waits for may come from
// them, and most often does. Each circle that can be mended has somebody who waits for room, and
// that is rare enough to look always.
static __attribute__((noinline)) void starve(struct tw_stream *stream)
{
    struct twi_worker *w = twi_worker_here();
    if (stream->reader_waits != w->active || stream->reader_home != w->index) {
        stream->reader_waits = w->active; // else its line stays clean
        stream->reader_home = (uint16_t)w->index;
    }
    int alone = twi_queue_empty(&w->queue);
    wait_as(w, stream, (uintptr_t)stream, alone ? publish_starved_alone : publish_starved);
    TWI_PREFETCH_WRITE(stream->follows);
}

int tw_stream_await_item(struct tw_stream *stream)
{
    for (;;) {
        uint64_t tail = TWI_LOAD(&stream->tail, TWI_ACQUIRE); // [N1]
        stream->seen = twi_stream_place(tail);
        if (TWI_UNLIKELY(tail & TWI_STREAM_BROKEN))
            return TW_ECANCELED;
        if (stream->seen != stream->head)
            return 0;
        if (TWI_UNLIKELY(tail & TWI_STREAM_FLAGS)) {
            if (tail & TWI_STREAM_ABANDONED)
                tw_misuse("a get from a stream that its reader has abandoned", stream->name);
            if (tail & TWI_STREAM_ENDED)
                return TW_EPIPE;
            tw_stream_wake_writer(stream);
        } else {
            starve(stream);
        }
    }
}

// By who has just published that the writer waits for room: looks for it for longer than a get
// takes to be seen. 1: there is some, and the caller makes the writer ready.
static int finds_room(struct tw_stream *stream)
{
    for (int looks = LOOKS_FOR_ROOM;; twi_relax()) {
        uint64_t tail = TWI_LOAD(&stream->tail, TWI_RELAXED); // hint: rechecked by who lowers it
        uint32_t head = TWI_LOAD(&stream->head, TWI_ACQUIRE); // [N2] [N3]
        if (!(tail & TWI_STREAM_CRAMPED))
            return 0;
        if (twi_stream_place(tail) != head + TWI_LOAD(&stream->capacity, TWI_RELAXED)) // hint
            return lower(stream, TWI_STREAM_CRAMPED);
        if (--looks == 0)
            return 0;
    }
}

// The writer, which may go on as soon as the flag is set, waits for the end of this.
static void publish_cramped(void *argument)
{
    struct tw_stream *stream = argument;
    struct tw_process *process = stream->writer;
    struct tw_fiber *fiber = stream->writer_waits;
    uint64_t tail = TWI_LOAD(&stream->tail, TWI_RELAXED); // rechecked by [N3]
    twi_circle_suspect(process, stream->reader);
    int is_set =
        !(tail & TWI_STREAM_FLAGS) &&
        TWI_CAS(&stream->tail, &tail, tail | TWI_STREAM_CRAMPED, TWI_SEQ_CST, TWI_RELAXED); // [N3]
    int goes_on = !is_set || (twi_worker_here()->pool->count > 1 && finds_room(stream));
    TWI_STORE(&process->is_looking, 0u, TWI_RELEASE); // [N5]
    if (goes_on)
        twi_ready(fiber);
}

static __attribute__((noinline)) void be_cramped(struct tw_stream *stream)
{
    struct twi_worker *w = twi_worker_here();
    struct tw_process *process = stream->writer;
    stream->writer_waits = w->active;
    TWI_STORE(&process->is_looking, 1u, TWI_RELAXED); // relaxed: read by itself
    wait_as(w, stream, (uintptr_t)stream | TWI_FOR_ROOM, publish_cramped);
    unsigned turns = 0;
    while (TWI_LOAD(&process->is_looking, TWI_ACQUIRE)) // [N5]
        twi_wait_turn(&turns);
}

int tw_stream_await_room(struct tw_stream *stream)
{
    for (;;) {
        uint64_t tail = TWI_LOAD(&stream->tail, TWI_ACQUIRE); // [N1] who broke it is seen
        if (TWI_UNLIKELY(tail & TWI_STREAM_OVER))
            return tw_stream_put_in_vain(stream);
        if (twi_stream_has_room(stream, twi_stream_place(tail)))
            return 0;
        be_cramped(stream);
    }
}

// The reader is gone, or all is. What the reader would have got vanishes, as long as anyone reads
// anything else. The writer never waits here, and might keep those from running who read the rest:
// it gives way.
int tw_stream_put_in_vain(struct tw_stream *stream)
{
    uint64_t tail = TWI_LOAD(&stream->tail, TWI_ACQUIRE); // [N1]
    if (tail & TWI_STREAM_ENDED)
        tw_misuse("a put into a stream that its writer has ended", stream->name);
    if (tail & TWI_STREAM_BROKEN)
        return TW_ECANCELED;
    struct tw_process *process = stream->writer;
    if (!TWI_LOAD(&process->outputs, TWI_RELAXED)) // relaxed: see abandon
        return TW_EPIPE;
    if (++process->in_vain % GIVE_WAY == 0)
        tw_yield();
    return 0;
}

// ---- waking ----

void tw_stream_wake_reader(struct tw_stream *stream)
{
    if (lower(stream, TWI_STREAM_STARVED))
        twi_ready_in_turn(stream->reader_waits, stream->reader_home, (enum twi_wake)stream->wake);
}

void tw_stream_wake_writer(struct tw_stream *stream)
{
    if (lower(stream, TWI_STREAM_CRAMPED))
        twi_ready_in_turn(stream->writer_waits, twi_fiber_of(stream->writer_waits)->home,
                          (enum twi_wake)stream->wake);
}

// Counts an item for which the reader waited when the tail was this; mostly it still does.
void tw_stream_put_starved(struct tw_stream *stream, uint64_t tail)
{
    uint64_t item = TWI_STREAM_ITEM;
    if (TWI_CAS(&stream->tail, &tail, tail + item - TWI_STREAM_STARVED, TWI_ACQ_REL,
                TWI_RELAXED)) // [N1]
        twi_ready_in_turn(stream->reader_waits, stream->reader_home, (enum twi_wake)stream->wake);
    else if (TWI_FETCH_ADD(&stream->tail, item, TWI_ACQ_REL) & TWI_STREAM_STARVED) // [N1]
        tw_stream_wake_reader(stream);
}

// ---- ends ----

static uint64_t raise(struct tw_stream *stream, uint64_t flag)
{
    return TWI_FETCH_OR(&stream->tail, flag, TWI_ACQ_REL); // [N1]
}

// A process that was released because the network broke may end before the last stream is broken:
// its peers must not take that for an end that it meant.
static uint64_t unless_broken(const struct tw_stream *stream, uint64_t flag)
{
    uint32_t broken = TWI_LOAD(&stream->writer->network->broken, TWI_RELAXED); // published by [N1]
    return broken ? TWI_STREAM_BROKEN : flag;
}

void tw_stream_end(struct tw_stream *stream)
{
    raise(stream, unless_broken(stream, TWI_STREAM_ENDED));
    tw_stream_wake_reader(stream);
}

void tw_stream_abandon(struct tw_stream *stream)
{
    uint64_t flag = unless_broken(stream, TWI_STREAM_ABANDONED);
    if (~raise(stream, flag) & flag & TWI_STREAM_ABANDONED)
        TWI_FETCH_SUB(&stream->writer->outputs, 1u, TWI_RELAXED); // relaxed: see put_in_vain
    tw_stream_wake_writer(stream);
}

void twi_stream_break(struct tw_stream *stream)
{
    raise(stream, TWI_STREAM_BROKEN);
    tw_stream_wake_reader(stream);
    tw_stream_wake_writer(stream);
}

// ---- room ----

// How many slots a ring has that holds `capacity` items: a power of two, and no fewer than stand in
// the stream itself. 0: too many.
static uint64_t slots_for(const struct tw_stream *stream, uint64_t capacity)
{
    uint64_t slots = 1;
    while (slots < capacity || 2 * slots * stream->size <= sizeof stream->inner)
        if ((slots *= 2) > UINT32_MAX / 2 || slots > SIZE_MAX / 2 / stream->size)
            return 0;
    return slots;
}

static void copy_items(struct tw_stream *stream, unsigned char *to, uint32_t mask)
{
    uint32_t head = TWI_LOAD(&stream->head, TWI_ACQUIRE);                  // [N2]
    uint32_t end = twi_stream_place(TWI_LOAD(&stream->tail, TWI_ACQUIRE)); // [N1]
    size_t size = stream->size;
    for (; head != end; head++)
        memcpy(to + (head & mask) * size, stream->items + (head & stream->mask) * size, size);
}

int twi_stream_grow(struct tw_stream *stream, size_t capacity)
{
    uint64_t slots = slots_for(stream, capacity);
    if (!slots)
        return TW_ENOMEM;
    if (!stream->items || slots > (uint64_t)stream->mask + 1) {
        int fits = slots * stream->size <= sizeof stream->inner;
        unsigned char *items = fits ? stream->inner : malloc(slots * stream->size);
        if (!items)
            return TW_ENOMEM;
        copy_items(stream, items, (uint32_t)slots - 1);
        twi_stream_free_items(stream);
        stream->items = items;
        stream->mask = (uint32_t)slots - 1;
    }
    TWI_STORE(&stream->capacity, (uint32_t)capacity,
              TWI_RELAXED); // statistic to all but the writer
    return 0;
}

void twi_stream_free_items(struct tw_stream *stream)
{
    if (stream->items != stream->inner)
        free(stream->items);
}

// SPDX-License-Identifier: Apache-2.0
// Circles of processes that wait for each other: found, mended or reported.
//
// Who waits for whom is a graph with at most one edge from each process. A process waits as long as
// its flag stands in the tail of its stream; `wanted` only tells where to look. Flags that were
// seen one after the other need not have stood at once, so a circle is looked at twice:
//
//   If all tails of a circle are in the second pass what they were in the first, and the streams
//   that are waited at for room are full then, nobody in it will ever be released, unless the
//   network breaks or a stream of the circle grows. For only p, for whom i waits, takes the flag of
//   i off (or the publisher of i, if there is room). If p did so before its own wait began, that
//   happened before p's flag, which the first pass read with acquire [N1]; so the second pass would
//   not find the flag of i, which cannot stand there again with the same count of items. So p does
//   it after its own wait, and its release comes before that of i; and so on around the circle,
//   back to i: nobody can be the first.
//
// A circle in which nobody waits for room would stand in streams without limits too: it is real.
// Otherwise Kahn's network would go on, and a full stream grows: Parks (1995) waits until the whole
// network stands still and lets the smallest grow; Geilen and Basten (2003) have shown that this
// starves what hangs on a part that stands still while another part runs, and take each circle.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "channel/network.h"

enum {
    HOPS = 16,  // that a process which begins to wait looks ahead
    LINES = 20, // of a report
    LINE_SIZE = 320,
};

// ---- suspicion ----

// The list is emptied by who looks.
static void suspect(struct tw_process *process)
{
    struct tw_network *network = process->network;
    if (TWI_LOAD(&process->is_suspect, TWI_ACQUIRE)) // [N7]
        return;
    TWI_STORE(&process->is_suspect, 1u, TWI_RELAXED);                     // published by [N7]
    struct tw_process *first = TWI_LOAD(&network->suspects, TWI_RELAXED); // rechecked by [N7]
    do
        process->next_suspect = first;
    while (!TWI_CAS(&network->suspects, &first, process, TWI_RELEASE, TWI_RELAXED)); // [N7]
    if (!first)
        tw_semaphore_release(&network->over, 1);
}

void twi_circle_chase(struct tw_process *process, struct tw_process *peer)
{
    for (int hop = 0; hop < HOPS && peer != process; hop++) {
        uintptr_t waits = twi_process_waits(peer);
        if (!waits ||
            !twi_waits_marked(waits, TWI_LOAD(&twi_waits_stream(waits)->tail, TWI_RELAXED))) // hint
            return;
        peer = twi_waits_peer(waits);
    }
    if (peer == process)
        suspect(process);
}

// ---- looking ----

static int is_full(struct tw_stream *stream)
{
    return twi_stream_fill(stream) == stream->capacity;
}

// First pass: notes what the process waits for, if it does. A writer that was overlooked goes on.
static int collect(struct tw_process *process)
{
    process->seen = twi_process_waits(process);
    if (!process->seen)
        return 0;
    struct tw_stream *stream = twi_waits_stream(process->seen);
    process->seen_tail = TWI_LOAD(&stream->tail, TWI_ACQUIRE); // [N1] [N3]
    if (!twi_waits_marked(process->seen, process->seen_tail))
        return 0;
    if (!(process->seen & TWI_FOR_ROOM) || is_full(stream))
        return 1;
    tw_stream_wake_writer(stream);
    return 0;
}

// Second pass.
static int is_as_seen(struct tw_process *process)
{
    struct tw_stream *stream = twi_waits_stream(process->seen);
    return TWI_LOAD(&stream->tail, TWI_ACQUIRE) == process->seen_tail && // [N1]
           (!(process->seen & TWI_FOR_ROOM) || is_full(stream));
}

static struct tw_process *next_in_circle(const struct tw_process *process)
{
    return twi_waits_peer(process->seen);
}

static int circle_is_as_seen(struct tw_process *first)
{
    struct tw_process *process = first;
    do {
        if (!is_as_seen(process))
            return 0;
        process = next_in_circle(process);
    } while (process != first);
    return 1;
}

// Goes from who waits to whom it waits for. Returns a process of a circle, if that leads to one and
// no other walk since visit `since` did.
static struct tw_process *walk(struct tw_process *process, uint64_t since)
{
    uint64_t visit = ++process->network->visits;
    while (process->visit <= since) {
        process->visit = visit;
        if (!collect(process))
            return NULL;
        process = next_in_circle(process);
    }
    return process->visit == visit ? process : NULL;
}

// ---- reporting ----

struct report {
    char *text;
    size_t used, size;
};

__attribute__((format(printf, 2, 3))) static void say(struct report *report, const char *format,
                                                      ...)
{
    if (!report->text)
        return;
    va_list arguments;
    va_start(arguments, format);
    int length =
        vsnprintf(report->text + report->used, report->size - report->used, format, arguments);
    va_end(arguments);
    if (length > 0)
        report->used += (size_t)length;
}

static const char *name_of(const char *name)
{
    return name ? name : "";
}

static void say_process(struct report *report, const struct tw_process *process)
{
    struct tw_stream *stream = twi_waits_stream(process->seen);
    int for_room = process->seen & TWI_FOR_ROOM;
    say(report, "process '%.60s' waits for %s stream '%.60s' (%u of %u) %s process '%.60s'\n",
        name_of(process->name), for_room ? "room in" : "an item of", name_of(stream->name),
        (unsigned)twi_stream_fill(stream), (unsigned)stream->capacity, for_room ? "to" : "from",
        name_of(next_in_circle(process)->name));
}

// A report begins with the process that was created first. *size: how many the circle has.
static struct tw_process *first_of(struct tw_process *circle, size_t *size)
{
    struct tw_process *first = circle, *process = circle;
    *size = 0;
    do {
        *size += 1;
        if (process->index < first->index)
            first = process;
        process = next_in_circle(process);
    } while (process != circle);
    return first;
}

static void fail(struct tw_network *network, struct tw_process *circle, const char *why)
{
    struct report report = {malloc((LINES + 2) * LINE_SIZE), 0, (LINES + 2) * LINE_SIZE};
    size_t size;
    struct tw_process *process = first_of(circle, &size);
    if (size == 1)
        say(&report, "network '%.60s': a process waits for itself, %s\n", name_of(network->name),
            why);
    else
        say(&report, "network '%.60s': %zu processes wait for each other, %s\n",
            name_of(network->name), size, why);
    for (size_t i = 0; i < size && i < LINES; i++, process = next_in_circle(process))
        say_process(&report, process);
    if (size > LINES)
        say(&report, "and so on: %zu more\n", size - LINES);
    twi_network_fail(network, TW_EDEADLK, report.text);
}

// ---- mending ----

// Under the lock: who breaks the network releases the reader, which must not find the stream half
// grown. The writer goes on afterwards; the reader is released by others, and after the writer.
static int grow_unless_broken(struct tw_network *network, struct tw_stream *stream)
{
    size_t most = network->options.capacity_max;
    size_t capacity = stream->capacity > most / 2 ? most : 2 * stream->capacity;
    twi_lock_take(&network->lock);
    int error = network->error ? 0 : twi_stream_grow(stream, capacity);
    twi_lock_drop(&network->lock);
    return error;
}

static void grow(struct tw_network *network, struct tw_stream *stream, struct tw_process *circle)
{
    char why[80];
    if (stream->capacity >= network->options.capacity_max) {
        snprintf(why, sizeof why, "and no stream may grow beyond %zu items",
                 network->options.capacity_max);
        fail(network, circle, why);
        return;
    }
    if (grow_unless_broken(network, stream) != 0) {
        twi_network_fail(network, TW_ENOMEM, NULL);
        return;
    }
    TWI_STORE(&network->stats.growths, network->stats.growths + 1, TWI_RELAXED); // statistic
    tw_stream_wake_writer(stream);
}

// The smaller of `smallest`, or NULL, and what the process waits for if it waits for room.
static struct tw_stream *smaller(struct tw_stream *smallest, const struct tw_process *process)
{
    struct tw_stream *stream = twi_waits_stream(process->seen);
    int is_full = process->seen & TWI_FOR_ROOM;
    return is_full && (!smallest || stream->capacity < smallest->capacity) ? stream : smallest;
}

static struct tw_stream *smallest_of_circle(struct tw_process *first)
{
    struct tw_stream *smallest = NULL;
    struct tw_process *process = first;
    do {
        smallest = smaller(smallest, process);
        process = next_in_circle(process);
    } while (process != first);
    return smallest;
}

// NULL: some process neither waits nor has ended.
static struct tw_stream *smallest_of_all(struct tw_network *network)
{
    struct tw_stream *smallest = NULL;
    struct tw_process *process;
    for (process = network->processes; process; process = process->next)
        if (!collect(process)) {
            process->seen = 0;
            if (!TWI_LOAD(&process->has_ended, TWI_ACQUIRE)) // [N4]
                return NULL;
        }
    for (process = network->processes; process; process = process->next)
        if (process->seen) {
            if (!is_as_seen(process))
                return NULL;
            smallest = smaller(smallest, process);
        }
    return smallest;
}

static void mend(struct tw_network *network, struct tw_process *circle)
{
    struct tw_stream *full = smallest_of_circle(circle);
    if (full && network->options.growth == TW_GROW_NETWORK) {
        full = smallest_of_all(network);
        if (!full)
            return; // not yet
    }
    TWI_STORE(&network->stats.circles, network->stats.circles + 1, TWI_RELAXED); // statistic
    if (!full)
        fail(network, circle, "and not for room");
    else if (network->options.growth == TW_GROW_NEVER)
        fail(network, circle, "and no stream may grow");
    else
        grow(network, full, circle);
}

static int look_from(struct tw_process *process, uint64_t since)
{
    struct tw_process *circle = walk(process, since);
    if (!circle || !circle_is_as_seen(circle))
        return 0;
    mend(process->network, circle);
    return 1;
}

int twi_circles_resolve(struct tw_network *network, int all)
{
    struct tw_process *process, *next;
    uint64_t since = network->visits;
    int found = 0;
    if (all)
        twi_membarrier(); // [N3] what was got before is seen here, or the flag by who got it
    process = TWI_EXCHANGE(&network->suspects, (struct tw_process *)NULL, TWI_ACQUIRE); // [N7]
    for (; process; process = next) {
        next = process->next_suspect;
        TWI_STORE(&process->is_suspect, 0u, TWI_RELEASE); // [N7]
        found |= look_from(process, since);
    }
    for (process = all ? network->processes : NULL; process; process = process->next)
        found |= look_from(process, since);
    return found;
}

// SPDX-License-Identifier: Apache-2.0
// Networks: building them, running them, ending them.
//
// A process runs on a fiber of its own, by way of a bag: in a deque it could be run as a call on
// the stack of another, which it might then keep from going on. The task that called tw_network_run
// waits for the last process to end; now and then, and when a process that began to wait seems to
// close a circle, it looks whether processes are stuck.
#include <stdlib.h>
#include <string.h>

#include "channel/network.h"
#include "core/scope.h"
#include "task/task.h"

enum {
    CAPACITY_MAX = 1 << 20,
    LOOK_FIRST_NS = 1000000, // until it looks for circles
    LOOK_LAST_NS = 50000000,
    LOOK_SHARE = 200, // of the time goes into looking, at most
};

// ---- building ----

struct tw_network *tw_network_create(const char *name, const struct tw_network_options *options)
{
    struct tw_network *network = calloc(1, sizeof *network);
    if (!network)
        return NULL;
    network->name = name;
    if (options)
        network->options = *options;
    if (!network->options.capacity_max)
        network->options.capacity_max = CAPACITY_MAX;
    tw_semaphore_init(&network->over, "end of a network", 0);
    return network;
}

// For something of the network: zeroed, on lines of its own.
static void *make(struct tw_network *network, size_t size)
{
    void *made = network ? aligned_alloc(64, (size + 63) & ~(size_t)63) : NULL;
    if (made)
        memset(made, 0, size);
    else if (network)
        network->error = TW_ENOMEM;
    return made;
}

struct tw_process *tw_process_create(struct tw_network *network, const char *name)
{
    struct tw_process *process = make(network, sizeof *process);
    if (!process)
        return NULL;
    process->network = network;
    process->name = name;
    process->next = network->processes;
    network->processes = process;
    process->index = network->count++;
    return process;
}

static void connect(struct tw_stream *stream, struct tw_process *writer, struct tw_process *reader)
{
    stream->writer = writer;
    stream->reader = reader;
    stream->next_out = writer->first_out;
    writer->first_out = stream;
    writer->outputs++;
    stream->next_in = reader->first_in;
    reader->first_in = stream;
}

struct tw_stream *tw_stream_create(struct tw_network *network, const char *name,
                                   struct tw_process *writer, struct tw_process *reader,
                                   size_t item_size, size_t capacity)
{
    if (item_size == 0 || item_size > INT32_MAX || capacity == 0)
        tw_misuse("a stream needs items of 1 to 2^31 - 1 bytes, and room for one", name);
    struct tw_stream *stream = writer && reader ? make(network, sizeof *stream) : NULL;
    if (!stream)
        return NULL;
    if (writer->network != network || reader->network != network)
        tw_misuse("a stream between processes of another network", name);
    stream->name = name;
    stream->size = (uint32_t)item_size;
    stream->wake = (uint16_t)network->options.wake;
    stream->next = network->streams;
    network->streams = stream;
    connect(stream, writer, reader);
    if (twi_stream_grow(stream, capacity) != 0)
        network->error = TW_ENOMEM;
    stream->room = stream->capacity;
    return stream;
}

static void forget_body(struct tw_process *process)
{
    if (process->type) {
        struct tw_slot slot = {.type = process->type};
        memcpy(slot.payload, process->args, sizeof slot.payload);
        twi_slot_drop(&slot);
    }
    process->type = NULL;
}

void tw_process_set(struct tw_process *process, const struct tw_task_type *type, const void *args)
{
    if (!process)
        return;
    forget_body(process);
    process->type = type;
    twi_pack(process->args, args, type->args_size, type->args_align);
}

void tw_network_destroy(struct tw_network *network)
{
    struct tw_stream *stream, *next_stream;
    struct tw_process *process, *next_process;
    if (!network)
        return;
    if (TWI_LOAD(&network->running, TWI_RELAXED)) // hint
        tw_misuse("a network was destroyed while it runs", network->name);
    for (stream = network->streams; stream; stream = next_stream) {
        next_stream = stream->next;
        twi_stream_free_items(stream);
        free(stream);
    }
    for (process = network->processes; process; process = next_process) {
        next_process = process->next;
        forget_body(process);
        free(process);
    }
    tw_semaphore_destroy(&network->over);
    free(network->trouble);
    free(network);
}

// ---- failing ----

static void break_streams(struct tw_network *network)
{
    for (struct tw_stream *stream = network->streams; stream; stream = stream->next)
        twi_stream_break(stream);
}

void twi_network_fail(struct tw_network *network, int error, char *trouble)
{
    twi_lock_take(&network->lock);
    int is_first = !network->error;
    if (is_first) {
        network->error = error;
        network->trouble = trouble;
        TWI_STORE(&network->broken, 1u, TWI_RELAXED); // published by [N1]
    }
    twi_lock_drop(&network->lock);
    if (is_first)
        break_streams(network);
    else
        free(trouble);
}

void tw_process_fail(struct tw_stream *stream, int error)
{
    twi_network_fail(stream->writer->network, error, NULL);
}

const char *tw_network_trouble(const struct tw_network *network)
{
    return network->trouble ? network->trouble : "";
}

void tw_network_count(const struct tw_network *network, struct tw_network_stats *stats)
{
    stats->growths = TWI_LOAD(&network->stats.growths, TWI_RELAXED); // statistic
    stats->circles = TWI_LOAD(&network->stats.circles, TWI_RELAXED); // statistic
    stats->capacity_sum = 0;
    for (const struct tw_stream *stream = network->streams; stream; stream = stream->next)
        stats->capacity_sum += TWI_LOAD(&stream->capacity, TWI_RELAXED); // statistic
}

// ---- running ----

static void end_process(struct tw_process *process)
{
    struct tw_network *network = process->network;
    for (struct tw_stream *stream = process->first_out; stream; stream = stream->next_out)
        tw_stream_end(stream);
    for (struct tw_stream *stream = process->first_in; stream; stream = stream->next_in)
        tw_stream_abandon(stream);
    TWI_STORE(&process->fiber, (struct twi_fiber *)NULL, TWI_RELEASE); // [N4]
    TWI_STORE(&process->has_ended, 1u, TWI_RELEASE);                   // [N4]
    if (TWI_FETCH_SUB(&network->running, (size_t)1, TWI_ACQ_REL) == 1) // [N6]
        tw_semaphore_release(&network->over, 1);
}

static void run_process(struct tw_fiber *fiber, struct tw_slot *head, const void *payload,
                        void *result)
{
    struct tw_process *process;
    (void)result;
    memcpy(&process, payload, sizeof process);
    const struct tw_task_type *type = process->type;
    TWI_STORE(&process->fiber, twi_fiber_of(fiber), TWI_RELEASE); // [N4]
    if (type) {
        unsigned char args[TW_SLOT_PAYLOAD] __attribute__((aligned(TWI_PAYLOAD_ALIGN)));
        memcpy(args, process->args, sizeof args);
        process->type = NULL;
        type->run(fiber, head, args, (void *)type);
    }
    end_process(process);
}

// Cancelled before it began; perhaps all are, before anybody waits for them.
static void forgo(struct twi_detached *task)
{
    struct tw_process *process;
    memcpy(&process, task->slot.payload, sizeof process);
    twi_network_fail(process->network, TW_ECANCELED, NULL);
    end_process(process);
}

static const struct tw_task_type process_type = {
    "process", __FILE__,   __LINE__, _Alignof(struct tw_process *), 0, sizeof(struct tw_process *),
    0,         run_process};

static void start(struct tw_process *process)
{
    struct tw_fiber *f = twi_fiber_here(NULL);
    struct twi_detached *task = twi_detach_here(f, &process_type);
    task->forgo = forgo;
    memcpy(task->slot.payload, &process, sizeof process);
    twi_put_in_bag(f, task, TWI_NORMAL);
}

// Until all processes are looked at again. `last_ns`: the pause before, 0 when something was found.
static uint64_t next_pause(uint64_t last_ns, uint64_t took_ns)
{
    uint64_t pause_ns = last_ns ? 2 * last_ns : LOOK_FIRST_NS;
    if (pause_ns > LOOK_LAST_NS)
        pause_ns = LOOK_LAST_NS;
    return pause_ns < took_ns * LOOK_SHARE ? took_ns * LOOK_SHARE : pause_ns;
}

// Until the last process has ended.
static void guard(struct tw_network *network)
{
    uint64_t pause_ns = LOOK_FIRST_NS, took_ns = 0, due_ns = tw_now_ns() + pause_ns;
    while (TWI_LOAD(&network->running, TWI_ACQUIRE)) { // [N6]
        int why = tw_semaphore_acquire_until(&network->over, due_ns);
        if (why != 0 && why != TW_ETIMEDOUT) {
            twi_network_fail(network, why, NULL);
            return;
        }
        uint64_t begun_ns = tw_now_ns();
        int all = begun_ns >= due_ns;
        int found = TWI_LOAD(&network->running, TWI_RELAXED) && // hint
                    twi_circles_resolve(network, all);
        if (!all && !found)
            continue;
        uint64_t ended_ns = tw_now_ns();
        if (all)
            took_ns = ended_ns - begun_ns;
        pause_ns = next_pause(found ? 0 : pause_ns, took_ns);
        due_ns = ended_ns + pause_ns;
    }
}

int tw_network_run(struct tw_network *network)
{
    if (!network)
        return TW_ENOMEM;
    if (network->has_run)
        tw_misuse("a network runs once", network->name);
    network->has_run = 1;
    if (network->error || !network->count)
        return network->error;
    TWI_STORE(&network->running, network->count, TWI_RELAXED); // relaxed: before any is started
    struct tw_scope scope;
    tw_scope_begin(&scope);
    for (struct tw_stream *stream = network->streams; stream; stream = stream->next)
        stream->follows = stream->reader->first_out;
    for (struct tw_process *process = network->processes; process; process = process->next)
        start(process);
    guard(network);
    tw_scope_end(&scope);
    return network->error;
}

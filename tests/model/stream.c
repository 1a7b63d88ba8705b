// SPDX-License-Identifier: Apache-2.0
// Streams (include/twill/network.h and the real src/channel/stream.c) between two processes, each a
// thread here: items come once and in order, an end comes after them, nobody waits for ever. A
// process that waits spins until it is readied. Another breaks the network.
#include <sched.h>
#define sched_yield() TWI_PAUSE()

#include "fibers.h"

#include "channel/stream.c"

#include "internal.h" // mc.running: which thread calls

enum { WRITER, READER, PROCESSES };

static struct tw_network network;
static struct tw_process processes[PROCESSES];
static struct tw_stream stream;
static struct twi_pool pool;
static struct twi_worker workers[FIBERS];
static uint32_t readied[FIBERS];
static uint32_t behind[3]; // plain memory that an item stands for
static struct {
    int got, writer_error, reader_error;
} seen;

// ---- what the real code calls ----

struct twi_worker *twi_worker_here(void)
{
    return &workers[mc.running];
}

static void ready(struct tw_fiber *fiber)
{
    int i = 0;
    while (i < FIBERS && &fibers[i].fiber.deque != fiber)
        i++;
    model_assert(i < FIBERS, "nobody waited");
    model_assert(!TWI_LOAD(&readied[i], TWI_RELAXED), "process %d was readied twice", i);
    TWI_STORE(&readied[i], 1u, TWI_RELEASE);
}

void twi_ready(struct tw_fiber *fiber)
{
    ready(fiber);
}

void twi_ready_in_turn(struct tw_fiber *fiber, unsigned home, enum twi_wake wake)
{
    (void)home, (void)wake;
    ready(fiber);
}

struct twi_fiber *twi_next(struct twi_worker *worker)
{
    (void)worker;
    return NULL;
}

// Not a fiber of its own publishes the wait, but the thread itself: it may be readied meanwhile.
void twi_leave_for(struct twi_worker *worker, struct twi_fiber *self, struct twi_fiber *next)
{
    uint32_t *mine = &readied[mc.running];
    (void)self, (void)next;
    worker->after.run(worker->after.argument);
    while (!TWI_LOAD(mine, TWI_ACQUIRE))
        TWI_PAUSE();
    TWI_STORE(mine, 0u, TWI_RELAXED);
}

void tw_misuse(const char *what, const char *task)
{
    model_assert_failed("tw_misuse", __FILE__, __LINE__, "%s %s", what, task);
}

void tw_yield(void)
{
}

void twi_circle_chase(struct tw_process *process, struct tw_process *peer)
{
    (void)process, (void)peer;
}

// ---- programs ----

static void setup(void)
{
    fibers_reset();
    memset(&network, 0, sizeof network);
    memset(processes, 0, sizeof processes);
    memset(&stream, 0, sizeof stream);
    memset(&pool, 0, sizeof pool);
    memset(workers, 0, sizeof workers);
    memset(readied, 0, sizeof readied);
    memset(behind, 0, sizeof behind);
    pool.count = PROCESSES;
    for (int i = 0; i < FIBERS; i++) {
        workers[i].pool = &pool;
        workers[i].active = &fibers[i].fiber.deque;
        model_name(&readied[i], "readied[%d]", i);
    }
    for (int i = 0; i < PROCESSES; i++)
        processes[i].network = &network;
    processes[WRITER].outputs = 1;
    stream.writer = &processes[WRITER];
    stream.reader = &processes[READER];
    stream.size = sizeof(uint64_t);
    model_assert(twi_stream_grow(&stream, 1) == 0, "no room");
    stream.room = 1;
    model_name(&stream.tail, "tail");
    model_name(&stream.head, "head");
}

static void put_all(int count)
{
    for (uint64_t i = 0; i < (uint64_t)count && !seen.writer_error; i++) {
        TWI_WRITE(behind[i], 7u);
        seen.writer_error = tw_put(&stream, &i);
    }
    tw_stream_end(&stream);
}

static void get_some(int most)
{
    uint64_t item;
    while (seen.got < most && (seen.reader_error = tw_get(&stream, &item)) == 0) {
        model_assert(item == (uint64_t)seen.got, "item %lu came as number %d", (unsigned long)item,
                     seen.got);
        model_assert(TWI_READ(behind[item]) == 7, "what was written before is not there");
        seen.got++;
    }
    tw_stream_abandon(&stream);
}

// Capacity 1, so that both sides wait.
static void put_and_get(int id)
{
    if (id == WRITER)
        put_all(2);
    else
        get_some(3);
}

static void check_all(void)
{
    model_assert(seen.got == 2 && seen.reader_error == TW_EPIPE && seen.writer_error == 0,
                 "%d got, %d, %d", seen.got, seen.reader_error, seen.writer_error);
}

// The reader leaves; the writer, whom nobody reads then, hears of it or has put all.
static void leave_early(int id)
{
    if (id == WRITER)
        put_all(3);
    else
        get_some(1);
}

static void check_left(void)
{
    model_assert(seen.got == 1 && seen.reader_error == 0 &&
                     (seen.writer_error == 0 || seen.writer_error == TW_EPIPE),
                 "%d got, %d, %d", seen.got, seen.reader_error, seen.writer_error);
}

static void break_it(void)
{
    TWI_STORE(&network.broken, 1u, TWI_RELAXED); // as twi_network_fail
    twi_stream_break(&stream);
}

// While the writer waits for room; while the reader waits for an item.
static void break_writer(int id)
{
    if (id == WRITER)
        put_all(2);
    else
        break_it();
}

static void break_reader(int id)
{
    if (id == READER)
        get_some(1);
    else
        break_it();
}

static void check_broken(void)
{
    model_assert(seen.got == 0 && (seen.reader_error == 0 || seen.reader_error == TW_ECANCELED) &&
                     (seen.writer_error == 0 || seen.writer_error == TW_ECANCELED),
                 "%d got, %d, %d", seen.got, seen.reader_error, seen.writer_error);
}

#define PROGRAM(test, count, after)                                                                \
    {                                                                                              \
        .name = #test, .threads = count, .setup = setup, .thread = test, .check = after,           \
        .ghost = &seen, .ghost_size = sizeof seen,                                                 \
    }

static const struct model_program programs[] = {
    PROGRAM(put_and_get, 2, check_all),
    PROGRAM(leave_early, 2, check_left),
    PROGRAM(break_writer, 2, check_broken),
    PROGRAM(break_reader, 2, check_broken),
};

int main(int argc, char **argv)
{
    return model_main(programs, sizeof programs / sizeof *programs, argc, argv);
}

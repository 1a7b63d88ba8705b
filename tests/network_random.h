// SPDX-License-Identifier: Apache-2.0
// Random networks against a reference: each process is a machine whose next step depends on its
// seed and on what it got. The reference runs the machines one after the other over queues without
// limits; the runtime must give the same streams, and TW_EDEADLK exactly when the reference stands
// still with machines left.
//
// What is compared is what readers got. A process that was told TW_EPIPE by a put ends there, for
// nobody reads it; of what it reads, and of all streams after TW_EDEADLK, a beginning is enough.
#ifndef TEST_NETWORK_RANDOM_H
#define TEST_NETWORK_RANDOM_H

#include "support.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"

enum { MACHINES_MOST = 12, STREAMS_MOST = 20, STEPS_MOST = 200 };

struct plan { // of a network; the rest is made from it
    uint64_t seed;
    int machines, streams, steps;
    int from[STREAMS_MOST], to[STREAMS_MOST], capacity[STREAMS_MOST];
};

enum deed { STOP, PUT, GET, END, ABANDON, GIVE_WAY };

struct machine {
    struct twi_rng rng;
    int left;         // steps
    unsigned in, out; // streams that are open to it, as bits
    unsigned back;    // of those in, who lead back: seldom read, or all would stand still
};

struct history {
    int count;
    uint64_t items[STEPS_MOST];
};

struct outcome {
    struct history got[STREAMS_MOST];
    int cut_short[MACHINES_MOST];
    int error;
    uint64_t growths;
};

// ---- plans and machines ----

static inline void plan_make(struct plan *plan, uint64_t seed)
{
    struct twi_rng rng = {.counter = seed * 0x51ed270b};
    uint32_t feedback = twi_rng_below(&rng, 4); // so many eighths of the streams lead back
    plan->seed = seed;
    plan->machines = 1 + (int)twi_rng_below(&rng, MACHINES_MOST);
    plan->streams = 1 + (int)twi_rng_below(&rng, STREAMS_MOST);
    plan->steps = 1 + (int)twi_rng_below(&rng, STEPS_MOST);
    for (int s = 0; s < plan->streams; s++) {
        int a = (int)twi_rng_below(&rng, (uint32_t)plan->machines);
        int b = (int)twi_rng_below(&rng, (uint32_t)plan->machines);
        int back = twi_rng_below(&rng, 8) < feedback; // or to itself
        if (a == b && !back)
            b = (a + 1) % plan->machines;
        int low = a < b ? a : b, high = a < b ? b : a;
        plan->from[s] = back ? high : low;
        plan->to[s] = back ? low : high;
        plan->capacity[s] = 1 + (int)twi_rng_below(&rng, 4);
    }
}

static inline void machine_make(struct machine *machine, const struct plan *plan, int number)
{
    *machine = (struct machine){.rng.counter = plan->seed * 64 + (uint64_t)number};
    machine->left = plan->steps;
    for (int s = 0; s < plan->streams; s++) {
        machine->out |= (unsigned)(plan->from[s] == number) << s;
        machine->in |= (unsigned)(plan->to[s] == number) << s;
        machine->back |= (unsigned)(plan->to[s] <= plan->from[s]) << s;
    }
}

static inline int pick(struct machine *machine, unsigned of)
{
    int skip = (int)twi_rng_below(&machine->rng, (uint32_t)__builtin_popcount(of));
    while (skip--)
        of &= of - 1;
    return __builtin_ctz(of);
}

// What the machine does next, with which stream.
static inline enum deed machine_next(struct machine *machine, int *stream)
{
    uint32_t chance = twi_rng_below(&machine->rng, 64);
    enum deed deed = chance < 30   ? PUT
                     : chance < 56 ? GET
                     : chance < 58 ? END
                     : chance < 59 ? ABANDON
                                   : GIVE_WAY;
    if (machine->left-- == 0)
        return STOP;
    unsigned of = deed == PUT || deed == END ? machine->out : machine->in;
    if (deed == GIVE_WAY || !of)
        return GIVE_WAY;
    *stream = pick(machine, of);
    if (deed == GET && machine->back >> *stream & 1 && twi_rng_below(&machine->rng, 4))
        return GIVE_WAY;
    if (deed == END)
        machine->out &= ~(1u << *stream);
    else if (deed == ABANDON)
        machine->in &= ~(1u << *stream);
    return deed;
}

static inline uint64_t machine_item(struct machine *machine)
{
    return twi_rng_next(&machine->rng);
}

static inline void machine_got(struct machine *machine, struct history *history, uint64_t item)
{
    history->items[history->count++] = item;
    machine->rng.counter ^= item;
}

static inline void machine_got_end(struct machine *machine, int stream)
{
    machine->in &= ~(1u << stream);
    machine->rng.counter += 12345;
}

// ---- the reference ----

struct queue {
    int put, got, ended, abandoned;
    uint64_t items[STEPS_MOST];
};

struct reference {
    const struct plan *plan;
    struct machine machines[MACHINES_MOST];
    struct queue queues[STREAMS_MOST];
    int ended[MACHINES_MOST], waits[MACHINES_MOST]; // for a stream, or -1
    struct outcome *outcome;
};

static inline void reference_end(struct reference *all, int number)
{
    all->ended[number] = 1;
    for (int s = 0; s < all->plan->streams; s++) {
        all->queues[s].ended |= all->plan->from[s] == number;
        all->queues[s].abandoned |= all->plan->to[s] == number;
    }
}

// 0: it has to wait.
static inline int reference_get(struct reference *all, int number, int stream)
{
    struct queue *queue = &all->queues[stream];
    struct machine *machine = &all->machines[number];
    int is_there = queue->got < queue->put;
    all->waits[number] = is_there || queue->ended ? -1 : stream;
    if (is_there)
        machine_got(machine, &all->outcome->got[stream], queue->items[queue->got++]);
    else if (queue->ended)
        machine_got_end(machine, stream);
    return all->waits[number] < 0;
}

// One step. 0: none is possible.
static inline int reference_step(struct reference *all, int number)
{
    struct machine *machine = &all->machines[number];
    int stream = 0;
    if (all->ended[number])
        return 0;
    if (all->waits[number] >= 0)
        return reference_get(all, number, all->waits[number]);
    switch (machine_next(machine, &stream)) {
    case STOP:
        reference_end(all, number);
        return 1;
    case PUT: {
        struct queue *queue = &all->queues[stream];
        uint64_t item = machine_item(machine);
        if (!queue->abandoned)
            queue->items[queue->put++] = item;
        return 1;
    }
    case GET:
        return reference_get(all, number, stream);
    case END:
        all->queues[stream].ended = 1;
        return 1;
    case ABANDON:
        all->queues[stream].abandoned = 1;
        return 1;
    case GIVE_WAY:
        return 1;
    }
    return 0;
}

// In an order that depends on `order`, which must not matter.
static inline void reference_run(const struct plan *plan, uint64_t order, struct outcome *outcome)
{
    struct reference all = {.plan = plan, .outcome = outcome};
    struct twi_rng rng = {.counter = order};
    memset(outcome, 0, sizeof *outcome);
    for (int i = 0; i < plan->machines; i++) {
        machine_make(&all.machines[i], plan, i);
        all.waits[i] = -1;
    }
    for (int idle = 0; idle < plan->machines;) {
        int number = (int)twi_rng_below(&rng, (uint32_t)plan->machines), steps = 0;
        while (reference_step(&all, number))
            steps++;
        for (int i = 0; !steps && i < plan->machines; i++)
            steps += reference_step(&all, i);
        idle = steps ? 0 : plan->machines;
    }
    for (int i = 0; i < plan->machines; i++)
        if (!all.ended[i])
            outcome->error = TW_EDEADLK;
}

// ---- the runtime ----

TW_TASK(run_machine, {
    const struct plan *plan;
    struct tw_stream **streams;
    struct outcome *outcome;
    int number;
})
{
    struct machine machine;
    uint64_t item = 0;
    int error = 0, stream = 0;
    machine_make(&machine, self.plan, self.number);
    while (!error) {
        switch (machine_next(&machine, &stream)) {
        case STOP:
            return;
        case PUT:
            item = machine_item(&machine);
            error = tw_put(self.streams[stream], &item);
            self.outcome->cut_short[self.number] = error == TW_EPIPE;
            break;
        case GET:
            error = tw_get(self.streams[stream], &item);
            if (!error)
                machine_got(&machine, &self.outcome->got[stream], item);
            else if (error == TW_EPIPE) {
                machine_got_end(&machine, stream);
                error = 0;
            }
            break;
        case END:
            tw_stream_end(self.streams[stream]);
            break;
        case ABANDON:
            tw_stream_abandon(self.streams[stream]);
            break;
        case GIVE_WAY:
            tw_yield();
            break;
        }
    }
}

static inline void network_run_plan(const struct plan *plan, struct outcome *outcome)
{
    struct tw_process *processes[MACHINES_MOST];
    struct tw_stream *streams[STREAMS_MOST];
    struct tw_network_options options = {.growth = plan->seed % 4 == 3 ? TW_GROW_NETWORK
                                                                       : TW_GROW_CIRCLE};
    struct tw_network *network = tw_network_create("random", &options);
    memset(outcome, 0, sizeof *outcome);
    for (int i = 0; i < plan->machines; i++)
        processes[i] = tw_process_create(network, "machine");
    for (int s = 0; s < plan->streams; s++)
        streams[s] =
            tw_stream_create(network, "stream", processes[plan->from[s]], processes[plan->to[s]],
                             sizeof(uint64_t), (size_t)plan->capacity[s]);
    for (int i = 0; i < plan->machines; i++)
        tw_process_body(processes[i], run_machine, .plan = plan, .streams = streams,
                        .outcome = outcome, .number = i);
    outcome->error = tw_network_run(network);
    struct tw_network_stats stats;
    tw_network_count(network, &stats);
    outcome->growths = stats.growths;
    tw_network_destroy(network);
}

// ---- comparing ----

// NULL: they agree.
static inline const char *outcome_differs(const struct plan *plan, const struct outcome *wanted,
                                          const struct outcome *got)
{
    if (wanted->error != got->error)
        return wanted->error ? "a deadlock was not reported" : "the network failed";
    for (int s = 0; s < plan->streams; s++) {
        const struct history *a = &wanted->got[s], *b = &got->got[s];
        int is_beginning = got->error || got->cut_short[plan->to[s]];
        if (b->count > a->count || (b->count < a->count && !is_beginning))
            return "a stream has another length";
        if (memcmp(a->items, b->items, (size_t)b->count * sizeof b->items[0]) != 0)
            return "a stream has other items";
    }
    return NULL;
}

struct sweep {
    uint64_t first, count;
    uint64_t clean, grown, stuck; // so many ended, ended after a stream grew, were deadlocks
    uint64_t bad_seed;
    const char *bad; // or NULL
    uint64_t at;     // the seed that runs
};

TW_TASK(sweep_seeds, { struct sweep *sweep; })
{
    struct sweep *sweep = self.sweep;
    for (uint64_t i = 0; i < sweep->count && !sweep->bad; i++) {
        struct plan plan;
        struct outcome wanted, got;
        __atomic_store_n(&sweep->at, sweep->first + i, __ATOMIC_RELAXED);
        plan_make(&plan, sweep->first + i);
        reference_run(&plan, 1, &wanted);
        reference_run(&plan, 2, &got);
        sweep->bad = outcome_differs(&plan, &wanted, &got);
        if (!sweep->bad) {
            network_run_plan(&plan, &got);
            sweep->bad = outcome_differs(&plan, &wanted, &got);
        }
        sweep->bad_seed = sweep->first + i;
        sweep->stuck += got.error == TW_EDEADLK;
        sweep->grown += !got.error && got.growths;
        sweep->clean += !got.error && !got.growths;
    }
}

// ---- all placements ----

static const char *const wakes[] = {"auto", "cur", "last", "lhws"};
static struct sweep running;
static char repeat[300]; // the command that does it again, but for the seed
enum { HANG_SECONDS = 60 };

static inline void say_hang(int signal)
{
    char text[400];
    (void)signal;
    uint64_t seed = __atomic_load_n(&running.at, __ATOMIC_RELAXED);
    int length =
        snprintf(text, sizeof text, "a network hangs: %s %llu\n", repeat, (unsigned long long)seed);
    if (length > 0)
        (void)!write(STDERR_FILENO, text, (size_t)length);
    abort();
}

// Seeds from `first` on, `count` of them, on the placement `wakes[wake]`.
static inline void random_networks(int wake, uint64_t first, uint64_t count)
{
    struct tw_options options;
    static const enum tw_wake values[] = {TW_WAKE_AUTO, TW_WAKE_CUR, TW_WAKE_LAST, TW_WAKE_LHWS};
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.wake = values[wake];
    snprintf(repeat, sizeof repeat, "TWILL_WORKERS=%u %s %s", options.workers,
             program_invocation_name, wakes[wake]);
    running = (struct sweep){.first = first, .count = count};
    alarm(HANG_SECONDS);
    assert_int_equal(tw_run_with(&options, sweep_seeds, .sweep = &running), 0);
    alarm(0);
    if (running.bad)
        fail_msg("%s; again: %s %llu", running.bad, repeat, (unsigned long long)running.bad_seed);
}

// `program wake seed` does one network.
static inline int random_networks_by_hand(char **arguments)
{
    uint64_t seed = strtoull(arguments[2], NULL, 10);
    for (int wake = 0; wake < 4; wake++)
        if (strcmp(wakes[wake], arguments[1]) == 0) {
            random_networks(wake, seed, 1);
            return 0;
        }
    return 1;
}

#endif

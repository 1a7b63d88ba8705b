// SPDX-License-Identifier: Apache-2.0
// A thread of the system for each task, with small stacks: what waiting costs without a runtime.
// The process keeps to as many processors as there are workers.
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../late.h"
#include "../leaves.h"
#include "../serve.h"
#include "threads.h"

enum { STACK = 64 * 1024, GROUP = 10 };

static pthread_attr_t small;

pthread_t start(void *(*body)(void *), void *argument)
{
    pthread_t thread;
    int error = pthread_create(&thread, &small, body, argument);
    if (error != 0) {
        fprintf(stderr, "serve: no thread: %d\n", error);
        exit(1);
    }
    return thread;
}

static void keep_to(unsigned processors)
{
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set) && processors-- == 0) {
            for (; cpu < CPU_SETSIZE; cpu++)
                CPU_CLR(cpu, &set);
            sched_setaffinity(0, sizeof set, &set);
        }
}

// ---- trees ----

struct span {
    const struct twb_tree *tree;
    const int *connection; // NULL: leaves wait by the clock
    long begin, end;
    uint64_t sum;
};

static void await_leaf(const struct span *span)
{
    long us = span->tree->wait_us;
    if (span->connection == NULL) {
        struct timespec wait = {us / 1000000, us % 1000000 * 1000};
        nanosleep(&wait, NULL);
        return;
    }
    uint64_t number = (uint64_t)span->begin;
    int fd = span->connection[span->begin];
    if (write(fd, &number, sizeof number) != sizeof number ||
        read(fd, &number, sizeof number) != sizeof number || number != (uint64_t)span->begin)
        exit(1);
}

static void *add_up(void *argument)
{
    struct span *span = argument;
    if (span->end - span->begin == 1) {
        await_leaf(span);
        span->sum = twb_leaf(span->begin, span->tree->rounds);
        return NULL;
    }
    struct span left = *span, right = *span;
    left.end = right.begin = span->begin + (span->end - span->begin) / 2;
    pthread_t thread = start(add_up, &left);
    add_up(&right);
    pthread_join(thread, NULL);
    span->sum = left.sum + right.sum;
    return NULL;
}

static struct twb_answer run_tree(const struct twb_tree *tree, const int *connection)
{
    struct span all = {tree, connection, 0, tree->leaves, 0};
    double begun = twb_seconds();
    add_up(&all);
    return (struct twb_answer){twb_seconds() - begun, all.sum};
}

static struct twb_answer run_timer(const struct twb_job *job)
{
    struct twb_tree tree = twb_tree_timer(job->size);
    return run_tree(&tree, NULL);
}

static struct twb_answer run_work(const struct twb_job *job)
{
    struct twb_tree tree = twb_tree_work(job->size);
    return run_tree(&tree, NULL);
}

static struct twb_answer run_tcp(const struct twb_job *job)
{
    (void)job;
    struct twb_tree tree = twb_tree_tcp();
    return run_tree(&tree, twb_late_connections(tree.leaves, false));
}

// ---- two in turn ----

static void *yield_often(void *argument)
{
    for (long left = *(long *)argument; left > 0; left--)
        sched_yield();
    return NULL;
}

static struct twb_answer run_yield(const struct twb_job *job)
{
    long each = job->size / 2;
    double begun = twb_seconds();
    pthread_t first = start(yield_often, &each), second = start(yield_often, &each);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return (struct twb_answer){twb_seconds() - begun, (uint64_t)each * 2};
}

// A future by hand: a value and a semaphore that says it is there.
struct promise {
    sem_t there;
    uint64_t value;
};

static void promise(struct promise *promise, uint64_t value)
{
    promise->value = value;
    sem_post(&promise->there);
}

static uint64_t await_promise(struct promise *promise)
{
    while (sem_wait(&promise->there) != 0)
        ;
    return promise->value;
}

struct exchange {
    long rounds;
    struct promise ping[2], pong[2]; // of this round and of the next
};

static void renew(struct exchange *exchange, long round)
{
    sem_init(&exchange->ping[round % 2].there, 0, 0);
    sem_init(&exchange->pong[round % 2].there, 0, 0);
}

static void *send_back(void *argument)
{
    struct exchange *exchange = argument;
    for (long i = 0; i < exchange->rounds; i++)
        promise(&exchange->pong[i % 2], await_promise(&exchange->ping[i % 2]) + 1);
    return NULL;
}

static struct twb_answer run_pass_value(const struct twb_job *job)
{
    struct exchange exchange = {.rounds = job->size / 2};
    uint64_t value = 0;
    double begun = twb_seconds();
    renew(&exchange, 0);
    pthread_t other = start(send_back, &exchange);
    for (long i = 0; i < exchange.rounds; i++) {
        renew(&exchange, i + 1);
        promise(&exchange.ping[i % 2], value + 1);
        value = await_promise(&exchange.pong[i % 2]);
    }
    pthread_join(other, NULL);
    return (struct twb_answer){twb_seconds() - begun, value};
}

// ---- many that wait ----

struct crowd {
    long size;
    uint64_t arrived, left;
    sem_t all_there;
    struct promise *promise;
    pthread_t *thread;
};

static struct crowd *crowd; // the one that is there

static void *wait_once(void *argument)
{
    struct promise *mine = argument;
    if (__atomic_add_fetch(&crowd->arrived, 1, __ATOMIC_ACQ_REL) == (uint64_t)crowd->size)
        sem_post(&crowd->all_there);
    __atomic_add_fetch(&crowd->left, await_promise(mine), __ATOMIC_RELAXED);
    return NULL;
}

static void gather(struct crowd *here, long size)
{
    *here = (struct crowd){.size = size,
                           .promise = calloc((size_t)size, sizeof *here->promise),
                           .thread = calloc((size_t)size, sizeof *here->thread)};
    if (here->promise == NULL || here->thread == NULL)
        abort();
    crowd = here;
    sem_init(&here->all_there, 0, 0);
    for (long i = 0; i < size; i++)
        here->thread[i] = start(wait_once, &here->promise[i]);
    while (sem_wait(&here->all_there) != 0)
        ;
}

static uint64_t release(struct crowd *here)
{
    for (long i = 0; i < here->size; i++)
        promise(&here->promise[i], 1);
    for (long i = 0; i < here->size; i++)
        pthread_join(here->thread[i], NULL);
    free(here->promise);
    free(here->thread);
    return here->left;
}

static struct twb_answer run_spawn_parking(const struct twb_job *job)
{
    struct crowd here;
    uint64_t released = 0;
    double begun = twb_seconds();
    for (long i = 0; i < job->size / GROUP; i++) {
        gather(&here, GROUP);
        released += release(&here);
    }
    return (struct twb_answer){twb_seconds() - begun, released};
}

static struct twb_answer run_parked_bytes(const struct twb_job *job)
{
    struct crowd here;
    double before = twb_resident_bytes();
    gather(&here, job->size);
    double bytes = (twb_resident_bytes() - before) / (double)job->size;
    return (struct twb_answer){bytes, release(&here)};
}

static const struct twb_case cases[] = {
    {"mapreduce_timer", run_timer},
    {"mapreduce_work", run_work},
    {"mapreduce_tcp", run_tcp},
    {"yield", run_yield},
    {"pass_value", run_pass_value},
    {"spawn_parking", run_spawn_parking},
    {"parked_bytes", run_parked_bytes},
    {"scatter", run_scatter},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK);
    if (argc == 4)
        keep_to((unsigned)strtoul(argv[2], NULL, 10));
    return twb_serve(cases, "a thread of the system for each task", argc - 1, argv + 1);
}

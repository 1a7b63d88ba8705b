// SPDX-License-Identifier: Apache-2.0
// What the machine itself needs, two bound threads and nothing between them. Size: how often.
//
// handover      a cache line goes from one core to the other: half of a round trip, median
// futex_wake    a thread that sleeps on a futex starts to run, median; measured like wake_cold
// fib_serial    the sequential elision of fork/join fib
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cases.h"
#include "probe.h"
#include "stats.h"

// Round trips timed at once: a stamp costs about as much as one of them.
#define TRIPS 200

static struct {
    uint32_t ball __attribute__((aligned(128))); // whose turn it is, counting up
    uint32_t bell __attribute__((aligned(128))); // the futex: 0 asleep, 1 woken, 2 end
    struct twb_probe *probe;
} shared;

// Binds the calling thread to the nth processor the process may use.
static void bind_to(unsigned nth)
{
    static cpu_set_t allowed; // read once: a binding is inherited
    static bool known;
    cpu_set_t one;
    if (!known)
        sched_getaffinity(0, sizeof allowed, &allowed);
    known = true;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &allowed) || nth-- > 0)
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        pthread_setaffinity_np(pthread_self(), sizeof one, &one);
        return;
    }
}

static pthread_t start_partner(void *(*body)(void *), void *argument)
{
    pthread_t partner;
    if (pthread_create(&partner, NULL, body, argument) != 0) {
        perror("serve: no thread");
        exit(1);
    }
    return partner;
}

static void await_ball(uint32_t turn)
{
    while (__atomic_load_n(&shared.ball, __ATOMIC_ACQUIRE) != turn)
        twb_relax();
}

static void *return_balls(void *trips)
{
    bind_to(1);
    for (uint32_t turn = 1, end = 2 * *(uint32_t *)trips; turn < end; turn += 2) {
        await_ball(turn);
        __atomic_store_n(&shared.ball, turn + 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

static double time_trips(uint32_t *turn)
{
    uint64_t start = twb_now();
    for (int trip = 0; trip < TRIPS; trip++) {
        __atomic_store_n(&shared.ball, *turn + 1, __ATOMIC_RELEASE);
        await_ball(*turn += 2);
    }
    return (double)(twb_now() - start) * twb_tick() / (2 * TRIPS);
}

static struct twb_answer run_handover(const struct twb_job *job)
{
    size_t batches = (size_t)job->size / TRIPS + 1;
    uint32_t trips = (uint32_t)batches * TRIPS, turn = 0;
    double *sample = malloc(batches * sizeof *sample);
    if (sample == NULL)
        abort();
    shared.ball = 0;
    bind_to(0);
    pthread_t partner = start_partner(return_balls, &trips);
    for (size_t i = 0; i < batches; i++)
        sample[i] = time_trips(&turn);
    pthread_join(partner, NULL);
    double median = twb_median(sample, batches);
    free(sample);
    return (struct twb_answer){median, 0};
}

static void futex(int operation, uint32_t value)
{
    syscall(SYS_futex, &shared.bell, operation, value, NULL, NULL, 0);
}

static void *answer_bell(void *unused)
{
    (void)unused;
    bind_to(1);
    for (;;) {
        uint32_t bell = __atomic_load_n(&shared.bell, __ATOMIC_ACQUIRE);
        if (bell == 2)
            return NULL;
        if (bell == 0) {
            futex(FUTEX_WAIT_PRIVATE, 0);
            continue;
        }
        __atomic_store_n(&shared.bell, 0, __ATOMIC_RELAXED); // relaxed: one is rung at a time
        twb_probe_start(shared.probe);
    }
}

static void ring(uint32_t how)
{
    __atomic_store_n(&shared.bell, how, __ATOMIC_RELEASE);
    futex(FUTEX_WAKE_PRIVATE, 1);
}

static void offer(struct twb_probe *probe)
{
    shared.probe = probe;
    twb_probe_arm(probe);
    ring(1);
    twb_probe_await(probe);
}

static struct twb_answer run_futex_wake(const struct twb_job *job)
{
    shared.bell = 0;
    bind_to(0);
    pthread_t partner = start_partner(answer_bell, NULL);
    double median = twb_wake_cold(offer, job->size);
    ring(2);
    pthread_join(partner, NULL);
    return (struct twb_answer){median, 0};
}

static struct twb_answer run_fib_serial(const struct twb_job *job)
{
    double start = twb_seconds();
    uint64_t value = twb_fib_serial((unsigned)job->size);
    return (struct twb_answer){twb_seconds() - start, value};
}

const struct twb_case twb_bare_cases[] = {
    {"handover", run_handover},
    {"futex_wake", run_futex_wake},
    {"fib_serial", run_fib_serial},
    {NULL, NULL},
};

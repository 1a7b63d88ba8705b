// SPDX-License-Identifier: Apache-2.0
// What the machine itself needs, two bound threads and nothing between them, measured by the same
// probes as Twill's tasks. Size: how often; the value is the median in seconds.
//
// handover      a cache line goes from one core to another that spins on it; beside steal_hot
// futex_wake    a thread that sleeps on a futex starts to run; beside wake_cold
// fib_serial    the sequential elision of fork/join fib
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

#define LAST_BALL UINT32_MAX

// One line, which is all that goes from core to core before the other side stamps its probe.
static struct {
    uint32_t ball; // counts up
    uint32_t bell; // the futex: 0 asleep, 1 woken, 2 end
    struct twb_probe *probe;
} shared __attribute__((aligned(128)));

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

static pthread_t start_partner(void *(*body)(void *))
{
    pthread_t partner;
    if (pthread_create(&partner, NULL, body, NULL) != 0) {
        perror("serve: no thread");
        exit(1);
    }
    return partner;
}

// Takes every ball thrown to it, spinning in between, until one is marked as the last.
static void *catch_balls(void *unused)
{
    (void)unused;
    bind_to(1);
    for (uint32_t caught = 0;;) {
        uint32_t ball = __atomic_load_n(&shared.ball, __ATOMIC_ACQUIRE);
        if (ball == LAST_BALL)
            return NULL;
        if (ball == caught)
            continue;
        caught = ball;
        twb_probe_start(shared.probe);
    }
}

static void throw_ball(struct twb_probe *probe)
{
    if (shared.probe != probe)
        shared.probe = probe;
    twb_probe_arm(probe);
    __atomic_store_n(&shared.ball, shared.ball + 1, __ATOMIC_RELEASE);
    twb_probe_await(probe);
}

static struct twb_answer run_handover(const struct twb_job *job)
{
    shared.ball = 0;
    bind_to(0);
    pthread_t partner = start_partner(catch_balls);
    double median = twb_steal_hot(throw_ball, job->size);
    __atomic_store_n(&shared.ball, LAST_BALL, __ATOMIC_RELEASE);
    pthread_join(partner, NULL);
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
    pthread_t partner = start_partner(answer_bell);
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

// SPDX-License-Identifier: Apache-2.0
// Calls that must block, on threads beside the workers: made when there is a call and none is idle,
// at most so many, gone when idle for a while.
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include <twill/io.h>

#include "base/thread.h"
#include "io/reactor.h"

enum { IDLE_SECONDS = 5, THREAD_STACK = 1 << 20 };

// A call, on the stack of who waits for it.
struct twi_blocked {
    struct twi_operation operation; // first
    struct twi_side *side;
    unsigned most;
    void (*call)(void *argument);
    void *argument;
    struct twi_blocked *next; // of those that have not begun
    int begun;                // under the mutex
    int error;
};

// ---- the threads ----

// Under the mutex. 0: none came for long.
static int await_call(struct twi_side *side)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += IDLE_SECONDS;
    side->idle++;
    int late = 0;
    while (!side->first && !side->stop && late != ETIMEDOUT)
        late = pthread_cond_timedwait(&side->changed, &side->mutex, &until);
    side->idle--;
    return side->first != NULL;
}

static void *side_main(void *argument)
{
    struct twi_side *side = argument;
    pthread_mutex_lock(&side->mutex);
    while (side->first || await_call(side)) {
        struct twi_blocked *blocked = side->first;
        side->first = blocked->next;
        side->queued--;
        blocked->begun = 1;
        pthread_mutex_unlock(&side->mutex);
        blocked->call(blocked->argument);
        twi_operation_end(&blocked->operation, 0);
        pthread_mutex_lock(&side->mutex);
    }
    side->threads--;
    pthread_cond_broadcast(&side->changed);
    pthread_mutex_unlock(&side->mutex);
    return NULL;
}

// Under the mutex.
static int start_thread(struct twi_side *side, const struct twi_pool *pool)
{
    pthread_t thread;
    int made = twi_thread_start(&thread, &(struct twi_thread){.main = side_main,
                                                              .argument = side,
                                                              .stack = THREAD_STACK,
                                                              .detached = 1,
                                                              .mask = pool->mask,
                                                              .mask_size = pool->mask_size});
    side->threads += (unsigned)made;
    return made;
}

// ---- calling ----

static void append(struct twi_side *side, struct twi_blocked *blocked)
{
    blocked->next = NULL;
    if (side->first)
        side->last->next = blocked;
    else
        side->first = blocked;
    side->last = blocked;
    side->queued++;
}

// Armed under the mutex: no thread has the call before.
static int enlist(struct twi_wait *wait)
{
    struct twi_blocked *blocked = (struct twi_blocked *)wait;
    struct twi_side *side = blocked->side;
    pthread_mutex_lock(&side->mutex);
    int served = side->idle > side->queued;
    if (!served && side->threads < blocked->most)
        served = start_thread(side, wait->pool);
    int waits = 0;
    if (!served && side->threads == 0)
        blocked->error = TW_EAGAIN;
    else if ((waits = twi_wait_arm(wait)) != 0)
        append(side, blocked);
    if (waits)
        pthread_cond_signal(&side->changed);
    pthread_mutex_unlock(&side->mutex);
    return waits;
}

// 1: the call had not begun, and will not.
static int take_back(struct twi_side *side, struct twi_blocked *blocked)
{
    pthread_mutex_lock(&side->mutex);
    struct twi_blocked **place = &side->first, *before = NULL;
    while (*place && *place != blocked) {
        before = *place;
        place = &before->next;
    }
    int there = *place != NULL;
    if (there) {
        *place = blocked->next;
        side->queued--;
        if (side->last == blocked)
            side->last = before;
    }
    int begun = blocked->begun;
    pthread_mutex_unlock(&side->mutex);
    return there || !begun;
}

int twi_side_call(struct twi_reactor *reactor, void (*call)(void *), void *argument,
                  uint64_t deadline_ns)
{
    struct twi_blocked blocked = {.operation = {.wait = {.what = "blocking call",
                                                         .deadline_ns = deadline_ns,
                                                         .enlist = enlist}},
                                  .side = &reactor->side,
                                  .most = reactor->pool->blocking_max,
                                  .call = call,
                                  .argument = argument};
    enum twi_waits how = twi_operation_wait(&blocked.operation);
    if (how == TWI_DONE)
        return blocked.error;
    if (take_back(&reactor->side, &blocked))
        return twi_wait_error(how);
    twi_operation_outlast(&blocked.operation);
    return 0;
}

int tw_blocking(void (*call)(void *argument), void *argument)
{
    int error = 0;
    struct twi_reactor *reactor = twi_reactor_here(&error);
    return reactor ? twi_side_call(reactor, call, argument, TW_NEVER) : error;
}

// ---- the pool's ----

void twi_side_init(struct twi_side *side)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&side->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&side->mutex, NULL);
}

void twi_side_end(struct twi_side *side)
{
    pthread_mutex_lock(&side->mutex);
    side->stop = 1;
    pthread_cond_broadcast(&side->changed);
    while (side->threads)
        pthread_cond_wait(&side->changed, &side->mutex);
    pthread_mutex_unlock(&side->mutex);
    pthread_cond_destroy(&side->changed);
    pthread_mutex_destroy(&side->mutex);
}

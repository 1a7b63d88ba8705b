// SPDX-License-Identifier: Apache-2.0
// The reactor of a pool, and operations that outlast a wait.
//
// [IO1] poller: the release of who made the reactor; the acquire of who looks for it.
// [IO3] ring: likewise.
#define _GNU_SOURCE
#include "io/reactor.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

// ---- what the scheduler calls ----

static void collect(struct twi_pool *pool)
{
    struct twi_reactor *reactor = pool->watch.polled;
    if (!twi_lock_try(&reactor->collecting))
        return;                                                     // someone is at it
    struct twi_uring *ring = TWI_LOAD(&reactor->ring, TWI_ACQUIRE); // [IO3]
    if (ring)
        twi_uring_collect(ring);
    twi_descriptors_collect(reactor);
    twi_lock_drop(&reactor->collecting);
}

// The ring's descriptor is one of those that epoll watches.
static void wait(struct twi_pool *pool, int bell, int64_t timeout_ns)
{
    struct twi_reactor *reactor = pool->watch.polled;
    struct pollfd both[] = {{reactor->epoll, POLLIN, 0}, {bell, POLLIN, 0}};
    struct timespec limit = {timeout_ns / 1000000000, timeout_ns % 1000000000};
    ppoll(both, 2, timeout_ns >= 0 ? &limit : NULL, NULL);
}

static void end(struct twi_pool *pool)
{
    struct twi_reactor *reactor = pool->watch.polled;
    twi_side_end(&reactor->side);
    if (reactor->ring)
        twi_uring_free(reactor->ring);
    twi_descriptors_free(reactor);
    close(reactor->epoll);
    free(reactor);
}

static const struct twi_poller poller = {collect, wait, end};

// ---- making it ----

static struct twi_reactor *make(struct twi_pool *pool, int *error)
{
    struct twi_reactor *reactor = calloc(1, sizeof *reactor);
    if (!reactor) {
        *error = TW_ENOMEM;
        return NULL;
    }
    reactor->pool = pool;
    reactor->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (reactor->epoll < 0) {
        *error = TW_SYSTEM(errno);
        free(reactor);
        return NULL;
    }
    twi_side_init(&reactor->side);
    return reactor;
}

struct twi_reactor *twi_reactor_here(int *error)
{
    (void)twi_fiber_here(NULL);
    struct twi_watch *watch = &twi_worker_here()->pool->watch;
    if (TWI_LOAD(&watch->poller, TWI_ACQUIRE)) // [IO1]
        return watch->polled;
    pthread_mutex_lock(&watch->start);
    if (!watch->polled && (watch->polled = make(twi_worker_here()->pool, error)) != NULL)
        TWI_STORE(&watch->poller, &poller, TWI_RELEASE); // [IO1]
    struct twi_reactor *reactor = watch->polled;
    pthread_mutex_unlock(&watch->start);
    return reactor;
}

struct twi_uring *twi_uring_of(struct twi_reactor *reactor)
{
    struct twi_uring *ring = TWI_LOAD(&reactor->ring, TWI_ACQUIRE); // [IO3]
    if (ring || TWI_LOAD(&reactor->ringless, TWI_RELAXED))          // relaxed: set for good
        return ring;
    pthread_mutex_lock(&reactor->pool->watch.start);
    ring = reactor->ring;
    if (!ring && reactor->pool->io != TW_IO_EPOLL)
        ring = twi_uring_make(reactor);
    TWI_STORE(&reactor->ring, ring, TWI_RELEASE); // [IO3]
    if (!ring)
        TWI_STORE(&reactor->ringless, 1u, TWI_RELAXED); // relaxed: set for good
    pthread_mutex_unlock(&reactor->pool->watch.start);
    return ring;
}

// ---- operations ----

enum twi_waits twi_operation_wait(struct twi_operation *operation)
{
    struct twi_watch *watch = &twi_worker_here()->pool->watch;
    if (operation->wait.outside)
        TWI_FETCH_ADD(&watch->expected, 1u, TWI_SEQ_CST); // [Q1]
    enum twi_waits how = twi_wait_for(&operation->wait);
    if (how == TWI_DONE) { // who ended it, perhaps before the wait was armed, has dropped it
        twi_lock_take(&operation->lock);
        twi_lock_drop(&operation->lock);
    }
    if ((how == TWI_DONE || !operation->wait.fiber) && operation->wait.outside)
        TWI_FETCH_SUB(&watch->expected, 1u, TWI_RELAXED); // hint: more harms nobody
    return how;
}

static void publish_parked(void *argument)
{
    struct twi_operation *operation = argument;
    struct tw_fiber *fiber = operation->wait.fiber;
    int outside = operation->wait.outside;
    twi_lock_take(&operation->lock);
    int done = operation->done != 0;
    if (!done)
        operation->parked = fiber;
    twi_lock_drop(&operation->lock); // and it may be gone
    if (done)
        twi_ready(fiber);
    else if (outside)
        twi_watch_begin(twi_worker_here());
}

void twi_operation_outlast(struct twi_operation *operation)
{
    struct twi_watch *watch = &twi_worker_here()->pool->watch;
    twi_park_for("end of what was called off", operation, publish_parked, operation);
    twi_lock_take(&operation->lock); // who ended it has dropped it
    twi_lock_drop(&operation->lock);
    if (operation->wait.outside)
        TWI_FETCH_SUB(&watch->expected, 1u, TWI_RELAXED); // hint: more harms nobody
}

void twi_operation_end(struct twi_operation *operation, int64_t result)
{
    struct tw_fiber *fiber = operation->wait.fiber;
    uint64_t ticket = operation->wait.ticket;
    twi_lock_take(&operation->lock);
    operation->result = result;
    operation->done = 1;
    struct tw_fiber *parked = operation->parked;
    enum twi_decision decision =
        parked ? TWI_DECIDED : twi_waits_decide(&twi_fiber_of(fiber)->waits, ticket, TWI_DONE);
    twi_lock_drop(&operation->lock);
    if (decision == TWI_DECIDED)
        twi_ready_anywhere(fiber);
}

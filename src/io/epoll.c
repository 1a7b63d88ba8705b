// SPDX-License-Identifier: Apache-2.0
// Waiting for descriptors by epoll.
//
// A descriptor is asked for once (EPOLLONESHOT), each time a task begins to wait for it: so nothing
// has to be known when a program closes it and the number is used again. An event that comes for
// another wait than it was meant for wakes a task that then tries in vain, and waits again.
//
// [IO2] descriptors: the release of who made a chunk; the acquire of who looks a number up.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "io/reactor.h"

enum { EVENTS_AT_ONCE = 64, TRY_EVERY = 16 };

// One task that waits, on its stack.
struct twi_ready {
    struct twi_wait wait; // first
    struct twi_reactor *reactor;
    struct twi_descriptor *descriptor;
    struct twi_ready *next, *before; // under the descriptor's lock, like the rest
    int linked;
    int fd;
    short events, there; // wanted; seen
    int error;           // a TW_E..., when the system refused
};

static struct twi_descriptor *descriptor_at(struct twi_reactor *reactor, int fd)
{
    size_t chunk = (size_t)fd / TWI_DESCRIPTORS_CHUNK;
    if (fd < 0 || chunk >= TWI_DESCRIPTORS_CHUNKS)
        return NULL;
    struct twi_descriptor **place = &reactor->descriptors[chunk];
    struct twi_descriptor *table = TWI_LOAD(place, TWI_ACQUIRE); // [IO2]
    if (!table) {
        struct twi_descriptor *made = calloc(TWI_DESCRIPTORS_CHUNK, sizeof *made);
        if (!made)
            return NULL;
        if (TWI_CAS(place, &table, made, TWI_ACQ_REL, TWI_ACQUIRE)) // [IO2]
            table = made;
        else
            free(made);
    }
    return &table[fd % TWI_DESCRIPTORS_CHUNK];
}

void twi_descriptors_free(struct twi_reactor *reactor)
{
    for (size_t i = 0; i < TWI_DESCRIPTORS_CHUNKS; i++)
        free(reactor->descriptors[i]);
}

// ---- under the descriptor's lock ----

static void link_ready(struct twi_descriptor *d, struct twi_ready *ready)
{
    ready->before = NULL;
    ready->next = d->first;
    if (d->first)
        d->first->before = ready;
    d->first = ready;
    ready->linked = 1;
}

static void unlink_ready(struct twi_descriptor *d, struct twi_ready *ready)
{
    if (ready->before)
        ready->before->next = ready->next;
    else
        d->first = ready->next;
    if (ready->next)
        ready->next->before = ready->before;
    ready->linked = 0;
}

// Asks for all that is waited for. 0, or an errno.
static int ask(struct twi_reactor *reactor, struct twi_descriptor *d, int fd)
{
    struct epoll_event event = {.events = EPOLLONESHOT, .data.fd = fd};
    for (struct twi_ready *ready = d->first; ready; ready = ready->next)
        event.events |= (uint32_t)(unsigned short)ready->events;
    for (int tries = 0; tries < 2; tries++) {
        int operation = d->known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
        if (epoll_ctl(reactor->epoll, operation, fd, &event) == 0) {
            d->known = 1;
            return 0;
        }
        if (errno != ENOENT && errno != EEXIST)
            break;
        d->known = !d->known; // it was closed, and perhaps opened again
    }
    return errno;
}

// ---- waiting ----

static int enlist(struct twi_wait *wait)
{
    struct twi_ready *ready = (struct twi_ready *)wait;
    struct twi_descriptor *d = ready->descriptor;
    twi_lock_take(&d->lock);
    link_ready(d, ready);
    int refused = ask(ready->reactor, d, ready->fd);
    ready->error = refused ? TW_SYSTEM(refused) : 0;
    int waits = !refused && twi_wait_arm(wait);
    if (!waits)
        unlink_ready(d, ready);
    twi_lock_drop(&d->lock);
    return waits;
}

int twi_descriptor_try_first(struct twi_reactor *reactor, int fd)
{
    struct twi_descriptor *d = descriptor_at(reactor, fd);
    if (!d)
        return 1;
    uint32_t quiet = TWI_LOAD(&d->quiet, TWI_RELAXED);      // hint
    TWI_STORE(&d->quiet, quiet + (quiet > 0), TWI_RELAXED); // hint
    return quiet % TRY_EVERY == 0;
}

// What a wait, or its absence, tells about the next read.
static void learn(struct twi_descriptor *d, short events)
{
    if (events & POLLIN && TWI_LOAD(&d->quiet, TWI_RELAXED) == 0) // hint
        TWI_STORE(&d->quiet, 1u, TWI_RELAXED);                    // hint
}

int twi_descriptor_wait(struct twi_reactor *reactor, int fd, short events, uint64_t deadline_ns)
{
    struct twi_ready ready = {.wait = {.what = events & POLLOUT ? "writing" : "reading",
                                       .deadline_ns = deadline_ns,
                                       .enlist = enlist,
                                       .outside = 1},
                              .reactor = reactor,
                              .descriptor = descriptor_at(reactor, fd),
                              .fd = fd,
                              .events = events};
    struct twi_watch *watch = &reactor->pool->watch;
    if (!ready.descriptor)
        return fd < 0 ? TW_SYSTEM(EBADF) : TW_ENOMEM;
    ready.wait.on = ready.descriptor;
    learn(ready.descriptor, events);
    TWI_FETCH_ADD(&watch->expected, 1u, TWI_SEQ_CST); // [Q1]
    enum twi_waits how = twi_wait_for(&ready.wait);
    TWI_FETCH_SUB(&watch->expected, 1u, TWI_RELAXED); // hint: more harms nobody
    if (how != TWI_DONE) {
        twi_lock_take(&ready.descriptor->lock);
        if (ready.linked)
            unlink_ready(ready.descriptor, &ready);
        twi_lock_drop(&ready.descriptor->lock);
        return twi_wait_error(how);
    }
    return ready.error ? ready.error : ready.there;
}

// ---- waking ----

static void wake(struct twi_reactor *reactor, int fd, uint32_t events, struct twi_chain *chain)
{
    struct twi_descriptor *d = descriptor_at(reactor, fd);
    struct twi_ready *ready, *next;
    uint32_t always = EPOLLERR | EPOLLHUP;
    twi_lock_take(&d->lock);
    for (ready = d->first; ready; ready = next) {
        next = ready->next;
        if (!(events & (always | (uint32_t)(unsigned short)ready->events)))
            continue;
        ready->there = (short)(events & (always | (uint32_t)(unsigned short)ready->events));
        struct tw_fiber *fiber = ready->wait.fiber;
        unlink_ready(d, ready);
        if (twi_waits_decide(&twi_fiber_of(fiber)->waits, ready->wait.ticket, TWI_DONE) ==
            TWI_DECIDED)
            twi_chain_append(chain, &twi_fiber_of(fiber)->mail);
    }
    if (d->first)
        (void)ask(reactor, d, fd);
    twi_lock_drop(&d->lock);
}

void twi_descriptors_collect(struct twi_reactor *reactor)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    int count;
    do {
        struct twi_chain chain = {NULL, NULL};
        count = epoll_wait(reactor->epoll, events, EVENTS_AT_ONCE, 0);
        for (int i = 0; i < count; i++)
            if (events[i].data.fd >= 0)
                wake(reactor, events[i].data.fd, events[i].events, &chain);
        if (chain.first)
            twi_ready_chain(reactor->pool, &chain);
    } while (count == EVENTS_AT_ONCE);
}

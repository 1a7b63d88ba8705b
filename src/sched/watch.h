// SPDX-License-Identifier: Apache-2.0
// Who looks for what comes from outside: the time of an alarm, and what the system has done.
//
// Workers look when they find themselves work, and searchers all the time. When a worker lies down
// while something is expected, it does so as the keeper (sleep.h) and gets up in time. When all
// workers are busy there is nobody to look; then a thread of the pool's own does, the watcher. So
// someone is always about to look, and an idle pool has no thread that runs.
#ifndef TWI_WATCH_H
#define TWI_WATCH_H

#include <pthread.h>
#include <stdint.h>

struct twi_pool;
struct twi_worker;

// What the layer above knows how to wait for. All of it may be called by any thread.
struct twi_poller {
    // Makes the fibers ready whose operations are done. Never waits.
    void (*collect)(struct twi_pool *pool);
    // Waits until there is something to collect, the bell rings or timeout_ns are over (negative:
    // without limit).
    void (*wait)(struct twi_pool *pool, int bell, int64_t timeout_ns);
    // The pool is at its end; no operation is under way.
    void (*end)(struct twi_pool *pool);
};

struct twi_watch {
    uint32_t used;                   // an alarm was set, or an operation begun, once. writers: who
                                     // does
    uint64_t plan_ns;                // when the keeper or the watcher looks next. writer: it
    uint32_t expected;               // operations of the system under way. writers: who starts and
                                     // collects them
    const struct twi_poller *poller; // NULL: nothing of the kind was used yet
    void *polled;                    // the poller's own
    pthread_mutex_t start;           // held while poller or watcher are made
    uint32_t kicks;                  // the watcher shall look again. writers: whoever wants that
    uint32_t rung;                   // an alarm rang since all were last told of what it made
                                     // ready. writers: who lets it ring, who tells
    uint32_t on;                     // the watcher has the watch. writers: who calls it, it itself
    int started;                     // under `start`
    uint32_t stop;                   // writer: who ends the pool
    pthread_t thread;
};

void twi_watch_init(struct twi_pool *pool);
void twi_watch_end(struct twi_pool *pool);

// By a worker that has just set an alarm or begun an operation: someone has to keep watch, unless
// the worker itself looks again at once.
void twi_watch_begin(struct twi_worker *worker);

// By a worker that is about to be busy.
void twi_watch_pass(struct twi_worker *worker);

// By a worker that is about to be busy: fibers whose alarms rang go on, even if all compute.
void twi_watch_mail(struct twi_worker *worker);

// Lets ring what is due, collects what is done: of the worker, now and then; of the whole pool.
void twi_watch_glance(struct twi_worker *worker);
void twi_watch_look(struct twi_pool *pool);

// Whether the system owes something, for which it, or another process, may need the processor.
int twi_watch_expects(struct twi_pool *pool);

// Whether there is anything to watch for.
int twi_watch_needed(struct twi_pool *pool);

// The keeper's sleep. 1: it is a searcher again; 0: it shall look round and come again.
int twi_watch_keep(struct twi_worker *worker);

#endif

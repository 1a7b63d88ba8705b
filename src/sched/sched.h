// SPDX-License-Identifier: Apache-2.0
// Workers, the pool they form, and the calls between the files of this layer.
//
// A worker always runs on a fiber. Each fiber executes the loop (loop.c): find something, run it as
// a plain call, again. A task that must wait parks its fiber with the loop underneath it; the
// worker takes another fiber and goes on. A fiber that finds a ready one gives itself back and
// switches to it. The thread's own stack only starts and ends the worker.
//
// [V1] visitors: a visitor's release as it leaves; the acquire of who frees the pool.
#ifndef TWI_SCHED_H
#define TWI_SCHED_H

#include <pthread.h>
#include <sched.h>
#include <stdint.h>

#include <twill/attempt.h>
#include <twill/runtime.h>

#include "base/os.h"
#include "base/rng.h"
#include "core/alarm.h"
#include "core/bag.h"
#include "core/cells.h"
#include "core/fiber.h"
#include "core/inbox.h"
#include "core/mailbox.h"
#include "core/queue.h"
#include "core/stock.h"
#include "core/turns.h"
#include "rule/wake.h"
#include "sched/sleep.h"
#include "sched/watch.h"
#include "trace/trace.h"

// What the fiber that is switched to does first, on behalf of the one that was left: a fiber may be
// published only when its stack is no longer in use.
struct twi_after {
    void (*run)(void *argument);
    void *argument;
};

// So many fibers go on before what has not started yet is looked at, lest it never starts.
enum { TWI_RESUMED_MOST = 64 };

struct twi_worker {
    // Read by thieves.
    struct tw_fiber *active;    // the fiber it runs. writer: this worker
    struct twi_mailbox mailbox; // the same as `inbox`: several at once, from outside, or when that
                                // is full
    struct twi_mailbox offered; // fibers of its queue that others may take
    struct twi_turns turns;     // fibers that gave way to others
    struct twi_stock stock;
    struct twi_bag bag[TWI_BAGS];
    uint64_t lost;            // tasks others took from its fibers. writers: thieves
    struct twi_alarms alarms; // of what waits for time here
    uint32_t has_mail;        // to be looked at at its next spawn. writer: the watcher
    uint32_t is_idle;         // it searches or sleeps. writer: this worker
    // This worker's own.
    struct twi_pool *pool __attribute__((aligned(64)));
    unsigned index;
    struct twi_fiber *idle; // fibers to use next, by mail.next
    unsigned idle_count;
    struct twi_detached *errand; // a piece that the next fiber shall run at once, or NULL: an
                                 // async is freed by who runs it, a fork by who joins it
    struct twi_cells cells;      // of tasks that wait without a stack
    struct twi_fiber *handed;    // a fiber woken by the piece that just ended: goes on next
    struct twi_after after;
    unsigned resumed;       // fibers that went on since it last looked for what has not started
    unsigned glances;       // times it looked for work of its own
    int is_fed;             // others sent it fibers since it last waited for some in vain
    unsigned wraps;         // times that so many went on that others were looked for
    unsigned naps;          // in a row without a fiber in line anywhere
    uint64_t pace_since_ns; // when the pace was last measured; 0: it was idle since
    uint64_t pace_steps;    // parks and fibers readied then
    uint64_t readied;       // so many fibers
    struct twi_rng rng;
    struct tw_worker_stats stats;
    struct twi_ring *ring;     // of its trace, NULL: none
    struct twi_context thread; // the thread's own stack
    struct twi_sanitize thread_sanitize;
    pthread_t handle;
    void *signal_stack;
    struct twi_queue queue; // fibers ready to go on here: its own, and for thieves to look at
    struct twi_inbox inbox; // fibers that others made ready to go on here
} __attribute__((aligned(64)));

// Attempts of all tasks (core/attempt.h).
struct twi_attempts {
    uint32_t open;    // writers: who opens and closes one
    uint32_t cancels; // attempts that were cancelled and are not over; so are all inside them
    struct twi_lock lock;
    struct tw_attempt root; // the run itself
};

// Tasks without a stack that wait for futures (task/future.c): known here to be cancelled.
struct twi_pending {
    struct twi_lock lock;
    struct twi_pended *first;
    // Drops those inside of what was cancelled. NULL: there never were any. writer: under the lock
    void (*cancel)(struct twi_pool *pool);
};

// A scope that no fiber waits for: when it is done, `over` is called.
struct twi_root {
    struct tw_scope scope; // first; its fiber is NULL
    void (*over)(struct tw_scope *scope);
};

// What a place (src/place/) wants to be told by the workers of its pool.
struct twi_outside {
    void (*idle)(struct twi_pool *pool);   // one lies down, or much is cancelled
    void (*search)(struct twi_pool *pool); // one has found nothing for some time
    void (*found)(struct twi_pool *pool);  // ... and now has
};

struct twi_pool {
    struct twi_dormitory dormitory;
    uint32_t stop; // writer: the last piece; readers: all workers
    unsigned count;
    struct twi_worker *workers;
    int crowded;     // more workers than processors
    int membarrier;  // hidden tasks can be taken, sleeps need no bound
    int has_inboxes; // they are used: who is in the middle of one is not descheduled, as a rule
    uint32_t checks_locks;
    uint64_t spin_ns;
    enum twi_wake wake;
    unsigned batch;        // fibers that a thief takes at once, at most
    uint32_t quiet;        // someone naps (sched/ready.c). writers: workers
    enum tw_io io;         // how tasks wait for the system (src/io/)
    unsigned blocking_max; // threads for calls that block (src/io/)
    struct twi_arena arena;
    struct twi_lock spare_lock;
    struct twi_fiber *spare;   // batches of fibers no worker keeps, by batch_next. under the lock
    struct twi_fiber *trimmed; // the same, with little memory. under the lock
    uint32_t spare_count;      // batches of both. writer: under the lock; readers: as a hint
    struct twi_root root;
    struct tw_hooks hooks;
    const struct twi_outside *outside; // whom this pool works for; or NULL
    unsigned place;    // it is the pool of. constant while tasks run
    uint32_t urgent;   // tasks in bags TWI_HIGH. writers: who puts and takes
    uint32_t visitors; // threads that are not its workers, waking one. writers: they
    cpu_set_t *mask;   // of who made the pool, before any binding; NULL: not known
    size_t mask_size;
    struct tw_stats *stats; // of a pool that outlives a run: filled at its end; or NULL
    struct twi_attempts attempts;
    struct twi_pool *dump_next;  // in the list of all (dump.c)
    int dumps;                   // it wants the signal
    struct twi_cell_store cells; // that no worker keeps
    struct twi_pending pending;
    struct twi_watch watch;
    struct twi_trace trace;
};

// ---- pool.c ----
// Runs a piece of the pool's root scope with all it starts. 0, and the outcome is in
// options->outcome, or TW_E..., and nothing was run.
int twi_pool_run(const struct tw_options *options, struct twi_detached *piece);
// A pool with threads of its own. 0 or TW_E...; close waits for all that was submitted.
int twi_pool_open(struct twi_pool *pool, const struct tw_options *options);
// Workers that are bound leave so many processors to other processes.
void twi_bind_from(unsigned first);
void twi_pool_close(struct twi_pool *pool);
// The calling thread's worker; in a task.
struct twi_worker *twi_worker_here(void);
// The same, NULL outside.
struct twi_worker *twi_worker_maybe(void);
// What the calling thread has for a worker.
void twi_worker_set(struct twi_worker *worker);

// ---- loop.c ----
void twi_loop(void *fiber);
void twi_worker_enter(struct twi_worker *worker);

// ---- search.c ----
struct twi_found {
    struct twi_fiber *fiber;       // to go on with, or
    struct tw_slot *piece;         // to run; both NULL: the pool stops
    struct twi_detached *detached; // the piece, when it is on the heap
};
struct twi_found twi_find(struct twi_worker *worker);
// Makes every worker leave its loop.
void twi_pool_stop(struct twi_pool *pool);

// ---- park.c ----
// Leaves the calling task's fiber; publish(argument) runs once its stack is free. Returns when
// someone readies the fiber, perhaps on another worker.
void twi_park(void (*publish)(void *), void *argument);
// Its parts: a fiber that can go on, or an idle one; leaving the worker's own for it, after
// worker->after was set.
struct twi_fiber *twi_next(struct twi_worker *worker);
void twi_leave_for(struct twi_worker *worker, struct twi_fiber *self, struct twi_fiber *next);
// twi_park inlined, for streams: so little of the stack is touched.
static inline void twi_park_on(struct twi_worker *worker, void (*publish)(void *), void *argument)
{
    struct twi_fiber *next = twi_next(worker);
    worker->stats.parks++;
    worker->after = (struct twi_after){publish, argument};
    twi_leave_for(worker, twi_fiber_of(worker->active), next);
}
// The same, and says what it waits for; nothing else can end the wait.
void twi_park_for(const char *what, const void *on, void (*publish)(void *), void *argument);
// Puts the calling task's fiber among the ready ones, and runs `piece` first, on another stack.
void twi_park_behind(struct twi_detached *piece);
// The worker's task goes on after all that is ready now.
void twi_yield(struct twi_worker *worker);
// Lets the fibers go on that wait in the worker's mailbox; its own goes on after them.
void twi_give_way(struct twi_worker *worker);
// The worker's fiber is this one from now on.
void twi_activate(struct twi_worker *worker, struct twi_fiber *fiber);
// Credits the worker with what its fiber spawned.
void twi_count_spawned(struct twi_worker *worker, struct twi_fiber *fiber);
// Goes on with `next`; `self` is left as it is.
void twi_switch(struct twi_worker *worker, struct twi_fiber *self, struct twi_fiber *next);
struct twi_fiber *twi_idle_take(struct twi_worker *worker);
void twi_idle_give(struct twi_worker *worker, struct twi_fiber *fiber);
// By a worker that sleeps: gives back, if `now`, the memory of some fibers that nobody uses. 1:
// there are more.
int twi_idle_trim(struct twi_pool *pool, int now);
// First thing after any switch.
void twi_arrive(struct twi_fiber *self);
// Work was made visible: wake someone if need be.
void twi_announce(struct twi_worker *worker);
// The same from any thread, between enter and leave: the pool does not end meanwhile.
void twi_announce_in(struct twi_pool *pool);
static inline void twi_visit_enter(struct twi_pool *pool)
{
    TWI_FETCH_ADD(&pool->visitors, 1u, TWI_RELAXED); // relaxed: the pool cannot end before
}

static inline void twi_visit_leave(struct twi_pool *pool)
{
    TWI_FETCH_SUB(&pool->visitors, 1u, TWI_RELEASE); // [V1]
}

// By who frees the pool: what a visitor made visible may have been the last it waited for.
static inline void twi_visits_await(struct twi_pool *pool)
{
    while (TWI_LOAD(&pool->visitors, TWI_ACQUIRE)) // [V1]
        twi_relax();
}

// The worker has woken another, if `woken`.
static inline void twi_woke(struct twi_worker *worker, int woken)
{
    if (!woken)
        return;
    worker->stats.wakes++;
    twi_trace(worker->ring, TWI_EVENT_WAKE, worker->active, NULL);
}

// ---- ready.c ----
// The fiber can go on. From a worker of its pool: before those that are ready, or after them (home
// is its own, which the caller knows; auto: as the pool has it); from any thread.
void twi_ready(struct tw_fiber *fiber);
void twi_ready_in_turn(struct tw_fiber *fiber, unsigned home, enum twi_wake wake);
void twi_ready_anywhere(struct tw_fiber *fiber);
// Fibers of `pool` that are all ready, from any thread.
void twi_ready_chain(struct twi_pool *pool, const struct twi_chain *chain);
// One of the worker's own, or NULL; of those in line, the first or the last.
struct twi_fiber *twi_ready_take(struct twi_worker *worker);
struct twi_fiber *twi_ready_take_last(struct twi_worker *worker);
// The same for a worker that has none, but got the last ones from others: waits for a moment, which
// disturbs nobody.
struct twi_fiber *twi_ready_await(struct twi_worker *worker);
// What others made ready stands in line.
void twi_ready_collect(struct twi_worker *worker);
// One of another's, or NULL; more may be offered by the thief then. Patient: only what is given.
struct twi_fiber *twi_ready_steal(struct twi_worker *worker, struct twi_worker *victim,
                                  int patient);
// By a thief that has found something: others shall give no more.
void twi_ready_ask_no_more(struct twi_pool *pool);
// Whether there are any worth taking, for who lies down.
int twi_ready_waits(struct twi_worker *worker);
// Now and then, while fibers go on; and before the worker is idle.
void twi_pace_measure(struct twi_worker *worker);
void twi_pace_pause(struct twi_worker *worker);
// Around a sleep: perhaps the worker only naps.
void twi_nap_begin(struct twi_worker *worker);
void twi_nap_end(struct twi_worker *worker);
// Before each nap: how long it is, in nanoseconds; 0: the worker shall look round at once; -1: it
// does not nap (any more).
int64_t twi_nap(struct twi_worker *worker);
enum { TWI_NAP_WANTED = 1, TWI_NAPPER = 2 };

// ---- overflow.c ----
int twi_overflow_watch(struct twi_worker *worker);
void twi_overflow_unwatch(struct twi_worker *worker);
// Around a fork(): nobody is in the middle of either.
void twi_overflow_hold(void);
void twi_overflow_release(void);

#endif

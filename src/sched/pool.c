// SPDX-License-Identifier: Apache-2.0
// A pool lives for one run: the calling thread is worker 0, the others are threads of the pool's
// own. It starts with one piece and stops when that piece's scope is done.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/os.h"
#include "base/topology.h"
#include "core/order.h"
#include "core/scope.h"
#include "sched/attempt.h"
#include "sched/dump.h"

enum { THREAD_STACK = 256 * 1024 };

TWI_STATIC_ASSERT((int)TWI_WAKE_LAST == (int)TW_WAKE_LAST, "the rule's words are the public ones");

static __thread struct twi_worker *here __attribute__((tls_model("initial-exec")));

// Not inlined, and opaque to the compiler: a task may go on in another thread, so nobody may keep
// this thread's address of `here`.
__attribute__((noinline)) struct twi_worker *twi_worker_maybe(void)
{
    __asm__ volatile("");
    return here;
}

__attribute__((noinline)) struct twi_worker *twi_worker_here(void)
{
    __asm__ volatile("");
    if (!here)
        tw_misuse("a task of the parent process went on in a forked child and called Twill there",
                  "");
    return here;
}

// Here, since programs call it often: it reads `here` itself.
int tw_worker(void)
{
    return here ? (int)here->index : -1;
}

void twi_worker_set(struct twi_worker *worker)
{
    here = worker;
}

// ---- threads ----

static uint32_t pools;      // of this process. writers: who makes and ends one
static uint32_t bound_from; // processors before the first that workers are bound to

// Which processors workers are bound to, in turn; count 0: they are not bound.
struct binding {
    int order[CPU_SETSIZE];
    unsigned count;
};

void twi_bind_from(unsigned first)
{
    TWI_STORE(&bound_from, first, TWI_RELAXED); // relaxed: a hint to pools that are made later
}

static void binding_mask(const struct binding *binding, unsigned worker, cpu_set_t *mask)
{
    unsigned first = TWI_LOAD(&bound_from, TWI_RELAXED); // hint
    CPU_ZERO(mask);
    CPU_SET(binding->order[(first + worker) % binding->count], mask);
}

static int wants_binding(const struct tw_options *o, unsigned workers)
{
    switch (o->bind) {
    case TW_BIND_ON:
        return 1;
    case TW_BIND_OFF:
        return 0;
    case TW_BIND_AUTO: // pools beside each other would choose the same processors
        return workers > 1 && workers == twi_cpus_allowed() &&
               TWI_LOAD(&pools, TWI_RELAXED) == 1; // hint
    }
    return 0;
}

static void binding_choose(struct binding *binding, const struct tw_options *o, unsigned workers)
{
    binding->count = 0;
    if (!wants_binding(o, workers))
        return;
    int use_hwloc = o->topology == TW_TOPOLOGY_HWLOC ||
                    (o->topology == TW_TOPOLOGY_AUTO && twi_topology_nodes() > 1);
    binding->count = twi_topology_order(use_hwloc, binding->order, CPU_SETSIZE);
}

static void serve(struct twi_worker *w)
{
    struct twi_worker *outer = twi_worker_maybe();
    twi_cpus_bound(w->pool->mask);
    const struct tw_hooks *hooks = &w->pool->hooks;
    if (hooks->worker_start)
        hooks->worker_start(hooks->context, w->index);
    twi_worker_set(w);
    twi_sanitize_adopt(&w->thread_sanitize);
    twi_worker_enter(w);
    twi_worker_set(outer);
    if (hooks->worker_stop)
        hooks->worker_stop(hooks->context, w->index);
    twi_cpus_bound(outer ? outer->pool->mask : NULL);
}

static void *thread_main(void *argument)
{
    struct twi_worker *w = argument;
    int watched = twi_overflow_watch(w) == 0; // without memory for it, an overflow has no message
    serve(w);
    if (watched)
        twi_overflow_unwatch(w);
    return NULL;
}

// Signals are for the program's own threads, but for those that are a thread's own doing and those
// of profilers.
static void block_signals(sigset_t *before)
{
    static const int ours[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF};
    sigset_t others;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        sigdelset(&others, ours[i]);
    pthread_sigmask(SIG_BLOCK, &others, before);
}

// Makes threads for the workers from `first` on. Returns how many workers there are then.
static unsigned threads_start(struct twi_pool *pool, const struct binding *binding, unsigned first)
{
    pthread_attr_t attributes;
    sigset_t before;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, THREAD_STACK);
    block_signals(&before);
    unsigned i = first;
    for (; i < pool->count; i++) {
        struct twi_worker *w = &pool->workers[i];
        if (binding->count) {
            cpu_set_t one;
            binding_mask(binding, i, &one);
            pthread_attr_setaffinity_np(&attributes, sizeof one, &one);
        } else if (pool->mask) {
            pthread_attr_setaffinity_np(&attributes, pool->mask_size, pool->mask);
        }
        if (pthread_create(&w->handle, &attributes, thread_main, w) != 0)
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return i;
}

// ---- fork() ----

static void hold_locks(void)
{
    twi_dump_hold();
    twi_overflow_hold();
    twi_order_hold();
}

static void release_locks(void)
{
    twi_order_release();
    twi_overflow_release();
    twi_dump_release();
}

// In the child there is one thread, and no pool: a task that goes on there may do what it likes but
// call Twill. New runs are fine.
static void forget_worker(void)
{
    release_locks();
    here = NULL;
}

static void watch_forks_once(void)
{
    pthread_atfork(hold_locks, release_locks, forget_worker);
}

static void watch_forks(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks_once);
}

// ---- the pool ----

static void root_over(struct tw_scope *root)
{
    twi_pool_stop((struct twi_pool *)((char *)root - offsetof(struct twi_pool, root)));
}

static int pool_init(struct twi_pool *pool, const struct tw_options *o)
{
    watch_forks();
    memset(pool, 0, sizeof *pool);
    TWI_FETCH_ADD(&pools, 1u, TWI_RELAXED); // hint
    pool->mask = twi_cpus_mask(&pool->mask_size);
    pool->count = o->workers;
    pool->crowded = pool->count > twi_cpus_allowed();
    pool->membarrier = twi_membarrier_ready();
    pool->has_inboxes = pool->membarrier && !pool->crowded;
    pool->spin_ns = o->spin_ns;
    pool->wake = (enum twi_wake)o->wake;
    pool->batch = twi_wake_batch(pool->wake, (enum twi_share)o->steal);
    pool->io = o->io;
    pool->blocking_max = o->blocking_max;
    pool->hooks = o->hooks;
    pool->root.over = root_over;
    pool->root.scope.pending = 1;
    pool->checks_locks = o->lock_check != 0;
    twi_attempt_init(&pool->attempts.root);
    twi_watch_init(pool);
    twi_arena_init(&pool->arena, o->stack_size);
    pool->workers = aligned_alloc(64, pool->count * sizeof *pool->workers);
    pool->dormitory.beds = aligned_alloc(64, pool->count * sizeof *pool->dormitory.beds);
    if (!pool->workers || !pool->dormitory.beds)
        return TW_ENOMEM;
    memset(pool->workers, 0, pool->count * sizeof *pool->workers);
    memset(pool->dormitory.beds, 0, pool->count * sizeof *pool->dormitory.beds);
    int error = twi_trace_begin(&pool->trace, o->trace, o->trace_events, pool->count);
    if (error)
        return error;
    for (unsigned i = 0; i < pool->count; i++) {
        struct twi_worker *w = &pool->workers[i];
        twi_inbox_init(&w->inbox);
        w->pool = pool;
        w->index = i;
        twi_alarms_init(&w->alarms);
        w->ring = twi_trace_ring(&pool->trace, i);
        w->rng.counter = o->seed * TW_WORKERS_MAX + i;
        struct twi_fiber *first = twi_idle_take(w);
        if (!first)
            return TW_ENOMEM;
        twi_idle_give(w, first);
    }
    if (o->dump && twi_dump_begin() == 0)
        pool->dumps = 1;
    twi_dump_add(pool);
    return 0;
}

static void beds_free(struct twi_pool *pool)
{
    for (unsigned i = 0; i < pool->count && pool->workers && pool->dormitory.beds; i++) {
        twi_alarms_free(&pool->workers[i].alarms);
        if (pool->dormitory.beds[i].bell > 0)
            close(pool->dormitory.beds[i].bell);
    }
    free(pool->dormitory.beds);
}

static void pool_free(struct twi_pool *pool)
{
    twi_dump_remove(pool);
    if (pool->dumps)
        twi_dump_end();
    twi_watch_end(pool);
    twi_visits_await(pool);
    TWI_FETCH_SUB(&pools, 1u, TWI_RELAXED); // hint
    if (pool->mask)
        CPU_FREE(pool->mask);
    beds_free(pool);
    twi_arena_free(&pool->arena);
    twi_cells_free(&pool->cells);
    twi_trace_free(&pool->trace);
    free(pool->workers);
}

static void stats_add(struct tw_worker_stats *sum, const struct tw_worker_stats *one)
{
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)one;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++)
        to[i] += from[i];
}

static void stats_collect(struct twi_pool *pool, struct tw_stats *stats)
{
    memset(&stats->sum, 0, sizeof stats->sum);
    stats->workers = pool->count;
    for (unsigned i = 0; i < pool->count; i++) {
        struct twi_worker *w = &pool->workers[i];
        uint64_t lost = TWI_LOAD(&w->lost, TWI_RELAXED); // relaxed: a statistic, all have stopped
        w->stats.tasks -= lost < w->stats.tasks ? lost : w->stats.tasks;
        if (w->ring) {
            w->stats.traced = w->ring->written;
            w->stats.trace_lost = twi_ring_lost(w->ring);
        }
        stats_add(&stats->sum, &pool->workers[i].stats);
        if (stats->worker && i < stats->room)
            stats->worker[i] = pool->workers[i].stats;
    }
}

// All workers have stopped: writes the trace and the statistics.
static void pool_report(struct twi_pool *pool, struct tw_stats *stats)
{
    int trace_error = twi_trace_end(&pool->trace);
    if (!stats)
        return;
    stats_collect(pool, stats);
    stats->trace_error = trace_error;
}

// Runs the started pool to its end; `made` workers exist. When some could not be made, those that
// were stop at once and nothing is run.
static int pool_serve(struct twi_pool *pool, struct twi_detached *piece, unsigned made)
{
    struct twi_worker *first = &pool->workers[0];
    int complete = made == pool->count;
    if (complete) {
        first->errand = piece;
        serve(first);
    } else {
        twi_pool_stop(pool);
    }
    for (unsigned i = 1; i < made; i++)
        pthread_join(pool->workers[i].handle, NULL);
    return complete ? 0 : TW_EAGAIN;
}

static int pool_work(struct twi_pool *pool, const struct tw_options *o, struct twi_detached *piece)
{
    struct twi_worker *first = &pool->workers[0];
    int error = twi_overflow_watch(first);
    if (error)
        return error;
    cpu_set_t caller, one;
    struct binding binding;
    binding_choose(&binding, o, pool->count);
    if (binding.count && pthread_getaffinity_np(pthread_self(), sizeof caller, &caller) != 0)
        binding.count = 0;
    unsigned made = threads_start(pool, &binding, 1);
    if (binding.count) {
        binding_mask(&binding, 0, &one);
        pthread_setaffinity_np(pthread_self(), sizeof one, &one);
    }
    error = pool_serve(pool, piece, made);
    if (binding.count)
        pthread_setaffinity_np(pthread_self(), sizeof caller, &caller);
    twi_overflow_unwatch(first);
    return error;
}

int twi_pool_run(const struct tw_options *o, struct twi_detached *piece)
{
    struct twi_pool pool;
    int error = pool_init(&pool, o);
    if (!error) {
        piece->slot.scope = &pool.root.scope;
        error = pool_work(&pool, o, piece);
    }
    if (!error) {
        pool_report(&pool, o->stats);
        *o->outcome = twi_attempt_outcome(&pool, &pool.attempts.root);
    }
    pool_free(&pool);
    return error;
}

// ---- pools that outlive a run ----

static void join_all(struct twi_pool *pool, unsigned made)
{
    for (unsigned i = 0; i < made; i++)
        pthread_join(pool->workers[i].handle, NULL);
}

int twi_pool_open(struct twi_pool *pool, const struct tw_options *o)
{
    struct binding binding;
    int error = pool_init(pool, o);
    if (!error) {
        binding_choose(&binding, o, pool->count);
        unsigned made = threads_start(pool, &binding, 0);
        if (made == pool->count) {
            pool->stats = o->stats;
            return 0;
        }
        twi_pool_stop(pool);
        join_all(pool, made);
        error = TW_EAGAIN;
    }
    pool_free(pool);
    return error;
}

void twi_pool_close(struct twi_pool *pool)
{
    if (twi_scope_done(&pool->root.scope))
        twi_pool_stop(pool);
    join_all(pool, pool->count);
    pool_report(pool, pool->stats);
    pool_free(pool);
}

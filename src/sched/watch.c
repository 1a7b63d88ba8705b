// SPDX-License-Identifier: Apache-2.0
// Keeping watch (watch.h).
//
// Edges:
//  [Q1] earliest and plan: see core/alarm.h. The same for `expected` and `used`, which are stored
//       before the dormitory's state is read; a worker lies down, then reads them.
//  [IO1] poller: see io/reactor.c.
//  [Q3] on: who calls the watcher, after what it shall see; the watcher's acquire.
//  [Q4] rung: stored after an alarm has made a fiber ready, before its ringer reads the dormitory's
//       state; who searches no more changes the state, then reads it. Forbidden: both miss, for
//       then all compute, and nobody is told of the fiber.
#include "sched/watch.h"

#include "base/os.h"
#include "base/thread.h"
#include "core/alarm.h"
#include "sched/attempt.h"
#include "sched/wait.h"

enum {
    GLANCES_PER_CLOCK = 8,
    GLANCES_PER_POLL = 64,
    GRACE_NS = 100000,     // in which busy workers look themselves, as a rule
    POLL_FIRST_NS = 50000, // while all are busy, beside that
    POLL_LAST_NS = 1000000,
    LINGER_NS = 500000, // before the watcher lies down
    LINGER_ROUNDS = 4,
    THREAD_STACK = 256 * 1024,
};

static uint64_t earliest_ns(struct twi_pool *pool)
{
    uint64_t earliest = TW_NEVER;
    for (unsigned i = 0; i < pool->count; i++) {
        uint64_t one = twi_alarms_earliest(&pool->workers[i].alarms);
        if (one < earliest)
            earliest = one;
    }
    return earliest;
}

static int expects(struct twi_pool *pool)
{
    return TWI_LOAD(&pool->watch.expected, TWI_SEQ_CST) != 0; // [Q1]
}

int twi_watch_needed(struct twi_pool *pool)
{
    if (!TWI_LOAD(&pool->watch.used, TWI_SEQ_CST)) // [Q1]
        return 0;
    return expects(pool) || earliest_ns(pool) != TW_NEVER;
}

int twi_watch_expects(struct twi_pool *pool)
{
    return TWI_LOAD(&pool->watch.expected, TWI_RELAXED) != 0; // hint
}

// ---- looking ----

static void ring(struct twi_pool *pool, struct twi_alarms *alarms)
{
    if (TWI_LOAD(&alarms->earliest_ns, TWI_RELAXED) == TW_NEVER) // hint
        return;
    uint64_t now = twi_now_ns();
    if (TWI_LOAD(&alarms->earliest_ns, TWI_RELAXED) > now) // hint
        return;
    twi_alarms_ring(pool, alarms, now);
    TWI_STORE(&pool->watch.rung, 1u, TWI_SEQ_CST); // [Q4]
}

static const struct twi_poller *poller_of(struct twi_pool *pool)
{
    return TWI_LOAD(&pool->watch.poller, TWI_ACQUIRE); // [IO1]
}

static void collect(struct twi_pool *pool)
{
    if (TWI_LOAD(&pool->watch.expected, TWI_ACQUIRE)) // [Q1] who counted has seen the poller
        poller_of(pool)->collect(pool);
}

void twi_watch_look(struct twi_pool *pool)
{
    if (!TWI_LOAD(&pool->watch.used, TWI_RELAXED)) // hint: who lies down looks again
        return;
    for (unsigned i = 0; i < pool->count; i++)
        ring(pool, &pool->workers[i].alarms);
    collect(pool);
}

void twi_watch_glance(struct twi_worker *w)
{
    unsigned glances = ++w->glances;
    if (glances % GLANCES_PER_CLOCK == 0)
        ring(w->pool, &w->alarms);
    if (glances % GLANCES_PER_POLL == 0)
        collect(w->pool);
}

// ---- the keeper ----

// Stores a plan that no alarm comes before.
static uint64_t make_plan(struct twi_pool *pool, uint64_t latest_ns)
{
    for (;;) {
        uint64_t earliest = earliest_ns(pool);
        uint64_t plan = earliest < latest_ns ? earliest : latest_ns;
        TWI_STORE(&pool->watch.plan_ns, plan, TWI_SEQ_CST); // [Q1]
        if (earliest_ns(pool) >= plan)
            return plan;
    }
}

static int64_t time_to(uint64_t plan_ns)
{
    if (plan_ns == TW_NEVER)
        return -1;
    uint64_t now = twi_now_ns();
    return plan_ns > now ? (int64_t)(plan_ns - now) : 0;
}

// It waits in the system's way if something is expected of the system. [W4].
static void wait_at_bell(struct twi_pool *pool, struct twi_bed *bed, int64_t timeout_ns)
{
    TWI_STORE(&bed->polls, 1u, TWI_SEQ_CST);                    // [W4]
    if (TWI_LOAD(&bed->called, TWI_SEQ_CST) == 0 && timeout_ns) // [W4]
        poller_of(pool)->wait(pool, bed->bell, timeout_ns);
    TWI_STORE(&bed->polls, 0u, TWI_SEQ_CST); // [W4]
    twi_bell_still(bed->bell);
}

static int has_bell(struct twi_bed *bed)
{
    if (bed->bell <= 0)
        bed->bell = twi_bell_make();
    return bed->bell > 0;
}

int twi_watch_keep(struct twi_worker *w)
{
    struct twi_pool *pool = w->pool;
    struct twi_bed *bed = &pool->dormitory.beds[w->index];
    uint64_t latest = TW_NEVER;
    int polls = expects(pool) && has_bell(bed);
    int64_t nap_ns = twi_nap(w);
    if (nap_ns >= 0)
        latest = twi_now_ns() + (uint64_t)nap_ns;
    else if (!polls && expects(pool)) // out of descriptors: it looks now and then
        latest = twi_now_ns() + POLL_LAST_NS;
    uint64_t plan = make_plan(pool, latest);
    int64_t timeout = time_to(plan);
    if (polls)
        wait_at_bell(pool, bed, timeout);
    else if (timeout)
        twi_futex_wait(&bed->called, 0u, timeout);
    if (twi_called(bed))
        return 1;
    if (nap_ns >= 0 && !polls && earliest_ns(pool) > twi_now_ns())
        return 0;
    if (twi_keeper_rise(&pool->dormitory, w->index))
        return 1;
    return twi_sleep(&pool->dormitory, w->index, -1); // it is about to be called
}

// ---- the watcher ----

static int all_busy(struct twi_pool *pool)
{
    uint64_t state = TWI_LOAD(&pool->dormitory.state, TWI_SEQ_CST); // [W1]
    return !twi_keeper(state) && !twi_searching(state) && !twi_sleeper(state);
}

static int is_on(struct twi_watch *watch)
{
    return TWI_LOAD(&watch->on, TWI_SEQ_CST) != 0; // [Q3]
}

// Fibers wait in mailboxes: whoever has one is to look there at its next spawn.
static void tell_busy_ones(struct twi_pool *pool)
{
    for (unsigned i = 0; i < pool->count; i++) {
        struct twi_worker *w = &pool->workers[i];
        struct tw_fiber *f = TWI_LOAD(&w->active, TWI_ACQUIRE); // [A1]
        if (!twi_ready_waits(w) || !f)
            continue;
        TWI_STORE(&w->has_mail, 1u, TWI_RELAXED);                  // hint
        TWI_STORE(&f->limit, (struct tw_slot *)NULL, TWI_RELAXED); // [D4]
    }
}

// Whether they do. One that was told may have gone on with another fiber before it looked, and then
// has to be told again.
static int mail_waits(struct twi_pool *pool)
{
    for (unsigned i = 0; i < pool->count; i++)
        if (twi_ready_waits(&pool->workers[i]))
            return 1;
    return 0;
}

static int is_needed(struct twi_pool *pool)
{
    return all_busy(pool) && (twi_watch_needed(pool) || mail_waits(pool));
}

// `kicks` was read before the plan was made.
static void nap(struct twi_watch *watch, uint64_t plan_ns, uint32_t kicks)
{
    int64_t timeout = time_to(plan_ns);
    twi_futex_wait(&watch->kicks, kicks, timeout < 0 ? timeout : timeout + GRACE_NS);
}

static void kick(struct twi_watch *watch)
{
    TWI_FETCH_ADD(&watch->kicks, 1u, TWI_RELEASE); // [Q3]
    twi_futex_wake(&watch->kicks, 1);
}

// The watch is over, unless all became busy meanwhile.
static void go_off(struct twi_pool *pool)
{
    struct twi_watch *watch = &pool->watch;
    TWI_STORE(&watch->on, 0u, TWI_SEQ_CST); // [Q3]
    if (is_needed(pool))
        TWI_STORE(&watch->on, 1u, TWI_SEQ_CST); // [Q3]
}

static void *watcher_main(void *argument)
{
    struct twi_pool *pool = argument;
    struct twi_watch *watch = &pool->watch;
    unsigned idle = 0;
    uint64_t poll_ns = POLL_FIRST_NS;
    for (;;) {
        uint32_t kicks = TWI_LOAD(&watch->kicks, TWI_ACQUIRE); // [Q3]
        if (TWI_LOAD(&watch->stop, TWI_ACQUIRE))               // [Q3]
            return NULL;
        if (!is_on(watch)) {
            twi_futex_wait(&watch->on, 0u, -1);
            idle = 0;
            poll_ns = POLL_FIRST_NS;
            continue;
        }
        if (!is_needed(pool)) {
            nap(watch, twi_now_ns() + LINGER_NS, kicks);
            if (++idle >= LINGER_ROUNDS)
                go_off(pool);
            continue;
        }
        idle = 0;
        int polls = expects(pool) || mail_waits(pool);
        nap(watch, make_plan(pool, polls ? twi_now_ns() + poll_ns : TW_NEVER), kicks);
        if (!all_busy(pool))
            continue;
        twi_watch_look(pool);
        tell_busy_ones(pool);
        poll_ns = poll_ns < POLL_LAST_NS ? 2 * poll_ns : POLL_LAST_NS;
    }
}

static int watcher_start(struct twi_pool *pool)
{
    struct twi_thread how = {.main = watcher_main,
                             .argument = pool,
                             .stack = THREAD_STACK,
                             .mask = pool->mask,
                             .mask_size = pool->mask_size};
    return twi_thread_start(&pool->watch.thread, &how);
}

static void call_watcher(struct twi_pool *pool, uint64_t earliest)
{
    struct twi_watch *watch = &pool->watch;
    if (is_on(watch)) {
        if (earliest < TWI_LOAD(&watch->plan_ns, TWI_SEQ_CST)) // [Q1]
            kick(watch);
        return;
    }
    pthread_mutex_lock(&watch->start);
    if (!watch->started)
        watch->started = watcher_start(pool); // without it alarms ring when a worker looks
    pthread_mutex_unlock(&watch->start);
    TWI_STORE(&watch->on, 1u, TWI_SEQ_CST); // [Q3]
    twi_futex_wake(&watch->on, 1);
}

// ---- passing the watch ----

// The keeper has planned to sleep longer, or does not listen to the system. [Q1]: it does both only
// after it is the keeper.
static void tell_keeper(struct twi_pool *pool, unsigned keeper, uint64_t earliest)
{
    struct twi_bed *bed = &pool->dormitory.beds[keeper];
    if (earliest < TWI_LOAD(&pool->watch.plan_ns, TWI_SEQ_CST) || // [Q1]
        (expects(pool) && !TWI_LOAD(&bed->polls, TWI_SEQ_CST)))   // [Q1]
        twi_keeper_kick(&pool->dormitory, keeper);
}

void twi_watch_pass(struct twi_worker *w)
{
    struct twi_pool *pool = w->pool;
    if (!TWI_LOAD(&pool->watch.used, TWI_RELAXED)) // hint: the first to use it calls this again
        return;
    uint64_t earliest = earliest_ns(pool);
    if (earliest == TW_NEVER && !expects(pool))
        return;
    uint64_t state = TWI_LOAD(&pool->dormitory.state, TWI_SEQ_CST); // [Q1]
    unsigned keeper = twi_keeper(state);
    if (keeper) {
        tell_keeper(pool, keeper - 1, earliest);
    } else if (!twi_searching(state)) {
        if (twi_sleeper(state))
            twi_woke(w, twi_wake_one(&pool->dormitory));
        else
            call_watcher(pool, earliest);
    }
}

// The searcher that let an alarm ring may have found something else before the fiber, as may all
// who searched then; so may a busy worker whose alarm was another one's fiber's.
void twi_watch_mail(struct twi_worker *w)
{
    struct twi_pool *pool = w->pool;
    if (!TWI_LOAD(&pool->watch.rung, TWI_SEQ_CST) || !all_busy(pool)) // [Q4]
        return;
    if (TWI_EXCHANGE(&pool->watch.rung, 0u, TWI_SEQ_CST) && mail_waits(pool)) // [Q4]
        call_watcher(pool, twi_now_ns() + POLL_LAST_NS);
}

// A fiber that goes on, and is not in its loop, may compute for long.
void twi_watch_begin(struct twi_worker *w)
{
    if (!TWI_LOAD(&w->pool->watch.used, TWI_RELAXED))     // hint
        TWI_STORE(&w->pool->watch.used, 1u, TWI_SEQ_CST); // [Q1]
    if (twi_fiber_of(w->active)->running)
        twi_watch_pass(w);
}

// ---- the pool's ----

void twi_watch_init(struct twi_pool *pool)
{
    pthread_mutex_init(&pool->watch.start, NULL);
    pool->watch.plan_ns = TW_NEVER;
}

void twi_watch_end(struct twi_pool *pool)
{
    struct twi_watch *watch = &pool->watch;
    if (watch->started) {
        TWI_STORE(&watch->stop, 1u, TWI_RELEASE); // [Q3]
        TWI_STORE(&watch->on, 1u, TWI_RELEASE);   // [Q3]
        twi_futex_wake(&watch->on, 1);
        kick(watch);
        pthread_join(watch->thread, NULL);
    }
    if (poller_of(pool))
        poller_of(pool)->end(pool);
    pthread_mutex_destroy(&watch->start);
}

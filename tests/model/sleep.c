// SPDX-License-Identifier: Apache-2.0
// Sleeping and waking: the real search.c, park.c, watch.c, join.c and task.c, on a pool of two
// workers. Worker 0 makes work visible in one of the ways there are, then computes without calling
// Twill; the other looks for it, and may lie down. A task that waits while it sleeps is a deadlock.
//
// Time passes by the call: each search looks round once, nudging, then its time is over.
#include <sched.h>
#define sched_yield() look_again()
static void look_again(void);

#include "fibers.h"

#include "sched/park.c"
#include "sched/ready.c"
#include "sched/search.c"
#include "sched/watch.c"
#include "task/join.c"
#include "task/task.c"

#include "internal.h" // mc.running: which thread calls
#include "uncancelled.h"

enum { WORKERS_MAX = 2, CLOCK_STEP_NS = 5000, READY = 3 };

static struct twi_pool pool;
static struct twi_worker workers[WORKERS_MAX];
static struct twi_bed beds[WORKERS_MAX];
static uint64_t clock_ns[WORKERS_MAX];
static struct tw_scope *const root = &scopes[0];

// ---- what the real code calls ----

struct twi_worker *twi_worker_here(void)
{
    return &workers[mc.running];
}

struct twi_worker *twi_worker_maybe(void)
{
    return twi_worker_here();
}

struct tw_fiber *tw_fiber_current(void)
{
    return workers[mc.running].active;
}

uint64_t twi_now_ns(void)
{
    int id = mc.running;
    return clock_ns[id] += CLOCK_STEP_NS;
}

uint64_t twi_now_roughly_ns(void)
{
    return 0;
}

// A round of looking found nothing: all rounds without success are alike.
static void look_again(void)
{
    workers[mc.running].rng.counter = 0;
    model_forget((uint64_t)mc.running);
}

void tw_misuse(const char *what, const char *task)
{
    model_assert_failed("tw_misuse", __FILE__, __LINE__, "%s %s", what, task);
}

void twi_loop(void *fiber)
{
    (void)fiber;
}

struct twi_fiber *twi_fiber_make(struct twi_arena *arena, void (*entry)(void *))
{
    (void)arena, (void)entry;
    return NULL;
}

void twi_fiber_trim(struct twi_fiber *fiber)
{
    (void)fiber;
}

void twi_context_switch(struct twi_context *from, const struct twi_context *to)
{
    (void)from, (void)to;
}

// The watcher: no program needs it to do anything but be called.
int twi_thread_start(pthread_t *thread, const struct twi_thread *how)
{
    (void)thread, (void)how;
    return 1;
}

// The only alarm is fiber READY's.
void twi_alarms_ring(struct twi_pool *of, struct twi_alarms *alarms, uint64_t now_ns)
{
    uint64_t due = TWI_LOAD(&alarms->earliest_ns, TWI_RELAXED);
    if (due > now_ns || !TWI_CAS(&alarms->earliest_ns, &due, TW_NEVER, TWI_ACQ_REL, TWI_RELAXED))
        return;
    (void)of;
    ghost.ready = 1;
    twi_ready(&fibers[READY].fiber.deque);
}

// ---- the pool ----

static void pool_reset(unsigned count)
{
    fibers_reset();
    memset(&pool, 0, sizeof pool);
    memset(workers, 0, sizeof workers);
    memset(beds, 0, sizeof beds);
    memset(clock_ns, 0, sizeof clock_ns);
    pool.dormitory.beds = beds;
    pool.count = count;
    pool.workers = workers;
    pool.crowded = pool.membarrier = 1;
    pool.batch = 1;
    pool.spin_ns = CLOCK_STEP_NS;
    for (unsigned i = 0; i < count; i++) {
        workers[i].pool = &pool;
        workers[i].index = i;
        workers[i].alarms.earliest_ns = TW_NEVER;
        twi_inbox_init(&workers[i].inbox);
        model_name(&workers[i].alarms.earliest_ns, "earliest[%u]", i);
        workers[i].active = &fibers[i].fiber.deque;
        model_name(&workers[i].active, "active[%u]", i);
        model_name(&workers[i].mailbox.newest, "mailbox[%u]", i);
        model_name(&workers[i].stock.count, "stock[%u].count", i);
        model_name(&workers[i].stock.lock.held, "stock[%u].lock", i);
        model_name(&beds[i].called, "called[%u]", i);
        model_name(&beds[i].next, "below[%u]", i);
    }
    model_name(&pool.dormitory.state, "state");
    model_name(&pool.stop, "stop");
    model_name(&pool.watch.used, "used");
}

static void setup_two(void)
{
    pool_reset(2);
}

// Worker 0 is known to run its fibers for too short a time to be worth their way. It computes for
// long all the same.
static void setup_quiet(void)
{
    pool_reset(2);
    workers[0].queue.pace = workers[0].queue.looked = 1;
    model_name(&workers[0].queue.pace, "pace");
    model_name(&workers[0].queue.count, "count");
    model_name(&pool.quiet, "quiet");
}

// And has said so, so that who lies down naps at first.
static void setup_wanted(void)
{
    setup_quiet();
    pool.quiet = TWI_NAP_WANTED;
}

// Fiber READY ran on worker 1 last, and goes to its mailbox, or its inbox.
static void setup_last(void)
{
    pool_reset(2);
    pool.wake = TWI_WAKE_LAST;
    fibers[READY].fiber.home = 1;
}

static void setup_inbox(void)
{
    setup_last();
    pool.has_inboxes = 1;
}

// ---- who makes work ----

static void push(int i)
{
    struct tw_fiber *f = tw_fiber_current();
    twi_push_async(f, TWI_LOAD_OWN(&f->head), &types[i], root);
}

static void make_ready(void)
{
    ghost.ready = 1;
    twi_ready(&fibers[READY].fiber.deque);
}

// ---- who looks for it ----

static int is_ready_fiber(const struct twi_found *found)
{
    if (!found->fiber)
        return 0;
    model_assert(found->fiber == &fibers[READY].fiber, "a fiber nobody readied");
    model_assert(ghost.ready, "the fiber went on twice");
    ghost.ready = 0;
    return 1;
}

static int is_task(const struct twi_found *found)
{
    if (!found->piece)
        return 0;
    note_run(TWI_READ(found->piece->type) - types);
    return 1;
}

static void find_fiber(int id)
{
    struct twi_found found = twi_find(&workers[id]);
    model_assert(is_ready_fiber(&found), "the pool stopped too early");
}

static void find_task(int id)
{
    struct twi_found found = twi_find(&workers[id]);
    model_assert(is_task(&found), "the pool stopped too early");
}

// One of several finds what is there, and stops the others.
static void find_and_stop(int id)
{
    struct twi_found found = twi_find(&workers[id]);
    if (is_ready_fiber(&found) || is_task(&found)) {
        twi_pool_stop(&pool);
        found = twi_find(&workers[id]);
    }
    model_assert(!found.fiber && !found.piece, "work that was never there");
}

// ---- programs ----

static void ready_one(int id)
{
    if (id == 0)
        make_ready();
    else
        find_fiber(id);
}

static void push_one(int id)
{
    if (id == 0)
        push(0);
    else
        find_task(id);
}

static void push_two(int id)
{
    if (id == 0) {
        push(0);
        push(1);
    } else {
        find_task(id);
    }
}

// The fiber that pushes was not active when the other lay down.
static void activate(int id)
{
    if (id == 0) {
        twi_activate(&workers[0], &fibers[READY].fiber);
        push(0);
    } else {
        find_task(id);
    }
}

static void park(int id)
{
    if (id == 0) {
        push(0);
        put_in_stock(&workers[0], &fibers[0].fiber);
        twi_activate(&workers[0], &fibers[READY].fiber);
    } else {
        find_task(id);
    }
}

static void stop_all(int id)
{
    if (id == 0)
        twi_pool_stop(&pool);
    else
        find_and_stop(id);
}

// A sleeper is called for work and for the end at the same time.
static void wake_and_stop(int id)
{
    if (id == 0) {
        twi_announce(&workers[0]);
        twi_pool_stop(&pool);
    } else {
        find_and_stop(id);
    }
}

// An alarm is set by a worker that is busy from then on.
static void alarm_set(int id)
{
    if (id == 0) {
        TWI_STORE(&workers[0].alarms.earliest_ns, (uint64_t)1, TWI_SEQ_CST); // as core/alarm.c
        TWI_STORE(&pool.watch.used, 1u, TWI_SEQ_CST);                        // as twi_watch_begin
        twi_watch_pass(&workers[0]);
    } else {
        find_fiber(id);
    }
}

// An alarm is due; whoever looks lets it ring. The other worker finds the fiber, or a task.
static void setup_due(void)
{
    pool_reset(2);
    pool.watch.used = 1;
    workers[0].alarms.earliest_ns = 1;
    model_name(&pool.watch.rung, "rung");
    model_name(&pool.watch.on, "on");
}

static void alarm_rings(int id)
{
    if (id == 0) {
        push(0);
        ring(&pool, &workers[0].alarms);
        twi_watch_mail(&workers[0]);
    } else {
        struct twi_found found = twi_find(&workers[id]);
        model_assert(is_ready_fiber(&found) || is_task(&found), "the pool stopped too early");
    }
}

static void check_told(void)
{
    model_assert(!ghost.ready || pool.watch.on, "all compute, and nobody is told of the fiber");
}

static void check_found(void)
{
    model_assert(!ghost.ready, "the fiber was never found");
    model_assert(workers[0].stats.wakes <= 2, "%lu woken", (unsigned long)workers[0].stats.wakes);
}

static void check_task_0(void)
{
    check_ran(1);
}

#define PROGRAM(test, before, count, after) NAMED(#test, test, before, count, after)
#define NAMED(text, test, before, count, after)                                                    \
    {                                                                                              \
        .name = (text), .threads = count, .setup = before, .thread = test, .check = after,         \
        .ghost = &ghost, .ghost_size = sizeof ghost,                                               \
    }

static const struct model_program programs[] = {
    PROGRAM(ready_one, setup_two, 2, check_found),
    PROGRAM(push_one, setup_two, 2, check_task_0),
    PROGRAM(push_two, setup_two, 2, check_task_0),
    PROGRAM(activate, setup_two, 2, check_task_0),
    PROGRAM(park, setup_two, 2, check_task_0),
    PROGRAM(wake_and_stop, setup_two, 2, NULL),
    PROGRAM(stop_all, setup_two, 2, NULL),
    PROGRAM(alarm_set, setup_two, 2, check_found),
    PROGRAM(alarm_rings, setup_due, 2, check_told),
    NAMED("ready_quietly", ready_one, setup_quiet, 2, check_found),
    NAMED("ready_wanted", ready_one, setup_wanted, 2, check_found),
    NAMED("ready_there", ready_one, setup_last, 2, check_found),
    NAMED("ready_in_inbox", ready_one, setup_inbox, 2, check_found),
};

int main(int argc, char **argv)
{
    return model_main(programs, sizeof programs / sizeof *programs, argc, argv);
}

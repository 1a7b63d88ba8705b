// SPDX-License-Identifier: Apache-2.0
// What a worker with nothing to do looks at, in this order: what was handed to it, its mailbox, the
// deques of its waiting fibers; then, as a counted searcher, the same of all other workers and the
// deques they run on. After about as long as a wake-up costs it lies down.
//
// A victim that shares nothing but seems to have private tasks is asked (limit = 0) to share at its
// next push; if it does not answer in time, a task is taken from it by a nudge. A failed nudge
// doubles the time to the next.
//
// Edges:
//  [O2] outside release/acquire: who calls it sees what it works on (place/run.c).
#define _GNU_SOURCE
#include <sched.h>

#include "base/os.h"
#include "rule/victim.h"
#include "sched/sched.h"

enum {
    NUDGE_FIRST_NS = 4000,
    OUTSIDE_NS = 3000, // of a search in vain, before other places are asked
    ROUNDS_PER_CLOCK = 16,
    SLEEP_BOUND_NS = 2000000, // where the system has no membarrier
    TRIM_PAUSE_NS = 20000000,
};

// One search: what was found and what is known so far.
struct search {
    struct twi_worker *w;
    uint64_t begun_ns, nudge_ns, nudge_wait_ns;
    int patient;    // no nudges yet
    int is_outside; // it has looked there
};

static int is_stopped(struct twi_pool *pool)
{
    return TWI_LOAD(&pool->stop, TWI_SEQ_CST) != 0; // [W1]
}

// A task taken from a deque: its spawner counted it, whoever runs it will count it again.
static int took(struct twi_worker *victim, const struct tw_slot *piece)
{
    if (piece)
        TWI_FETCH_ADD(&victim->lost, (uint64_t)1, TWI_RELAXED); // relaxed: statistic
    return piece != NULL;
}

static int found_in_bag(struct twi_found *found, struct twi_bag *bag)
{
    struct twi_detached *task = twi_bag_take(bag);
    if (task) {
        found->piece = &task->slot;
        found->detached = task;
    }
    return task != NULL;
}

static int found_in_bags(struct twi_found *found, struct twi_worker *w)
{
    return found_in_bag(found, &w->bag[TWI_NORMAL]) || found_in_bag(found, &w->bag[TWI_STOLEN]);
}

// Urgent tasks of all workers, one's own first.
static int found_urgent(struct twi_worker *w, struct twi_found *found)
{
    struct twi_pool *pool = w->pool;
    if (TWI_LOAD(&pool->urgent, TWI_RELAXED) == 0) // hint
        return 0;
    for (unsigned i = 0; i < pool->count; i++) {
        struct twi_worker *other = &pool->workers[(w->index + i) % pool->count];
        if (found_in_bag(found, &other->bag[TWI_HIGH])) {
            TWI_FETCH_SUB(&pool->urgent, 1u, TWI_RELAXED); // hint
            return 1;
        }
    }
    return 0;
}

// Fibers that can go on.
static int found_resumed(struct twi_worker *w, struct twi_found *found)
{
    found->fiber = twi_ready_take(w);
    if (found->fiber)
        return 1;
    struct twi_mail *mail = twi_turns_take(&w->turns, 1);
    if (mail)
        found->fiber = twi_fiber_of_mail(mail);
    return mail != NULL;
}

// Tasks that have not started.
static int found_fresh(struct twi_worker *w, struct twi_found *found)
{
    if (found_in_bags(found, w))
        return 1;
    found->piece = twi_stock_steal(&w->stock);
    return took(w, found->piece);
}

// Fibers that are kept from going on by others which are ready again and again: the last in line,
// or one that gave way, by turns.
static int found_old(struct twi_worker *w, struct twi_found *found)
{
    struct twi_mail *mail = ++w->wraps % 2 ? twi_turns_take(&w->turns, 1) : NULL;
    found->fiber = mail ? twi_fiber_of_mail(mail) : twi_ready_take_last(w);
    return found->fiber != NULL;
}

// So many have gone on that it is time for others; or a fiber gave way to all (park.c).
static int find_others(struct twi_worker *w, struct twi_found *found)
{
    int gave_way = w->resumed > TWI_RESUMED_MOST;
    twi_pace_measure(w);
    w->resumed = 0;
    twi_ready_collect(w);
    return found_fresh(w, found) || (!gave_way && found_old(w, found));
}

static int find_own(struct twi_worker *w, struct twi_found *found)
{
    if (w->errand) {
        found->piece = &w->errand->slot;
        found->detached = w->errand;
        w->errand = NULL;
        return 1;
    }
    if (w->handed) {
        found->fiber = w->handed;
        w->handed = NULL;
        return 1;
    }
    twi_watch_glance(w);
    if (found_urgent(w, found))
        return 1;
    if (++w->resumed >= TWI_RESUMED_MOST && find_others(w, found))
        return 1;
    return found_resumed(w, found) || found_fresh(w, found);
}

static void ask_to_share(struct tw_fiber *f)
{
    if (TWI_LOAD(&f->limit, TWI_RELAXED) != NULL)                  // hint
        TWI_STORE(&f->limit, (struct tw_slot *)NULL, TWI_RELAXED); // [D4]
}

// The active fiber of a victim.
static int steal_active(struct search *s, struct twi_worker *victim, struct twi_found *found)
{
    struct tw_fiber *f = TWI_LOAD(&victim->active, TWI_ACQUIRE); // [A1]
    if (!f)
        return 0;
    s->w->stats.steals_tried++;
    if (twi_deque_steal(f, &found->piece) == TWI_STEAL_GOT) {
        s->w->stats.steals++;
        twi_trace_taken(s->w->ring, TWI_EVENT_STEAL, s->w->active, victim->index);
        return took(victim, found->piece);
    }
    if (!twi_deque_hides(f))
        return 0;
    ask_to_share(f);
    if (s->patient || !s->w->pool->membarrier)
        return 0;
    s->w->stats.nudges_tried++;
    found->piece = twi_deque_nudge(f, 1);
    if (found->piece) {
        s->w->stats.nudges++;
        twi_trace_taken(s->w->ring, TWI_EVENT_NUDGE, s->w->active, victim->index);
    }
    return took(victim, found->piece);
}

// Fibers that are ready at a victim.
static int steal_fibers(struct search *s, struct twi_worker *victim, struct twi_found *found)
{
    found->fiber = twi_ready_steal(s->w, victim, s->patient);
    struct twi_mail *mail = found->fiber ? NULL : twi_turns_take(&victim->turns, 0);
    if (mail)
        found->fiber = twi_fiber_of_mail(mail);
    return found->fiber != NULL;
}

static int steal_from(struct search *s, struct twi_worker *victim, struct twi_found *found)
{
    if (victim != s->w && steal_active(s, victim, found))
        return 1;
    if (steal_fibers(s, victim, found) || found_in_bags(found, victim))
        return 1;
    found->piece = twi_stock_steal(&victim->stock);
    if (found->piece) {
        s->w->stats.steals++;
        twi_trace_taken(s->w->ring, TWI_EVENT_STEAL, s->w->active, victim->index);
    }
    return took(victim, found->piece);
}

static int look_around(struct search *s, struct twi_found *found)
{
    struct twi_pool *pool = s->w->pool;
    if (found_urgent(s->w, found))
        return 1;
    struct twi_tour tour = twi_tour_begin(&s->w->rng, pool->count);
    for (unsigned i = 0; i < pool->count; i++)
        if (steal_from(s, &pool->workers[twi_tour_next(&tour)], found))
            return 1;
    for (unsigned i = 0; i < pool->count; i++)
        if (found_in_bag(found, &pool->workers[twi_tour_next(&tour)].bag[TWI_LOW]))
            return 1;
    return 0;
}

static int bags_empty(struct twi_worker *w)
{
    for (int i = 0; i < TWI_BAGS; i++)
        if (!twi_bag_empty(&w->bag[i]))
            return 0;
    return 1;
}

static void look_outside(struct search *s)
{
    const struct twi_outside *outside = TWI_LOAD(&s->w->pool->outside, TWI_ACQUIRE); // [O2]
    if (!outside)
        return;
    s->is_outside = 1;
    outside->search(s->w->pool);
}

static void leave_outside(const struct search *s)
{
    const struct twi_outside *outside = TWI_LOAD(&s->w->pool->outside, TWI_ACQUIRE); // [O2]
    if (s->is_outside && outside)
        outside->found(s->w->pool);
}

// Searches until something is found (1) or it is time to sleep (0).
static int search_awhile(struct search *s, struct twi_found *found)
{
    struct twi_pool *pool = s->w->pool;
    s->begun_ns = twi_now_ns();
    s->nudge_wait_ns = NUDGE_FIRST_NS;
    s->nudge_ns = s->begun_ns + s->nudge_wait_ns;
    uint64_t now = s->begun_ns;
    for (unsigned round = 1;; round++) {
        int is_last = 0;
        s->patient = 1;
        if (round % ROUNDS_PER_CLOCK == 1 || pool->crowded) {
            now = twi_now_ns();
            twi_watch_look(pool);
            is_last = now - s->begun_ns >= pool->spin_ns;
            if (now >= s->nudge_ns || is_last) { // whoever wants to sleep has tried everything
                s->patient = 0;
                s->nudge_wait_ns *= 2;
                s->nudge_ns = now + s->nudge_wait_ns;
            }
        }
        if (look_around(s, found) || is_stopped(pool))
            return 1;
        if (is_last)
            return 0;
        if (s->is_outside || now - s->begun_ns >= OUTSIDE_NS)
            look_outside(s);
        if (pool->crowded || twi_watch_expects(pool))
            sched_yield();
        else
            twi_relax();
    }
}

// ---- sleeping ----

// Asks every running fiber that has not been asked. 1: there were some.
static int ask_everyone(struct twi_pool *pool)
{
    int asked = 0;
    for (unsigned i = 0; i < pool->count; i++) {
        struct tw_fiber *f = TWI_LOAD(&pool->workers[i].active, TWI_ACQUIRE); // [A1]
        if (f && TWI_LOAD(&f->limit, TWI_RELAXED) != NULL) {                  // [D4]
            TWI_STORE(&f->limit, (struct tw_slot *)NULL, TWI_RELAXED);        // [D4]
            asked = 1;
        }
    }
    return asked;
}

// A fiber that became active before the first membarrier, and has not seen that someone lies down,
// is seen after it; those that come later see it themselves.
static void ask_and_fence(struct twi_pool *pool)
{
    (void)ask_everyone(pool);
    twi_membarrier(); // [D4] [A1]
    if (ask_everyone(pool))
        twi_membarrier(); // [D4]
}

// Whether the deque of a running fiber has tasks to take. One read of the word for both questions:
// between two the owner might move tasks from one answer to the other.
static int has_tasks(struct tw_fiber *f, int private_too)
{
    struct twi_ends e = twi_word_ends(TWI_LOAD(&f->word, TWI_SEQ_CST)); // [W1]
    return e.top < e.split ||
           (private_too && twi_low(TWI_LOAD(&f->head, TWI_RELAXED)) > e.split); // [D4]
}

static int is_work_visible(struct twi_worker *me)
{
    struct twi_pool *pool = me->pool;
    for (unsigned i = 0; i < pool->count; i++) {
        struct twi_worker *w = &pool->workers[i];
        if (twi_ready_waits(w) || !twi_turns_empty(&w->turns) || !twi_stock_empty(&w->stock) ||
            !bags_empty(w))
            return 1;
        struct tw_fiber *f = TWI_LOAD(&w->active, TWI_ACQUIRE); // [A1]
        if (f && w != me && has_tasks(f, pool->membarrier))
            return 1;
    }
    return 0;
}

// 1: it was called. While nothing happens, memory that nobody uses goes back to the system.
static int sleep_once(struct twi_worker *w, int slept)
{
    struct twi_pool *pool = w->pool;
    int64_t bound_ns = pool->membarrier ? twi_nap(w) : SLEEP_BOUND_NS;
    if (twi_idle_trim(pool, slept > 0) && bound_ns < 0)
        bound_ns = TRIM_PAUSE_NS;
    return twi_sleep(&pool->dormitory, w->index, bound_ns);
}

static void sleep_awhile(struct twi_worker *w)
{
    struct twi_pool *pool = w->pool;
    w->stats.sleeps++;
    int keeps = twi_lie_down(&pool->dormitory, w->index, twi_watch_needed(pool));
    TWI_FENCE(TWI_SEQ_CST); // [D4] entering the stack comes before the requests
    ask_and_fence(pool);
    twi_nap_begin(w);
    int slept = 0;
    do {
        if (is_stopped(pool))
            break;
        if (is_work_visible(w))
            twi_woke(w, twi_wake_one(&pool->dormitory));
        if (!keeps)
            twi_watch_pass(w); // what it expects itself may come before all that the keeper knows
    } while (!(keeps ? twi_watch_keep(w) : sleep_once(w, slept++)));
    twi_nap_end(w);
}

void twi_pool_stop(struct twi_pool *pool)
{
    TWI_STORE(&pool->stop, 1u, TWI_SEQ_CST); // [W1] made visible like work
    for (unsigned i = 0; i < pool->count; i++) {
        struct twi_bed *bed = &pool->dormitory.beds[i];
        TWI_STORE(&bed->called, (uint32_t)TWI_GET_UP, TWI_SEQ_CST); // [W2] [W4]
        twi_bed_call(bed);
    }
}

struct twi_found twi_find(struct twi_worker *w)
{
    struct twi_found found = {NULL, NULL, NULL};
    if (find_own(w, &found)) {
        if (TWI_LOAD(&w->alarms.earliest_ns, TWI_RELAXED) != TW_NEVER || // hint
            TWI_LOAD(&w->pool->watch.expected, TWI_RELAXED))             // hint
            twi_watch_pass(w);
        if (TWI_LOAD(&w->pool->watch.rung, TWI_RELAXED)) // hint: its own it sees
            twi_watch_mail(w);
        return found;
    }
    if (is_stopped(w->pool))
        return found;
    found.fiber = twi_ready_await(w);
    if (found.fiber)
        return found;
    struct search s = {.w = w};
    twi_pace_pause(w);
    TWI_STORE(&w->is_idle, 1u, TWI_RELAXED); // hint
    twi_search_begin(&w->pool->dormitory);
    while (!search_awhile(&s, &found)) {
        twi_trace(w->ring, TWI_EVENT_SLEEP, w->active, NULL);
        const struct twi_outside *outside = TWI_LOAD(&w->pool->outside, TWI_ACQUIRE); // [O2]
        if (outside)
            outside->idle(w->pool);
        sleep_awhile(w);
        twi_trace(w->ring, TWI_EVENT_AWAKE, w->active, NULL);
        if (is_stopped(w->pool))
            return found;
    }
    TWI_STORE(&w->is_idle, 0u, TWI_RELAXED); // hint
    leave_outside(&s);
    twi_ready_ask_no_more(w->pool);
    twi_woke(w, twi_search_found(&w->pool->dormitory));
    twi_watch_pass(w);
    twi_watch_mail(w);
    return found;
}

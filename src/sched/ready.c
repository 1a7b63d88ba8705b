// SPDX-License-Identifier: Apache-2.0
// Fibers that can go on: where they wait for it, who takes them, and who is told.
//
// A worker has a queue of its own (core/queue.h), an inbox and a mailbox that others put fibers
// into, and another mailbox with those it offers to thieves. A thief is told of a fiber only if
// fibers run for so long there that one is worth its way (rule/wake.h). Else the queue is quiet:
// nobody is called, but one of those who sleep looks now and then whether the worker still gets on
// with it.
//
// Edges:
//  [B5] quiet: a worker puts a fiber into its queue, then reads quiet; who gives up napping clears
//       it, calls membarrier, then looks at the queues. Forbidden: both miss, for then nobody looks
//       after a worker that computes for long.
#include "sched/sched.h"

enum {
    LOOKS_FOR_MAIL = 16,
    PACE_LEAST = 16, // fibers that must have run for an average
    NAP_NS = 500000,
#ifdef TWI_MODEL
    NAPS_MOST = 1,
#else
    NAPS_MOST = 8, // without any fiber in line, before it sleeps on
#endif
};

// ---- taking ----

// Some of the queue's where others can take them.
static void offer(struct twi_worker *w)
{
    struct twi_chain chain = {NULL, NULL};
    if (twi_queue_answer(&w->queue, w->pool->batch, &chain)) {
        twi_mailbox_put_chain(&w->offered, &chain);     // [M2]
        twi_woke(w, twi_wake_one(&w->pool->dormitory)); // [M2]
    }
}

static void line_up(struct twi_worker *w, struct twi_mail *mail, int at_front)
{
    if (!twi_queue_put(&w->queue, mail, at_front))
        twi_mailbox_put(&w->offered, mail); // [M2]
}

// Of the mailbox: in the order in which they would be taken from it, before all others.
static void fetch_first(struct twi_worker *w)
{
    struct twi_mail *mail = twi_mailbox_take_all(&w->mailbox), *reversed = NULL, *next;
    for (; mail; mail = next) {
        next = TWI_LOAD(&mail->next, TWI_RELAXED);     // relaxed: ours since it was taken
        TWI_STORE(&mail->next, reversed, TWI_RELAXED); // relaxed: likewise
        reversed = mail;
    }
    for (; reversed; reversed = next) {
        next = TWI_LOAD(&reversed->next, TWI_RELAXED); // relaxed: ours
        line_up(w, reversed, 1);
    }
}

// What others sent stands in line. 0: nothing.
static int fetch_mail(struct twi_worker *w)
{
    struct twi_mail *mail;
    int any = !twi_mailbox_seems_empty(&w->mailbox);
    fetch_first(w);
    while ((mail = twi_inbox_take(&w->inbox)) != NULL) {
        any = 1;
        line_up(w, mail, 0);
    }
    w->is_fed |= any;
    return any;
}

static struct twi_mail *take(struct twi_worker *w)
{
    struct twi_mail *mail = twi_queue_take(&w->queue);
    if (!mail && fetch_mail(w))
        mail = twi_queue_take(&w->queue);
    return mail ? mail : twi_mailbox_take(&w->offered);
}

struct twi_fiber *twi_ready_take(struct twi_worker *w)
{
    if (twi_queue_asked(&w->queue))
        offer(w);
    if (TWI_UNLIKELY(!twi_mailbox_seems_empty(&w->mailbox)))
        fetch_first(w);
    struct twi_mail *mail = take(w);
    if (!mail)
        return NULL;
    struct twi_mail *next = twi_queue_peek(&w->queue, 0), *later = twi_queue_peek(&w->queue, 1);
    if (next)
        twi_fiber_prefetch_stack(twi_fiber_of_mail(next));
    if (later)
        twi_fiber_prefetch(twi_fiber_of_mail(later));
    return twi_fiber_of_mail(mail);
}

struct twi_fiber *twi_ready_await(struct twi_worker *w)
{
    if (!w->is_fed || w->pool->crowded)
        return NULL;
    for (int looks = 0; looks < LOOKS_FOR_MAIL; looks++) {
        if (!twi_inbox_empty(&w->inbox) || !twi_mailbox_seems_empty(&w->mailbox))
            return twi_ready_take(w);
        twi_relax();
    }
    w->is_fed = 0;
    return NULL;
}

struct twi_fiber *twi_ready_take_last(struct twi_worker *w)
{
    struct twi_chain chain = {NULL, NULL};
    if (twi_queue_enter(&w->queue)) {
        (void)twi_queue_split(&w->queue, 1, &chain);
        twi_queue_leave(&w->queue);
    }
    return chain.first ? twi_fiber_of_mail(chain.first) : NULL;
}

void twi_ready_collect(struct twi_worker *w)
{
    (void)fetch_mail(w);
}

// From a queue whose owner has to be asked, or, when it takes long to answer, robbed.
static struct twi_mail *steal_queued(struct twi_worker *w, struct twi_queue *q, int patient,
                                     struct twi_chain *chain)
{
    if (!(patient ? twi_queue_lined(q) : !twi_queue_empty(q)) || !twi_wake_pays(twi_queue_pace(q)))
        return NULL;
    twi_queue_ask(q);
    if (patient || !w->pool->membarrier || !twi_queue_rob(q, w->pool->batch, chain))
        return NULL;
    struct twi_mail *mail = chain->first;
    chain->first = mail == chain->last ? NULL : TWI_LOAD(&mail->next, TWI_RELAXED); // relaxed: ours
    return mail;
}

struct twi_fiber *twi_ready_steal(struct twi_worker *w, struct twi_worker *victim, int patient)
{
    struct twi_chain chain = {NULL, NULL};
    struct twi_mail *mail = twi_mailbox_take_half(&victim->offered, w->pool->batch, &chain);
    if (!mail)
        mail = twi_mailbox_take_half(&victim->mailbox, w->pool->batch, &chain);
    if (!mail && !twi_inbox_empty(&victim->inbox))
        mail = twi_inbox_take(&victim->inbox);
    if (!mail)
        mail = steal_queued(w, &victim->queue, patient, &chain);
    if (mail && chain.first)
        twi_mailbox_put_chain(&w->offered, &chain); // [M2]
    return mail ? twi_fiber_of_mail(mail) : NULL;
}

void twi_ready_ask_no_more(struct twi_pool *pool)
{
    for (unsigned i = 0; i < pool->count; i++)
        twi_queue_ask_no_more(&pool->workers[i].queue);
}

int twi_ready_waits(struct twi_worker *w)
{
    return !twi_mailbox_empty(&w->mailbox) || !twi_mailbox_empty(&w->offered) ||
           !twi_inbox_empty(&w->inbox) ||
           (!twi_queue_empty(&w->queue) && twi_wake_pays(twi_queue_pace(&w->queue)));
}

// ---- pace ----

// A fiber that readies many is long at it, though it hands out little work for each: two of them
// count as one that ran. A worker that lost its processor seems slow, so the pace doubles at
// most each time.
static void note_pace(struct twi_worker *w, uint64_t pace)
{
    uint64_t last = twi_queue_pace(&w->queue), most = last ? 2 * last : pace;
    if (pace > most)
        pace = most;
    TWI_STORE(&w->queue.pace, pace < UINT32_MAX ? (uint32_t)pace : UINT32_MAX, TWI_RELAXED); // hint
}

void twi_pace_measure(struct twi_worker *w)
{
    uint64_t steps = w->stats.parks + w->readied / 2, ran = steps - w->pace_steps;
    if (w->pace_since_ns && ran < PACE_LEAST)
        return;
    uint64_t now = twi_now_ns();
    if (w->pace_since_ns)
        note_pace(w, (now - w->pace_since_ns) / ran + 1);
    w->pace_since_ns = now;
    w->pace_steps = steps;
}

void twi_pace_pause(struct twi_worker *w)
{
    if (w->pace_since_ns)
        twi_pace_measure(w);
    w->pace_since_ns = 0;
}

// ---- naps ----

// What one who naps sees in the queues.
enum line { LINE_EMPTY, LINE_MOVES, LINE_STUCK };

// A worker whose queue did not move since the last look computes for long after all.
static enum line look_after(struct twi_queue *q)
{
    if (twi_queue_empty(q))
        return LINE_EMPTY;
    uint32_t first = TWI_LOAD(&q->first, TWI_RELAXED);      // hint
    int stuck = first == TWI_LOAD(&q->looked, TWI_RELAXED); // hint
    TWI_STORE(&q->looked, first, TWI_RELAXED);              // hint
    if (stuck)
        TWI_STORE(&q->pace, 0u, TWI_RELAXED); // hint
    return stuck ? LINE_STUCK : LINE_MOVES;
}

static enum line look_after_all(struct twi_pool *pool)
{
    enum line worst = LINE_EMPTY;
    for (unsigned i = 0; i < pool->count; i++) {
        enum line one = look_after(&pool->workers[i].queue);
        if (one > worst)
            worst = one;
    }
    return worst;
}

void twi_nap_begin(struct twi_worker *w)
{
    struct twi_pool *pool = w->pool;
    uint32_t quiet = TWI_LOAD(&pool->quiet, TWI_RELAXED); // rechecked by the swap
    w->naps = 0;
    if (quiet == TWI_NAP_WANTED || (!quiet && look_after_all(pool) != LINE_EMPTY))
        (void)TWI_CAS(&pool->quiet, &quiet, TWI_NAPPER + w->index, TWI_RELAXED,
                      TWI_RELAXED); // [B5]
}

void twi_nap_end(struct twi_worker *w)
{
    uint32_t mine = TWI_NAPPER + w->index;
    if (TWI_LOAD(&w->pool->quiet, TWI_RELAXED) == mine)          // hint: only it changes that
        TWI_STORE(&w->pool->quiet, TWI_NAP_WANTED, TWI_RELAXED); // hint: who lies down next naps
}

int64_t twi_nap(struct twi_worker *w)
{
    struct twi_pool *pool = w->pool;
    if (TWI_LOAD(&pool->quiet, TWI_RELAXED) != TWI_NAPPER + w->index) // hint: only it changes that
        return -1;
    enum line line = look_after_all(pool);
    w->naps = line == LINE_EMPTY ? w->naps + 1 : 0;
    if (w->naps >= NAPS_MOST) {
        TWI_STORE(&pool->quiet, 0u, TWI_RELAXED); // [B5]
        twi_membarrier();                         // [B5]
        line = look_after_all(pool);
        if (line == LINE_EMPTY)
            return -1;
    }
    if (line == LINE_STUCK) {
        TWI_STORE(&pool->quiet, TWI_NAP_WANTED, TWI_RELAXED); // hint: it will get up
        return 0;
    }
    TWI_STORE(&pool->quiet, TWI_NAPPER + w->index, TWI_RELAXED); // hint
    return NAP_NS;
}

// ---- waking ----

// A fiber waits in the worker's own queue, and someone sleeps.
static __attribute__((noinline)) void announce_to_sleepers(struct twi_worker *w)
{
    struct twi_pool *pool = w->pool;
    if (!twi_wake_pays(twi_queue_pace(&w->queue)))
        TWI_STORE(&pool->quiet, TWI_NAP_WANTED, TWI_RELAXED); // hint
    twi_woke(w, twi_wake_one(&pool->dormitory));              // [B4]
}

static inline void announce(struct twi_worker *w)
{
    struct twi_pool *pool = w->pool;
    TWI_COMPILER_FENCE();                        // [B4] [B5]
    if (!twi_someone_sleeps(&pool->dormitory) || // [B4]
        (TWI_LOAD(&pool->quiet, TWI_RELAXED) &&  // [B5]
         !twi_wake_pays(twi_queue_pace(&w->queue))))
        return;
    announce_to_sleepers(w);
}

static inline void put_ready(struct twi_worker *w, struct tw_fiber *fiber, unsigned home,
                             enum twi_wake wake, int at_front)
{
    struct twi_mail *mail = &twi_fiber_of(fiber)->mail;
    w->readied++;
    unsigned place = twi_wake_place(wake, w->index, home, twi_queue_pace(&w->queue));
    if (place == w->index && w->pool->membarrier && twi_queue_put(&w->queue, mail, at_front)) {
        announce(w);
        return;
    }
    struct twi_worker *to = &w->pool->workers[place];
    if (w->pool->has_inboxes && twi_inbox_put(&to->inbox, mail))
        TWI_COMPILER_FENCE(); // [B4]
    else
        twi_mailbox_put(&to->mailbox, mail);        // [M2]
    twi_woke(w, twi_wake_one(&w->pool->dormitory)); // [B4] [M2]
}

void twi_ready(struct tw_fiber *fiber)
{
    struct twi_worker *w = twi_worker_here();
    put_ready(w, fiber, twi_fiber_of(fiber)->home, w->pool->wake, 1);
}

void twi_ready_in_turn(struct tw_fiber *fiber, unsigned home, enum twi_wake wake)
{
    struct twi_worker *w = twi_worker_here();
    put_ready(w, fiber, home, wake == TWI_WAKE_AUTO ? w->pool->wake : wake, 0);
}

void twi_ready_chain(struct twi_pool *pool, const struct twi_chain *chain)
{
    struct twi_worker *w = twi_worker_maybe();
    struct twi_fiber *first = twi_fiber_of_mail(chain->first);
    if (w && w->pool == pool) {
        unsigned place = twi_wake_place_found(pool->wake, w->index, first->home);
        twi_mailbox_put_chain(&pool->workers[place].mailbox, chain); // [M2]
        twi_woke(w, twi_wake_one(&pool->dormitory));                 // [M2]
        return;
    }
    twi_visit_enter(pool);
    twi_mailbox_put_chain(&pool->workers[first->home].mailbox, chain); // [M2]
    twi_announce_in(pool);
    twi_visit_leave(pool);
}

void twi_ready_anywhere(struct tw_fiber *fiber)
{
    struct twi_mail *mail = &twi_fiber_of(fiber)->mail;
    twi_ready_chain(twi_fiber_of(fiber)->pool, &(struct twi_chain){mail, mail});
}

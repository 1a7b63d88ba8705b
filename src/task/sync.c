// SPDX-License-Identifier: Apache-2.0
// The slow halves of mutexes, and semaphores and conditions (include/twill/sync.h).
//
// Each has a line of waiting tasks under a guard, a lock held for a few instructions and never
// across a switch. A task enters the line in the publish step of its park, so that it can be woken
// from then on; that step looks once more whether there is still something to wait for.
//
// Invariants:
//  - A mutex or semaphore is marked TWI_WAITED exactly while its line is not empty. Mark and line
//    change together, under the guard, and no fast path applies to a marked state: so whoever has
//    the guard and sees the mark is the only one who can change the state. A mark that was seen
//    without the guard may be gone.
//  - Who waits is given what it waits for by who wakes it. Nothing is free while someone waits.
//  - Whoever wakes a task has dropped the guard before, and touches nothing of the object after: a
//    task that got what it wanted may free it.
//
// A signalled task is moved from the condition's line to its mutex's, or given the mutex.
//
// Edges:
//  [X1] state of a mutex: release by who unlocks; acquire by who finds it free. A mutex that is
//       handed over goes with the fiber, by [M1].
//  [X2] state of a semaphore: release by who adds to the count; acquire by who takes off it.
#include <string.h>

#include <twill/sync.h>

#include "core/line.h"
#include "core/order.h"
#include "sched/wait.h"
#include "task/misuse.h"

// One task that waits, on its own stack.
struct sync_wait {
    struct twi_wait wait; // first
    struct twi_waiter waiter;
    struct tw_mutex *mutex; // wanted, perhaps after the condition; NULL: it waits for a semaphore
    struct tw_semaphore *semaphore;
    struct tw_condition *condition;
    int got; // a permit, without having waited
};

static struct sync_wait *wait_of(struct twi_waiter *waiter)
{
    return (struct sync_wait *)((char *)waiter - offsetof(struct sync_wait, waiter));
}

// ---- misuse ----

static void require(int good, const char *kind, const char *name, const char *what)
{
    if (!good)
        twi_misuse_of(kind, name, what);
}

static struct tw_fiber *fiber_here(const char *kind, const char *name)
{
    struct tw_fiber *f = tw_fiber_current();
    require(f != NULL, kind, name, "used outside a task");
    return f;
}

// ---- mutexes ----

static int is_holder(struct tw_mutex *m, const struct tw_fiber *f)
{
    uintptr_t state = TWI_LOAD(&m->state, TWI_RELAXED); // relaxed: only f itself makes it f's
    return f && (state & ~(uintptr_t)TWI_WAITED) == (uintptr_t)f;
}

// By who has the guard, when the last of the line is gone: the mark goes too.
static void unmark_mutex(struct tw_mutex *m)
{
    uintptr_t state = TWI_LOAD(&m->state, TWI_RELAXED); // relaxed: marked, so the guard's
    if (twi_line_empty(&m->line) && (state & TWI_WAITED))
        TWI_STORE(&m->state, state & ~(uintptr_t)TWI_WAITED, TWI_RELAXED); // relaxed: still held
}

// The waiter takes its mutex or enters the line, which it does not if its time was up before. 1: it
// has the mutex; 0: it waits; -1: neither.
static int enter(struct sync_wait *wait)
{
    struct tw_mutex *m = wait->mutex;
    uintptr_t fiber = (uintptr_t)TWI_READ(wait->waiter.fiber);
    twi_line_lock(&m->line);
    uintptr_t state = TWI_LOAD(&m->state, TWI_RELAXED); // rechecked by [X1] or the mark's swap
    int got = 0, marked = 0;
    while (!got && !marked) {
        if (!state)
            got = TWI_CAS(&m->state, &state, fiber, TWI_ACQUIRE, TWI_RELAXED); // [X1]
        else // relaxed: who meets the mark asks for the guard
            marked = (state & TWI_WAITED) ||
                     TWI_CAS(&m->state, &state, state | TWI_WAITED, TWI_RELAXED, TWI_RELAXED);
    }
    if (!got && TWI_READ(wait->waiter.word) && !twi_wait_arm(&wait->wait)) {
        got = -1;
        unmark_mutex(m);
    } else if (!got) {
        twi_line_append(&m->line, &wait->waiter);
    }
    twi_line_unlock(&m->line);
    return got;
}

// The fiber's own, or on its behalf once it is parked.
static void give_up(struct tw_mutex *m, struct tw_fiber *f)
{
    uintptr_t state = (uintptr_t)f;
    if (TWI_CAS(&m->state, &state, (uintptr_t)0, TWI_RELEASE, TWI_RELAXED)) // [X1]
        return;
    int early;
    twi_line_lock(&m->line);
    struct twi_waiter *next = twi_line_pop(&m->line, &early);
    struct tw_fiber *holder = next ? TWI_READ(next->fiber) : NULL;
    uintptr_t mark = twi_line_empty(&m->line) ? 0 : TWI_WAITED;
    TWI_STORE(&m->state, (uintptr_t)holder | mark, TWI_RELEASE); // [X1] if all who waited are gone;
                                                                 // a new holder learns by [M1]
    twi_line_unlock(&m->line);
    if (holder)
        twi_ready_anywhere(holder);
}

// A task that waits for nothing but the mutex.
static void grant(struct sync_wait *wait)
{
    struct tw_fiber *f = TWI_READ(wait->waiter.fiber);
    TWI_WRITE(wait->waiter.word, (uint64_t *)NULL);
    if (enter(wait))
        twi_ready_anywhere(f);
}

static void publish_grant(void *wait)
{
    grant(wait);
}

static int enlist_lock(struct twi_wait *wait)
{
    struct sync_wait *this = (struct sync_wait *)wait;
    twi_waiter_init(&this->waiter, wait);
    return enter(this) == 0;
}

static void leave_mutex(struct tw_mutex *m, struct twi_waiter *waiter)
{
    twi_line_lock(&m->line);
    if (TWI_READ(waiter->line)) {
        twi_line_unlink(&m->line, waiter);
        unmark_mutex(m);
    }
    twi_line_unlock(&m->line);
}

void tw_mutex_init(struct tw_mutex *m, const char *name)
{
    *m = (struct tw_mutex)TW_MUTEX_INIT(name);
}

void tw_mutex_destroy(struct tw_mutex *m)
{
    uintptr_t state = TWI_LOAD(&m->state, TWI_RELAXED); // relaxed: nobody else may use it
    require(!(state & TWI_WAITED), "mutex", m->name, "destroyed while tasks wait for it");
    require(!state, "mutex", m->name, "destroyed while a task holds it");
    twi_order_forget(m);
}

void tw_mutex_wait(struct tw_mutex *m, struct tw_fiber *f)
{
    require(f != NULL, "mutex", m->name, "used outside a task");
    require(!is_holder(m, f), "mutex", m->name, "locked again by the task that holds it");
    if (f->checks_locks)
        twi_order_add(m, twi_fiber_of(f)->held);
    uintptr_t state = 0;
    if (!TWI_CAS(&m->state, &state, (uintptr_t)f, TWI_ACQUIRE, TWI_RELAXED)) { // [X1]
        struct sync_wait wait = {.waiter = {.fiber = f}, .mutex = m};
        twi_park_for("mutex", m, publish_grant, &wait);
    }
    if (f->checks_locks)
        twi_held_push(&twi_fiber_of(f)->held, m);
}

int tw_mutex_lock_until(struct tw_mutex *m, uint64_t deadline_ns)
{
    struct tw_fiber *f = fiber_here("mutex", m->name);
    require(!is_holder(m, f), "mutex", m->name, "locked again by the task that holds it");
    if (tw_mutex_attempt(m, f))
        return 0;
    if (f->checks_locks)
        twi_order_add(m, twi_fiber_of(f)->held);
    struct sync_wait wait = {
        .wait = {.what = "mutex", .on = m, .deadline_ns = deadline_ns, .enlist = enlist_lock},
        .mutex = m};
    enum twi_waits how = twi_wait_for(&wait.wait);
    if (how != TWI_DONE) {
        leave_mutex(m, &wait.waiter);
        if (!is_holder(m, f)) // else its time was up when it had just taken it
            return twi_wait_error(how);
    }
    if (f->checks_locks)
        twi_held_push(&twi_fiber_of(f)->held, m);
    return 0;
}

int tw_mutex_attempt(struct tw_mutex *m, struct tw_fiber *f)
{
    require(f != NULL, "mutex", m->name, "used outside a task");
    uintptr_t state = 0;
    if (!TWI_CAS(&m->state, &state, (uintptr_t)f, TWI_ACQUIRE, TWI_RELAXED)) // [X1]
        return 0;
    if (f->checks_locks)
        twi_held_push(&twi_fiber_of(f)->held, m);
    return 1;
}

void tw_mutex_pass(struct tw_mutex *m, struct tw_fiber *f)
{
    require(f != NULL, "mutex", m->name, "used outside a task");
    if (!is_holder(m, f))
        twi_misuse_of("mutex", m->name,
                      TWI_LOAD(&m->state, TWI_RELAXED) // hint
                          ? "unlocked by a task that does not hold it"
                          : "unlocked, but nobody holds it");
    if (f->checks_locks)
        twi_held_remove(&twi_fiber_of(f)->held, m);
    give_up(m, f);
}

// ---- semaphores ----

void tw_semaphore_init(struct tw_semaphore *s, const char *name, uint32_t count)
{
    *s = (struct tw_semaphore)TW_SEMAPHORE_INIT(name, count);
}

void tw_semaphore_destroy(struct tw_semaphore *s)
{
    uint64_t state = TWI_LOAD(&s->state, TWI_RELAXED); // relaxed: nobody else may use it
    require(!(state & TWI_WAITED), "semaphore", s->name, "destroyed while tasks wait for it");
}

static int take_permit(struct tw_semaphore *s)
{
    uint64_t state = TWI_LOAD(&s->state, TWI_RELAXED); // rechecked by [X2]
    while (state >= TWI_PERMIT)
        if (TWI_CAS(&s->state, &state, state - TWI_PERMIT, TWI_ACQUIRE, TWI_RELAXED)) // [X2]
            return 1;
    return 0;
}

static void unmark_semaphore(struct tw_semaphore *s)
{
    if (twi_line_empty(&s->line)) // relaxed: marked, so the guard's
        TWI_STORE(&s->state, (uint64_t)0, TWI_RELAXED);
}

static int enlist_acquire(struct twi_wait *wait)
{
    struct sync_wait *this = (struct sync_wait *)wait;
    struct tw_semaphore *s = this->semaphore;
    int got = 0, marked = 0;
    twi_waiter_init(&this->waiter, wait);
    twi_line_lock(&s->line);
    while (!got && !marked) {
        uint64_t state = 0;
        got = take_permit(s);
        if (!got) // relaxed: who meets the mark asks for the guard
            marked = TWI_CAS(&s->state, &state, (uint64_t)TWI_WAITED, TWI_RELAXED, TWI_RELAXED) ||
                     (state & TWI_WAITED);
    }
    this->got = got;
    int waits = !got && twi_wait_arm(wait);
    if (waits)
        twi_line_append(&s->line, &this->waiter);
    else if (!got)
        unmark_semaphore(s);
    twi_line_unlock(&s->line);
    return waits;
}

static void leave_semaphore(struct tw_semaphore *s, struct twi_waiter *waiter)
{
    twi_line_lock(&s->line);
    if (TWI_READ(waiter->line)) {
        twi_line_unlink(&s->line, waiter);
        unmark_semaphore(s);
    }
    twi_line_unlock(&s->line);
}

int tw_semaphore_acquire_until(struct tw_semaphore *s, uint64_t deadline_ns)
{
    (void)fiber_here("semaphore", s->name);
    if (take_permit(s))
        return 0;
    struct sync_wait wait = {.wait = {.what = "semaphore",
                                      .on = s,
                                      .deadline_ns = deadline_ns,
                                      .enlist = enlist_acquire},
                             .semaphore = s};
    enum twi_waits how = twi_wait_for(&wait.wait);
    if (how == TWI_DONE)
        return 0;
    leave_semaphore(s, &wait.waiter);
    return wait.got ? 0 : twi_wait_error(how); // its time was up when it had just got one
}

int tw_semaphore_acquire(struct tw_semaphore *s)
{
    return tw_semaphore_acquire_until(s, TW_NEVER);
}

int tw_semaphore_try(struct tw_semaphore *s)
{
    (void)fiber_here("semaphore", s->name);
    return take_permit(s);
}

// 0: tasks wait.
static int add_permits(struct tw_semaphore *s, uint32_t count)
{
    uint64_t state = TWI_LOAD(&s->state, TWI_RELAXED); // rechecked by [X2]
    while (!(state & TWI_WAITED))
        if (TWI_CAS(&s->state, &state, state + (uint64_t)count * TWI_PERMIT, TWI_RELEASE,
                    TWI_RELAXED)) // [X2]
            return 1;
    return 0;
}

// Gives permits to up to `count` who wait, as a list in *first; the rest is for those to come. 0:
// another release has emptied the line before, and the state is open to all again.
static int give_permits(struct tw_semaphore *s, uint32_t count, struct twi_waiter **first)
{
    struct twi_waiter *last = NULL, *waiter;
    int early;
    twi_line_lock(&s->line);
    int waited = !twi_line_empty(&s->line);
    for (; count && (waiter = twi_line_pop(&s->line, &early)) != NULL; count--) {
        TWI_WRITE(waiter->next, (struct twi_waiter *)NULL);
        if (last)
            TWI_WRITE(last->next, waiter);
        else
            *first = waiter;
        last = waiter;
    }
    if (waited && twi_line_empty(&s->line))
        TWI_STORE(&s->state, (uint64_t)count * TWI_PERMIT, TWI_RELEASE); // [X2]
    twi_line_unlock(&s->line);
    return waited;
}

void tw_semaphore_release(struct tw_semaphore *s, uint32_t count)
{
    (void)fiber_here("semaphore", s->name);
    struct twi_waiter *waiter = NULL, *next;
    while (count && !add_permits(s, count) && !give_permits(s, count, &waiter))
        continue;
    for (; waiter; waiter = next) {
        next = TWI_READ(waiter->next);
        twi_ready_anywhere(TWI_READ(waiter->fiber));
    }
}

// ---- conditions ----

void tw_condition_init(struct tw_condition *c, const char *name)
{
    *c = (struct tw_condition)TW_CONDITION_INIT(name);
}

void tw_condition_destroy(struct tw_condition *c)
{
    require(twi_line_empty(&c->line), "condition", c->name, "destroyed while tasks wait for it");
}

// It is in the line before it gives up the mutex, so that no signal is missed, and is armed after:
// one that comes in between is early, and leaves it to the waiter to take the mutex.
static int enlist_signal(struct twi_wait *wait)
{
    struct sync_wait *this = (struct sync_wait *)wait;
    struct tw_condition *c = this->condition;
    struct tw_fiber *f = wait->fiber;
    twi_waiter_init(&this->waiter, wait);
    twi_line_lock(&c->line);
    twi_line_append(&c->line, &this->waiter);
    twi_line_unlock(&c->line);
    give_up(this->mutex, f);
    return twi_waits_arm(&twi_fiber_of(f)->waits, wait->ticket);
}

int tw_condition_wait_until(struct tw_condition *c, struct tw_mutex *m, uint64_t deadline_ns)
{
    struct tw_fiber *f = fiber_here("condition", c->name);
    require(is_holder(m, f), "condition", c->name,
            "waited for by a task that does not hold the mutex");
    if (f->checks_locks) { // before the wait, which may never end
        twi_held_remove(&twi_fiber_of(f)->held, m);
        twi_order_add(m, twi_fiber_of(f)->held);
    }
    struct sync_wait wait = {
        .wait = {.what = "condition", .on = c, .deadline_ns = deadline_ns, .enlist = enlist_signal},
        .mutex = m,
        .condition = c};
    enum twi_waits how = twi_wait_for(&wait.wait);
    if (how != TWI_DONE)
        (void)twi_line_leave(&c->line, &wait.waiter);
    if (!is_holder(m, f))
        tw_mutex_wait(m, f);
    else if (f->checks_locks)
        twi_held_push(&twi_fiber_of(f)->held, m);
    return twi_wait_error(how);
}

int tw_condition_wait(struct tw_condition *c, struct tw_mutex *m)
{
    return tw_condition_wait_until(c, m, TW_NEVER);
}

void tw_condition_signal(struct tw_condition *c)
{
    int early;
    (void)fiber_here("condition", c->name);
    twi_line_lock(&c->line);
    struct twi_waiter *waiter = twi_line_pop(&c->line, &early);
    twi_line_unlock(&c->line);
    if (waiter && !early)
        grant(wait_of(waiter));
}

void tw_condition_broadcast(struct tw_condition *c)
{
    (void)fiber_here("condition", c->name);
    twi_line_lock(&c->line);
    struct twi_waiter *waiter = twi_line_pop_all(&c->line), *next;
    twi_line_unlock(&c->line);
    for (; waiter; waiter = next) {
        next = TWI_READ(waiter->next);
        grant(wait_of(waiter));
    }
}

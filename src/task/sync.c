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
#include <stdio.h>
#include <string.h>

#include <twill/sync.h>

#include "base/lock.h"
#include "core/order.h"
#include "sched/sched.h"

// One task that waits, on its own stack.
struct twi_waiter {
    struct twi_waiter *next; // in the line, under its guard
    struct tw_fiber *fiber;
    struct twi_pool *pool;
    struct tw_mutex *mutex; // wanted, perhaps after the condition; NULL: it waits for a semaphore
    struct tw_semaphore *semaphore;
    struct tw_condition *condition;
};

// ---- misuse ----

__attribute__((noreturn, cold)) static void misuse(const char *kind, const char *name,
                                                   const char *what)
{
    char text[300];
    snprintf(text, sizeof text, "%s '%.100s': %s", kind, name, what);
    tw_misuse(text, "");
}

static void require(int good, const char *kind, const char *name, const char *what)
{
    if (!good)
        misuse(kind, name, what);
}

static struct tw_fiber *fiber_here(const char *kind, const char *name)
{
    struct tw_fiber *f = tw_fiber_current();
    require(f != NULL, kind, name, "used outside a task");
    return f;
}

// ---- lines ----

static struct twi_lock *guard_of(struct tw_line *line)
{
    return (struct twi_lock *)&line->guard;
}

static void line_append(struct tw_line *line, struct twi_waiter *waiter)
{
    struct twi_waiter *last = TWI_READ(line->last);
    TWI_WRITE(waiter->next, (struct twi_waiter *)NULL);
    if (last)
        TWI_WRITE(last->next, waiter);
    else
        TWI_WRITE(line->first, waiter);
    TWI_WRITE(line->last, waiter);
}

static int line_empty(const struct tw_line *line)
{
    return !TWI_READ(line->first);
}

static struct twi_waiter *line_pop(struct tw_line *line)
{
    struct twi_waiter *waiter = TWI_READ(line->first);
    if (!waiter)
        return NULL;
    struct twi_waiter *next = TWI_READ(waiter->next);
    TWI_WRITE(line->first, next);
    if (!next)
        TWI_WRITE(line->last, next);
    return waiter;
}

// It has what it waited for. It may be a task of another run.
static void wake(const struct twi_waiter *waiter)
{
    twi_ready_in(TWI_READ(waiter->pool), TWI_READ(waiter->fiber));
}

// ---- mutexes ----

static int is_holder(struct tw_mutex *m, const struct tw_fiber *f)
{
    uintptr_t state = TWI_LOAD(&m->state, TWI_RELAXED); // relaxed: only f itself makes it f's
    return f && (state & ~(uintptr_t)TWI_WAITED) == (uintptr_t)f;
}

// The waiter takes its mutex or enters the line. 1: it has it, and is to be woken.
static int enter(struct twi_waiter *waiter)
{
    struct tw_mutex *m = TWI_READ(waiter->mutex);
    uintptr_t fiber = (uintptr_t)TWI_READ(waiter->fiber);
    twi_lock_take(guard_of(&m->line));
    uintptr_t state = TWI_LOAD(&m->state, TWI_RELAXED); // rechecked by [X1] or the mark's swap
    int got = 0, marked = 0;
    while (!got && !marked) {
        if (!state)
            got = TWI_CAS(&m->state, &state, fiber, TWI_ACQUIRE, TWI_RELAXED); // [X1]
        else // relaxed: who meets the mark asks for the guard
            marked = (state & TWI_WAITED) ||
                     TWI_CAS(&m->state, &state, state | TWI_WAITED, TWI_RELAXED, TWI_RELAXED);
    }
    if (!got)
        line_append(&m->line, waiter);
    twi_lock_drop(guard_of(&m->line));
    return got;
}

// The fiber's own, or on its behalf once it is parked.
static void give_up(struct tw_mutex *m, struct tw_fiber *f)
{
    uintptr_t state = (uintptr_t)f;
    if (TWI_CAS(&m->state, &state, (uintptr_t)0, TWI_RELEASE, TWI_RELAXED)) // [X1]
        return;
    twi_lock_take(guard_of(&m->line));
    struct twi_waiter *next = line_pop(&m->line);
    uintptr_t mark = line_empty(&m->line) ? 0 : TWI_WAITED;
    state = (uintptr_t)TWI_READ(next->fiber) | mark;
    TWI_STORE(&m->state, state, TWI_RELAXED); // relaxed: the new holder learns of it by [M1]
    twi_lock_drop(guard_of(&m->line));
    wake(next);
}

static void grant(void *argument)
{
    struct twi_waiter *waiter = argument;
    if (enter(waiter))
        wake(waiter);
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
        struct twi_waiter waiter = {.fiber = f, .pool = twi_worker_here()->pool, .mutex = m};
        twi_park(grant, &waiter);
    }
    if (f->checks_locks)
        twi_held_push(&twi_fiber_of(f)->held, m);
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
        misuse("mutex", m->name,
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

static void publish_acquire(void *argument)
{
    struct twi_waiter *waiter = argument;
    struct tw_semaphore *s = waiter->semaphore;
    int got = 0, marked = 0;
    twi_lock_take(guard_of(&s->line));
    while (!got && !marked) {
        uint64_t state = 0;
        got = take_permit(s);
        if (!got) // relaxed: who meets the mark asks for the guard
            marked = TWI_CAS(&s->state, &state, (uint64_t)TWI_WAITED, TWI_RELAXED, TWI_RELAXED) ||
                     (state & TWI_WAITED);
    }
    if (!got)
        line_append(&s->line, waiter);
    twi_lock_drop(guard_of(&s->line));
    if (got)
        wake(waiter);
}

void tw_semaphore_acquire(struct tw_semaphore *s)
{
    struct tw_fiber *f = fiber_here("semaphore", s->name);
    if (take_permit(s))
        return;
    struct twi_waiter waiter = {.fiber = f, .pool = twi_worker_here()->pool, .semaphore = s};
    twi_park(publish_acquire, &waiter);
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

// Takes up to `count` waiters out of the line, as a list; the rest is for those to come. NULL:
// another release has emptied the line before, and the state is open to all again.
static struct twi_waiter *give_permits(struct tw_semaphore *s, uint32_t count)
{
    twi_lock_take(guard_of(&s->line));
    struct twi_waiter *first = TWI_READ(s->line.first), *last = NULL;
    for (; count && !line_empty(&s->line); count--)
        last = line_pop(&s->line);
    if (last)
        TWI_WRITE(last->next, (struct twi_waiter *)NULL);
    if (last && line_empty(&s->line))
        TWI_STORE(&s->state, (uint64_t)count * TWI_PERMIT, TWI_RELEASE); // [X2]
    twi_lock_drop(guard_of(&s->line));
    return first;
}

void tw_semaphore_release(struct tw_semaphore *s, uint32_t count)
{
    (void)fiber_here("semaphore", s->name);
    struct twi_waiter *waiter = NULL, *next;
    while (count && !waiter && !add_permits(s, count))
        waiter = give_permits(s, count);
    for (; waiter; waiter = next) {
        next = TWI_READ(waiter->next);
        wake(waiter);
    }
}

// ---- conditions ----

void tw_condition_init(struct tw_condition *c, const char *name)
{
    *c = (struct tw_condition)TW_CONDITION_INIT(name);
}

void tw_condition_destroy(struct tw_condition *c)
{
    require(line_empty(&c->line), "condition", c->name, "destroyed while tasks wait for it");
}

// A signal may move the waiter to the mutex's line at once, but the mutex is held until here: so
// the waiter stays until it is given up.
static void publish_wait(void *argument)
{
    struct twi_waiter *waiter = argument;
    struct tw_condition *c = waiter->condition;
    struct tw_mutex *m = TWI_READ(waiter->mutex);
    struct tw_fiber *f = TWI_READ(waiter->fiber);
    twi_lock_take(guard_of(&c->line));
    line_append(&c->line, waiter);
    twi_lock_drop(guard_of(&c->line));
    give_up(m, f);
}

void tw_condition_wait(struct tw_condition *c, struct tw_mutex *m)
{
    struct tw_fiber *f = fiber_here("condition", c->name);
    require(is_holder(m, f), "condition", c->name,
            "waited for by a task that does not hold the mutex");
    if (f->checks_locks) {
        twi_held_remove(&twi_fiber_of(f)->held, m);
        twi_order_add(m, twi_fiber_of(f)->held);
    }
    struct twi_waiter waiter = {
        .fiber = f, .pool = twi_worker_here()->pool, .mutex = m, .condition = c};
    twi_park(publish_wait, &waiter);
    if (f->checks_locks)
        twi_held_push(&twi_fiber_of(f)->held, m);
}

void tw_condition_signal(struct tw_condition *c)
{
    (void)fiber_here("condition", c->name);
    twi_lock_take(guard_of(&c->line));
    struct twi_waiter *waiter = line_pop(&c->line);
    twi_lock_drop(guard_of(&c->line));
    if (waiter)
        grant(waiter);
}

void tw_condition_broadcast(struct tw_condition *c)
{
    (void)fiber_here("condition", c->name);
    twi_lock_take(guard_of(&c->line));
    struct twi_waiter *waiter = TWI_READ(c->line.first), *next;
    TWI_WRITE(c->line.first, (struct twi_waiter *)NULL);
    TWI_WRITE(c->line.last, (struct twi_waiter *)NULL);
    twi_lock_drop(guard_of(&c->line));
    for (; waiter; waiter = next) {
        next = TWI_READ(waiter->next);
        grant(waiter);
    }
}

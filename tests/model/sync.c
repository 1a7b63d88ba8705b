// SPDX-License-Identifier: Apache-2.0
// Mutexes, semaphores and conditions: the real sync.c and the inlined halves of sync.h, by two or
// three tasks, each on a thread of its own. A fiber that parks spins here until it is readied.
#include "waits.h"

#include "task/sync.c"

enum { HOLDS = 1, ENDED };

static struct tw_mutex mutex;
static struct tw_semaphore semaphore, other;
static struct tw_condition condition;
static uint32_t shared; // plain: of who holds the mutex

static struct {
    unsigned char inside, rounds;
} counts;

// ---- what sync.c calls ----

void twi_order_add(struct tw_mutex *wanted, struct tw_mutex *held)
{
    (void)wanted, (void)held;
}

void twi_order_forget(struct tw_mutex *gone)
{
    (void)gone;
}

// ---- set-up ----

static void name_line(struct tw_line *line, const char *of)
{
    model_name(&line->guard, "%s.guard", of);
    model_name(&line->first, "%s.first", of);
    model_name(&line->last, "%s.last", of);
}

static void setup(void)
{
    waits_reset();
    shared = 0;
    mutex = (struct tw_mutex)TW_MUTEX_INIT("mutex");
    semaphore = (struct tw_semaphore)TW_SEMAPHORE_INIT("semaphore", 0);
    other = (struct tw_semaphore)TW_SEMAPHORE_INIT("other", 1);
    condition = (struct tw_condition)TW_CONDITION_INIT("condition");
    model_name(&mutex.state, "mutex");
    model_name(&semaphore.state, "semaphore");
    model_name(&other.state, "other");
    model_name(&shared, "shared");
    name_line(&mutex.line, "mutex");
    name_line(&semaphore.line, "semaphore");
    name_line(&other.line, "other");
    name_line(&condition.line, "condition");
}

// The first task holds the mutex already.
static void setup_held(void)
{
    setup();
    mutex.state = (uintptr_t)&fibers[0].fiber.deque;
    shared = counts.inside = 1;
}

// ---- sections ----

static void section_enter(void)
{
    counts.inside++;
    model_assert(counts.inside == 1, "%d are inside", counts.inside);
    TWI_WRITE(shared, TWI_READ(shared) + 1);
}

static void section_leave(void)
{
    counts.inside--;
    counts.rounds++;
}

static void lock(void)
{
    tw_mutex_lock(&mutex);
    model_forget(HOLDS);
    section_enter();
}

static void unlock(void)
{
    section_leave();
    tw_mutex_unlock(&mutex);
    model_forget(ENDED);
}

static void check_line(struct tw_line *line)
{
    model_assert(!line->guard && !line->first && !line->last, "the line is not empty");
}

static void check_mutex(void)
{
    model_assert(!mutex.state, "the mutex is held");
    model_assert(shared == counts.rounds, "%u of %u rounds are seen", shared, counts.rounds);
    check_line(&mutex.line);
}

// ---- programs ----

static void two_wait(int id)
{
    if (id > 0)
        lock();
    unlock();
}

static void lock_twice(int id)
{
    (void)id;
    for (int i = 0; i < 2; i++) {
        lock();
        unlock();
        model_forget(ENDED + i);
    }
}

static void lock_and_try(int id)
{
    if (id == 1) {
        lock();
    } else if (id == 2) {
        if (!tw_mutex_trylock(&mutex))
            return;
        section_enter();
    }
    unlock();
}

// The last of two to hold the mutex frees it: nobody looks at it any more.
static void free_after(int id)
{
    (void)id;
    lock();
    uint32_t order = TWI_READ(shared);
    unlock();
    if (order < 2)
        return;
    TWI_WRITE(mutex.line.guard, 0u);
    TWI_WRITE(mutex.line.first, (struct twi_waiter *)NULL);
    TWI_WRITE(mutex.line.last, (struct twi_waiter *)NULL);
}

// A semaphore of one, as a mutex.
static void one_permit(int id)
{
    (void)id;
    tw_semaphore_acquire(&other);
    model_forget(HOLDS);
    section_enter();
    section_leave();
    tw_semaphore_release(&other, 1);
    model_forget(ENDED);
}

// Two wait for what one gives at once, with a rest that one of them tries for.
static void two_permits(int id)
{
    if (id == 2) {
        TWI_WRITE(shared, 7u);
        tw_semaphore_release(&semaphore, 2);
        return;
    }
    tw_semaphore_acquire(&semaphore);
    model_forget(HOLDS);
    model_assert(TWI_READ(shared) == 7, "what was done before the release is not seen");
    counts.rounds++;
}

static void check_two_permits(void)
{
    model_assert(counts.rounds == 2, "%d came through", counts.rounds);
    model_assert(semaphore.state == 0, "the count is %u", (unsigned)semaphore.state);
    check_line(&semaphore.line);
}

// More than those who wait need: the rest is there for who comes later.
static void permits_left(int id)
{
    if (id == 0) {
        TWI_WRITE(shared, 7u);
        tw_semaphore_release(&semaphore, 2);
    } else if (id == 1 || tw_semaphore_try(&semaphore)) {
        if (id == 1)
            tw_semaphore_acquire(&semaphore);
        model_assert(TWI_READ(shared) == 7, "what was done before the release is not seen");
        counts.rounds++;
    }
}

static void check_permits_left(void)
{
    model_assert(counts.rounds + semaphore.state / TWI_PERMIT == 2, "%d came through, %u are left",
                 counts.rounds, (unsigned)(semaphore.state / TWI_PERMIT));
    check_line(&semaphore.line);
}

// Both may find a task waiting; one of them comes too late.
static void two_releases(int id)
{
    if (id == 0) {
        tw_semaphore_acquire(&semaphore);
        model_forget(HOLDS);
    } else {
        tw_semaphore_release(&semaphore, (uint32_t)id);
        model_forget(ENDED);
    }
}

static void check_two_releases(void)
{
    model_assert(semaphore.state == 2 * TWI_PERMIT, "the state is %u", (unsigned)semaphore.state);
    check_line(&semaphore.line);
}

static void await_flag(void)
{
    lock();
    while (TWI_READ(shared) < 100) {
        counts.inside--;
        tw_condition_wait(&condition, &mutex);
        counts.inside++;
        model_assert(counts.inside == 1, "%d are inside", counts.inside);
    }
    unlock();
}

static void wait_and_signal(int id)
{
    if (id == 0) {
        await_flag();
        return;
    }
    lock();
    TWI_WRITE(shared, 100u);
    tw_condition_signal(&condition);
    unlock();
}

static void wait_and_broadcast(int id)
{
    if (id > 0) {
        await_flag();
        return;
    }
    TWI_WRITE(shared, 100u);
    unlock();
    tw_condition_broadcast(&condition);
}

static void check_condition(void)
{
    model_assert(!mutex.state, "the mutex is held");
    check_line(&mutex.line);
    check_line(&condition.line);
}

#define PROGRAM(test, count, before, after)                                                        \
    {                                                                                              \
        .name = #test, .threads = count, .setup = before, .thread = test, .check = after,          \
        .ghost = &counts, .ghost_size = sizeof counts,                                             \
    }

static const struct model_program programs[] = {
    PROGRAM(lock_twice, 2, setup, check_mutex),
    PROGRAM(two_wait, 3, setup_held, check_mutex),
    PROGRAM(lock_and_try, 3, setup_held, check_mutex),
    PROGRAM(free_after, 2, setup, NULL),
    PROGRAM(one_permit, 2, setup, NULL),
    PROGRAM(two_permits, 3, setup, check_two_permits),
    PROGRAM(permits_left, 3, setup, check_permits_left),
    PROGRAM(two_releases, 3, setup, check_two_releases),
    PROGRAM(wait_and_signal, 2, setup, check_condition),
    PROGRAM(wait_and_broadcast, 3, setup_held, check_condition),
};

int main(int argc, char **argv)
{
    return model_main(programs, sizeof programs / sizeof *programs, argc, argv);
}

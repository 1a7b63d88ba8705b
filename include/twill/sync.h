// SPDX-License-Identifier: Apache-2.0
// Mutexes, semaphores and conditions for tasks. A task that waits gives up its worker; the thread
// goes on with other tasks, and nothing is ever run on top of the waiting one.
//
//     static struct tw_mutex books = TW_MUTEX_INIT("books");
//
//     tw_mutex_lock(&books);
//     balance -= amount;
//     tw_mutex_unlock(&books);
//
// Order: whoever waits is served first come, first served. An unlock with tasks waiting hands the
// mutex to the oldest of them; a task that comes later, or the one that just unlocked, cannot get
// in between. So nobody starves, and nothing is looked for twice.
//
// All of them are for tasks, of any runs and pools: waiting needs a fiber.
// After a wait a task may go on in another thread. A cancelled attempt ends waits for semaphores
// and conditions, but not tw_mutex_lock. Misuse ends the program with a message that has the name
// given at the start, which is not copied.
//
// Edges (the rest of them in src/task/sync.c):
//  [X1] state release/acquire: who takes a mutex sees all that was done by those who held it.
#ifndef TWILL_SYNC_H
#define TWILL_SYNC_H

#include <stddef.h>
#include <stdint.h>

#include <twill/api.h>
#include <twill/line.h>
#include <twill/task.h>

#ifdef TWILL_SERIAL
#include <twill/serial_sync.h>
#else

struct tw_mutex {
    uintptr_t state; // 0: free; else the holder's fiber, and TWI_WAITED when the line is not empty
    const char *name;
    struct tw_line line;
    struct tw_mutex *below; // what its holder took before it, where the order is checked
    uint32_t node;          // its number there (src/core/order.h); 0: none yet
};

struct tw_semaphore {
    uint64_t state; // the count in steps of TWI_PERMIT; or TWI_WAITED: none, and tasks wait
    const char *name;
    struct tw_line line;
};

struct tw_condition {
    const char *name;
    struct tw_line line;
};

#define TWI_WAITED 1u
#define TWI_PERMIT 2u

// Initialisers: struct tw_mutex books = TW_MUTEX_INIT("books");
#define TW_MUTEX_INIT(text)                                                                        \
    {                                                                                              \
        0, (text), {0, NULL, NULL}, NULL, 0                                                        \
    }
#define TW_SEMAPHORE_INIT(text, count)                                                             \
    {                                                                                              \
        (uint64_t)(count) * TWI_PERMIT, (text),                                                    \
        {                                                                                          \
            0, NULL, NULL                                                                          \
        }                                                                                          \
    }
#define TW_CONDITION_INIT(text)                                                                    \
    {                                                                                              \
        (text),                                                                                    \
        {                                                                                          \
            0, NULL, NULL                                                                          \
        }                                                                                          \
    }

#ifdef __cplusplus
extern "C" {
#endif

// ---- mutexes ----

// The same as TW_MUTEX_INIT, for memory that is there already. Never suspends; any thread.
TW_API void tw_mutex_init(struct tw_mutex *mutex, const char *name);

// The mutex is used no more; one that is held, or waited for, is a misuse. Not needed but for the
// setting lock-check, which forgets it. Never suspends; any thread.
TW_API void tw_mutex_destroy(struct tw_mutex *mutex);

// tw_mutex_lock(&mutex)  takes it, waits for it if need be: may suspend. From a task. Locking what
// the task holds already is a misuse.
#define tw_mutex_lock(mutex) twi_mutex_lock((mutex), TWI_SYNC_FIBER)

// The same, but the wait ends at the deadline (TW_ETIMEDOUT), or when what the task is inside of is
// cancelled (TW_ECANCELED); then the mutex was not taken. 0: it was. May suspend; from a task.
TW_API int tw_mutex_lock_until(struct tw_mutex *mutex, uint64_t deadline_ns);

// tw_mutex_trylock(&mutex)  is 1 when it took the mutex, 0 when that would have meant to wait, even
// if the calling task is the holder. Never suspends; from a task.
#define tw_mutex_trylock(mutex) twi_mutex_trylock((mutex), TWI_SYNC_FIBER)

// tw_mutex_unlock(&mutex)  gives it to the task that waits longest, if any. The task that locked it
// calls this, in the same body or in plain functions. Never suspends.
#define tw_mutex_unlock(mutex) twi_mutex_unlock((mutex), TWI_SYNC_FIBER)

// ---- semaphores ----

// The same as TW_SEMAPHORE_INIT. Never suspends; any thread.
TW_API void tw_semaphore_init(struct tw_semaphore *semaphore, const char *name, uint32_t count);

// The semaphore is used no more; one that is waited for is a misuse. Never suspends; any thread.
TW_API void tw_semaphore_destroy(struct tw_semaphore *semaphore);

// Takes one off the count; waits while there is none: may suspend. From a task. 0, or nothing was
// taken: TW_ECANCELED, or TW_ETIMEDOUT after the deadline.
TW_API int tw_semaphore_acquire(struct tw_semaphore *semaphore);
TW_API int tw_semaphore_acquire_until(struct tw_semaphore *semaphore, uint64_t deadline_ns);

// 1 when one was taken off, 0 when that would have meant to wait. Never suspends; from a task.
TW_API int tw_semaphore_try(struct tw_semaphore *semaphore);

// Adds `count`; tasks that wait get theirs first, the oldest before the others. Never suspends;
// from a task.
TW_API void tw_semaphore_release(struct tw_semaphore *semaphore, uint32_t count);

// ---- conditions ----

// The same as TW_CONDITION_INIT. Never suspends; any thread.
TW_API void tw_condition_init(struct tw_condition *condition, const char *name);

// The condition is used no more; one that is waited for is a misuse. Never suspends; any thread.
TW_API void tw_condition_destroy(struct tw_condition *condition);

// Gives up the mutex, which the task holds, and waits to be signalled; holds the mutex again when
// it returns. 0: it was signalled, but what was signalled may have changed again before the mutex
// was free: look in a loop. Else TW_ECANCELED, or TW_ETIMEDOUT after the deadline. Suspends; from a
// task.
TW_API int tw_condition_wait(struct tw_condition *condition, struct tw_mutex *mutex);
TW_API int tw_condition_wait_until(struct tw_condition *condition, struct tw_mutex *mutex,
                                   uint64_t deadline_ns);

// The task that waits longest, or all of them, go to wait for their mutex. Without effect when
// nobody waits. The mutex need not be held, but what is signalled must be changed under it. Neither
// suspends; from a task.
TW_API void tw_condition_signal(struct tw_condition *condition);
TW_API void tw_condition_broadcast(struct tw_condition *condition);

// ---- what the macros are made of ----

// Slow halves; not for direct use. `fiber` is the caller's, NULL outside a task. The first may
// suspend.
TW_API void tw_mutex_wait(struct tw_mutex *mutex, struct tw_fiber *fiber);
TW_API int tw_mutex_attempt(struct tw_mutex *mutex, struct tw_fiber *fiber);
TW_API void tw_mutex_pass(struct tw_mutex *mutex, struct tw_fiber *fiber);

#ifdef __cplusplus
}
#endif

// The body of a task knows its fiber, which is its own for as long as it runs.
#define TWI_SYNC_FIBER                                                                             \
    (twi_known(twi_fiber) ? twi_fiber : twi_scope ? twi_scope->fiber : tw_fiber_current())

// 0 also where the slow half has more to do: outside tasks, and where the order is checked.
TWI_INLINE int twi_mutex_take(struct tw_mutex *mutex, const struct tw_fiber *fiber)
{
    uintptr_t is_free = 0;
    return TWI_LIKELY(fiber && !fiber->checks_locks) &&
           TWI_LIKELY(TWI_CAS(&mutex->state, &is_free, (uintptr_t)fiber, TWI_ACQUIRE,
                              TWI_RELAXED)); // [X1]
}

TWI_INLINE void twi_mutex_lock(struct tw_mutex *mutex, struct tw_fiber *fiber)
{
    if (!twi_mutex_take(mutex, fiber))
        tw_mutex_wait(mutex, fiber);
}

TWI_INLINE int twi_mutex_trylock(struct tw_mutex *mutex, struct tw_fiber *fiber)
{
    return twi_mutex_take(mutex, fiber) || tw_mutex_attempt(mutex, fiber);
}

TWI_INLINE void twi_mutex_unlock(struct tw_mutex *mutex, struct tw_fiber *fiber)
{
    uintptr_t held = (uintptr_t)fiber;
    if (TWI_UNLIKELY(!fiber || fiber->checks_locks) ||
        TWI_UNLIKELY(!TWI_CAS(&mutex->state, &held, (uintptr_t)0, TWI_RELEASE, TWI_RELAXED)))
        tw_mutex_pass(mutex, fiber); // [X1] above: the holder publishes what it did
}

#endif
#endif

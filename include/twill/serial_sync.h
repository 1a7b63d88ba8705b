// SPDX-License-Identifier: Apache-2.0
// sync.h in the sequential elision: nobody else runs, so a wait would never end. It is a misuse, as
// it would be without tasks.
#ifndef TWILL_SERIAL_SYNC_H
#define TWILL_SERIAL_SYNC_H
#ifdef TWILL_SERIAL

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <twill/api.h>

struct tw_mutex {
    const char *name;
    int held;
};

struct tw_semaphore {
    const char *name;
    uint64_t count;
};

struct tw_condition {
    const char *name;
};

#define TW_MUTEX_INIT(text)                                                                        \
    {                                                                                              \
        (text), 0                                                                                  \
    }
#define TW_SEMAPHORE_INIT(text, count)                                                             \
    {                                                                                              \
        (text), (count)                                                                            \
    }
#define TW_CONDITION_INIT(text)                                                                    \
    {                                                                                              \
        (text)                                                                                     \
    }

static inline void twi_serial_require(int good, const char *kind, const char *name,
                                      const char *what)
{
    if (good)
        return;
    (void)fprintf(stderr, "twill: %s '%s': %s\n", kind, name, what);
    abort();
}

// ---- mutexes ----

static inline void tw_mutex_init(struct tw_mutex *mutex, const char *name)
{
    mutex->name = name;
    mutex->held = 0;
}

static inline void tw_mutex_destroy(struct tw_mutex *mutex)
{
    twi_serial_require(!mutex->held, "mutex", mutex->name, "destroyed while it is held");
}

static inline void tw_mutex_lock(struct tw_mutex *mutex)
{
    twi_serial_require(!mutex->held, "mutex", mutex->name,
                       "locked while it is held: in a sequential program nobody would unlock it");
    mutex->held = 1;
}

static inline int tw_mutex_trylock(struct tw_mutex *mutex)
{
    int taken = !mutex->held;
    mutex->held = 1;
    return taken;
}

static inline int tw_mutex_lock_until(struct tw_mutex *mutex, uint64_t deadline_ns)
{
    (void)deadline_ns;
    return tw_mutex_trylock(mutex) ? 0 : TW_ETIMEDOUT;
}

static inline void tw_mutex_unlock(struct tw_mutex *mutex)
{
    twi_serial_require(mutex->held, "mutex", mutex->name, "unlocked, but nobody holds it");
    mutex->held = 0;
}

// ---- semaphores ----

static inline void tw_semaphore_init(struct tw_semaphore *semaphore, const char *name,
                                     uint32_t count)
{
    semaphore->name = name;
    semaphore->count = count;
}

static inline void tw_semaphore_destroy(struct tw_semaphore *semaphore)
{
    (void)semaphore;
}

static inline int tw_semaphore_try(struct tw_semaphore *semaphore)
{
    return semaphore->count > 0 && semaphore->count--;
}

static inline int tw_semaphore_acquire(struct tw_semaphore *semaphore)
{
    twi_serial_require(tw_semaphore_try(semaphore), "semaphore", semaphore->name,
                       "waited for: in a sequential program nobody would release it");
    return 0;
}

// Nobody else could end the wait: the deadline may as well have passed.
static inline int tw_semaphore_acquire_until(struct tw_semaphore *semaphore, uint64_t deadline_ns)
{
    (void)deadline_ns;
    return tw_semaphore_try(semaphore) ? 0 : TW_ETIMEDOUT;
}

static inline void tw_semaphore_release(struct tw_semaphore *semaphore, uint32_t count)
{
    semaphore->count += count;
}

// ---- conditions ----

static inline void tw_condition_init(struct tw_condition *condition, const char *name)
{
    condition->name = name;
}

static inline void tw_condition_destroy(struct tw_condition *condition)
{
    (void)condition;
}

static inline int tw_condition_wait(struct tw_condition *condition, struct tw_mutex *mutex)
{
    (void)mutex;
    twi_serial_require(0, "condition", condition->name,
                       "waited for: in a sequential program nobody would signal it");
    return 0;
}

static inline int tw_condition_wait_until(struct tw_condition *condition, struct tw_mutex *mutex,
                                          uint64_t deadline_ns)
{
    (void)condition, (void)mutex, (void)deadline_ns;
    return TW_ETIMEDOUT;
}

static inline void tw_condition_signal(struct tw_condition *condition)
{
    (void)condition;
}

static inline void tw_condition_broadcast(struct tw_condition *condition)
{
    (void)condition;
}

#endif
#endif

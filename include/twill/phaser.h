// SPDX-License-Identifier: Apache-2.0
// Phasers: tasks that go on in phases, some giving signals, some waiting for them. And barriers.
//
//     struct tw_phaser step = TW_PHASER_INIT("step");
//     tw_finish {
//         struct tw_party all;
//         tw_phaser_join(&step, &all, TW_SIGNAL);           // holds phase 0 until all are there
//         for (int i = 0; i < n; i++)
//             tw_async_phased(strip, ({&step, TW_SIGNAL_WAIT}), .i = i);
//         tw_phaser_drop(&all);
//     }
//     // in the body of strip:
//     struct tw_party *me = tw_phased(&step);
//     tw_phaser_next(me);                                   // until all have come so far
//
// Phase k is complete when every registered signaller has signalled k. A party that comes while a
// phase is under way belongs to it. One that signals and waits does both in turn, so it is never
// more than one phase ahead of the slowest. One that only signals never waits: it may be ahead by
// any number of phases. One that only waits holds up nobody, and misses no phase.
//
// Edges (the rest of them in src/task/phaser.c):
//  [H1] phase release/acquire: who finds a phase complete sees what was done before its signals.
#ifndef TWILL_PHASER_H
#define TWILL_PHASER_H

#include <stddef.h>
#include <stdint.h>

#include <twill/api.h>
#include <twill/line.h>
#include <twill/task.h>

#ifndef TWILL_SERIAL // a wait there could never end

enum tw_phase_mode { TW_SIGNAL = 1, TW_WAIT = 2, TW_SIGNAL_WAIT = TW_SIGNAL | TW_WAIT };

struct tw_phaser {
    struct tw_line line; // who waits for the phase under way; its guard is that of all but `name`
    const char *name;
    uint64_t phase;    // how many are complete, the number of the one under way. writers: who has
                       // the guard; readers: all
    uint64_t furthest; // one more than the last phase that anybody has signalled
    uint32_t signallers;
    uint32_t missing;       // of them have not signalled the phase under way
    uint32_t parties;       // of all modes
    struct tw_party *first; // a list of the signallers
};

// One registration. It belongs to one task at a time, and stays where it is until it is dropped.
struct tw_party {
    struct tw_phaser *phaser;
    enum tw_phase_mode mode; // 0: not registered, or not any more
    uint64_t signalled;      // phases it has signalled: the next is this one. under the guard
    uint64_t waited;         // phases it has waited for: the next is this one. owner only
    struct tw_party *next, *before; // signallers of the phaser. under the guard
};

// What a task is to be registered with.
struct tw_phasing {
    struct tw_phaser *phaser;
    enum tw_phase_mode mode;
};

// A fixed number of parties, all of which signal and wait.
struct tw_barrier {
    struct tw_phaser phaser; // with no list of its signallers
};

// Initialisers: struct tw_phaser step = TW_PHASER_INIT("step"). The name is not copied.
#define TW_PHASER_INIT(text)                                                                       \
    {                                                                                              \
        TWI_LINE_INIT, (text), 0, 0, 0, 0, 0, NULL                                                 \
    }
#define TW_BARRIER_INIT(text, count)                                                               \
    {                                                                                              \
        {                                                                                          \
            TWI_LINE_INIT, (text), 0, 0, (count), (count), (count), NULL                           \
        }                                                                                          \
    }

#ifdef __cplusplus
extern "C" {
#endif

// ---- phasers ----

// The same as TW_PHASER_INIT, for memory that is there already. Never suspends; any thread.
TW_API void tw_phaser_init(struct tw_phaser *phaser, const char *name);

// The phaser is used no more; one that still has parties is a misuse. Never suspends; any thread.
TW_API void tw_phaser_destroy(struct tw_phaser *phaser);

// Registers `party`, from the phase under way on. Never suspends; any thread.
TW_API void tw_phaser_join(struct tw_phaser *phaser, struct tw_party *party,
                           enum tw_phase_mode mode);

// Ends the registration: the phases to come, and the one under way, do without it. A task may drop
// what it was started with before its end; dropping twice is a misuse. Never suspends; any thread.
TW_API void tw_phaser_drop(struct tw_party *party);

// The party has done its part of its phase, and does not wait for the others. By parties that
// signal; one that waits as well waits before it signals again, anything else is a misuse. Never
// suspends; any thread.
TW_API void tw_phaser_signal(struct tw_party *party);

// Waits for the party's phase: the one it has signalled, or, if it only waits, the one after that
// it has waited for last. 0: it is complete. TW_ETIMEDOUT and TW_ECANCELED: it is not, and may be
// waited for again. TW_EPIPE: nobody is left who signals, and nobody has signalled that phase.
// TW_EDEADLK: the party has still to signal itself. By parties that wait, else it is a misuse. From
// a task; may suspend.
TW_API int tw_phaser_wait(struct tw_party *party);
TW_API int tw_phaser_wait_until(struct tw_party *party, uint64_t deadline_ns);

// What the party's mode has of both: signals, unless that was done before, then waits. So after a
// wait that ended early it goes on with the same phase. Returns as the wait, 0 if there is none.
// From a task; may suspend.
TW_API int tw_phaser_next(struct tw_party *party);
TW_API int tw_phaser_next_until(struct tw_party *party, uint64_t deadline_ns);

// ---- barriers ----

// The same as TW_BARRIER_INIT: `parties` of 1 and more. Never suspends; any thread.
TW_API void tw_barrier_init(struct tw_barrier *barrier, const char *name, uint32_t parties);

// The barrier is used no more; one that is waited for is a misuse. Never suspends; any thread.
TW_API void tw_barrier_destroy(struct tw_barrier *barrier);

// Waits until all parties wait; then all go on, and the barrier is as before. 0, or TW_ETIMEDOUT or
// TW_ECANCELED: then it is as if the task had not come. From a task; may suspend.
TW_API int tw_barrier_wait(struct tw_barrier *barrier);
TW_API int tw_barrier_wait_until(struct tw_barrier *barrier, uint64_t deadline_ns);

// ---- what the macros are made of ----

// Starts a task of the innermost finish, registered `count` times; the list is copied. From a task.
// Never suspends.
TW_API void tw_task_phased(const struct tw_task_type *type, const void *args,
                           const struct tw_phasing *list, unsigned count);

// The registration with `phaser` of the task that was started as `site`. Never suspends.
TW_API struct tw_party *tw_phased_party(const struct tw_task_type *site,
                                        const struct tw_phaser *phaser);

#ifdef __cplusplus
}
#endif

// The number of the phase under way: all below it are complete. Never suspends; any thread.
TWI_INLINE uint64_t tw_phaser_phase(const struct tw_phaser *phaser)
{
    return TWI_LOAD(&phaser->phase, TWI_ACQUIRE); // [H1]
}

// tw_async_phased(name, ({&phaser, mode}, ...), .field = value, ...)  is tw_async of a task that is
// registered with phasers, at once, until its body ends or the task is dropped by a cancellation.
// It starts on a stack of its own: a party never waits on top of another. Costs an allocation;
// never suspends.
#define tw_async_phased(name, list, ...)                                                           \
    do {                                                                                           \
        TWI_REQUIRE_TASK(name);                                                                    \
        static const struct tw_task_type twi_here = TWI_TYPE(name, 0, 0);                          \
        struct tw_args_##name twi_args = {__VA_ARGS__};                                            \
        const struct tw_phasing twi_list[] = {TWI_PHASERS list};                                   \
        tw_task_phased(&twi_here, &twi_args, twi_list,                                             \
                       (unsigned)(sizeof twi_list / sizeof *twi_list));                            \
    } while (0)
#define TWI_PHASERS(...) __VA_ARGS__

// tw_async_apart(name, .field = value, ...)  is tw_async of a task that starts on a stack of its
// own: for tasks that wait for whoever starts them. Costs an allocation; never suspends.
#define tw_async_apart(name, ...) TWI_ASYNC_BY(tw_task_push_apart, name, __VA_ARGS__)

// tw_phased(&phaser)  is the registration that tw_async_phased gave to the task whose body this is;
// plain functions and other tasks are given the pointer. If there is none it is a misuse.
#define tw_phased(phaser) tw_phased_party(TWI_SITE, (phaser))

#endif
#endif

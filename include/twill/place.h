// SPDX-License-Identifier: Apache-2.0
// Places: the processes of a program that an MPI launcher started, one a machine or several.
//
// Under a launcher main() runs at every place. tw_run is collective then: all places call it, its
// task runs at place 0, the others take work from there and from each other, and all return its
// status. tw_run_spmd is too, and its task runs at each place. Without a launcher there is one
// place, and everything here means the same.
//
// What is collective all places call, in the same order: outside tw_run, or at the top level of the
// task that tw_run_spmd runs, which is its own text and the plain functions it calls, outside any
// tw_finish. Anywhere else it is a misuse.
#ifndef TWILL_PLACE_H
#define TWILL_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include <twill/reducer.h>
#include <twill/task.h>
#include <twill/wait.h>

#ifdef TWILL_SERIAL
#include <twill/serial_place.h>
#else

#ifdef __cplusplus
extern "C" {
#endif

// The number of this place, from 0. Never suspends; any thread.
TW_API unsigned tw_here(void);

// How many places there are. Never suspends; any thread.
TW_API unsigned tw_places(void);

struct tw_options;

// The handle of a shared reducer: bytes that mean the same at every place.
struct tw_shared {
    uint32_t home, number, age, size;
};

struct tw_shared_kind {
    size_t size;
    void (*first)(void *view);
    void (*merge)(void *into, const void *from);
};

// Joins the places, as the setting `mpi` of the options says (NULL: of the environment). tw_run,
// tw_here and tw_places do the same when it was not called; calling it before them tells what is
// wrong: a TW_E... code, which tw_run would return too, and a sentence in `message` (size bytes,
// may be NULL). Called again after a tw_run that failed it tells why places could not begin that
// together. 0: places can be used; the sentence is empty, then, unless a run could not begin. Under
// a launcher it waits for all places. Never suspends; any thread.
TW_API int tw_places_open(const struct tw_options *options, char *message, size_t size);

// Adds up `count` numbers of all places; all get the sums. Collective; 0 or a TW_E... code. Outside
// tasks it blocks, in one it may suspend; TW_ECANCELED: the run was cancelled meanwhile; TW_ERANGE:
// they have 2 GiB or more.
TW_API int tw_places_sum(uint64_t *numbers, size_t count);

// The same with the greatest of each instead of the sum.
TW_API int tw_places_max(uint64_t *numbers, size_t count);

// All get the `size` bytes that place `from` has. Likewise; TW_EINVAL: there is no such place.
TW_API int tw_places_broadcast(unsigned from, void *bytes, size_t size);

// Waits until all places are here. Likewise.
TW_API int tw_places_barrier(void);

// What the macros below call; not for direct use.
struct tw_meeting {
    int unused;
};
TW_API int tw_places_combine(void *value, size_t size, void (*merge)(void *into, const void *from));
TW_API int tw_run_spmd_task(const struct tw_options *options, const struct tw_task_type *type,
                            const void *args);
TW_API struct tw_meeting *tw_meeting_begin(struct tw_meeting *block);
TW_API void tw_meeting_end(struct tw_meeting *block);
TW_API int tw_task_call_at(unsigned place, const struct tw_task_type *type, const void *args,
                           struct tw_future *future, void *value);
TW_API struct tw_shared tw_shared_make(const struct tw_shared_kind *kind);
TW_API void *tw_shared_find(struct tw_shared handle, const struct tw_shared_kind *kind);
TW_API void tw_shared_collect(struct tw_shared handle, const struct tw_shared_kind *kind,
                              void *value);

// What place.h registers for each translation unit; not for direct use. Any thread.
TW_API void tw_tasks_register(const struct tw_task_type *const *first,
                              const struct tw_task_type *const *end);
// The same with TWILL_DEBUG: arguments of tasks that leave are searched for addresses. Any thread.
TW_API void tw_tasks_check_arguments(void);
// What tw_async_at calls. Never suspends; in a task.
TW_API void tw_task_push_at(unsigned place, const struct tw_task_type *type, const void *args);

#ifdef __cplusplus
}
#endif

// tw_async_any(name, .field = value, ...)  is tw_async for a task that any place may run: idle
// places take it. So its arguments mean the same everywhere: no pointers. With -DTWILL_DEBUG an
// address of a stack or the heap among them ends the program when the task leaves. The finish
// around it waits for it wherever it runs, with all it starts. Does not suspend.
#define tw_async_any(name, ...)                                                                    \
    do {                                                                                           \
        TWI_REQUIRE_TASK(name);                                                                    \
        TWI_TRAVELLING_TYPE(name);                                                                 \
        TWI_SPAWN(&twi_here, name, __VA_ARGS__);                                                   \
    } while (0)

// tw_async_at(place, name, .field = value, ...)  is tw_async for a task that runs at that place. A
// number that is no place's is a misuse. Does not suspend.
#define tw_async_at(place, name, ...)                                                              \
    do {                                                                                           \
        TWI_REQUIRE_TASK(name);                                                                    \
        TWI_TRAVELLING_TYPE(name);                                                                 \
        struct tw_args_##name twi_args = {__VA_ARGS__};                                            \
        tw_task_push_at((place), &twi_here, &twi_args);                                            \
    } while (0)

// tw_promise_at(place, promised, &future, name, .field = value, ...)  calls the TW_FUNCTION `name`
// at that place, and sets the future of TW_FUTURE(type, promised) to what it gives, of the same
// type. The innermost finish waits for it too; the future must live until that has ended, however a
// wait for it ends. 0, or TW_EALREADY when the future is somebody else's. A call that was cancelled
// before it began gives the future TW_ECANCELED. Does not suspend.
#define tw_promise_at(place, promised, future, name, ...)                                          \
    (__extension__({                                                                               \
        static const struct tw_task_type twi_here =                                                \
            TWI_TYPE(name, sizeof(tw_result_##name), __alignof__(tw_result_##name));               \
        TWI_TRAVELS;                                                                               \
        struct tw_args_##name twi_args = {__VA_ARGS__};                                            \
        struct tw_future_##promised *twi_promised = (future);                                      \
        tw_result_##name *twi_value = &twi_promised->value;                                        \
        tw_task_call_at((place), &twi_here, &twi_args, &twi_promised->event, twi_value);           \
    }))

// tw_run_spmd(name, .field = value, ...)  runs a TW_TASK at each place, and returns when all that
// they started is done everywhere. Collective, outside tasks; blocks. All return the same: 0, or
// the error of a task that failed, whereupon all places' were cancelled. tw_run_spmd_with(options,
// ...) as tw_run_with.
#define tw_run_spmd(name, ...) tw_run_spmd_with(NULL, name, __VA_ARGS__)
#define tw_run_spmd_with(options, name, ...)                                                       \
    (__extension__({                                                                               \
        struct tw_args_##name twi_run_args = {__VA_ARGS__};                                        \
        tw_run_spmd_task((options), &tw_type_##name, &twi_run_args);                               \
    }))

// tw_finish_spmd { ... }  is a tw_finish that ends when all places' have ended: with all that was
// started inside, at any place. Collective, at the top level of tw_run_spmd's task; suspends.
#define tw_finish_spmd                                                                             \
    for (struct tw_meeting twi_spmd __attribute__((cleanup(tw_meeting_end))),                      \
         *twi_meeting = tw_meeting_begin(&twi_spmd);                                               \
         twi_meeting; twi_meeting = NULL)                                                          \
        tw_finish

// tw_places_reduce(name, &value)  combines the values of all places, as TW_REDUCER(type, name, ...)
// says; all get the result. Collective, as tw_places_sum is.
#define tw_places_reduce(name, value)                                                              \
    (__extension__({                                                                               \
        twi_viewed_##name *twi_reduced = (value);                                                  \
        tw_places_combine(twi_reduced, sizeof *twi_reduced, twi_merge_##name);                     \
    }))

// Shared reducers: those of reducer.h for tasks at all places. Values travel as bytes.
//
//     struct tw_shared found = tw_shared_open(total);        // TW_SUM(long, total)
//     tw_finish { tw_async_any(count, .found = found, ...); }
//     long all = tw_shared_close(total, found);
//
// tw_shared_open(name)  is the handle of a new one. In a task; never suspends.
#define tw_shared_open(name) tw_shared_make(TWI_SHARED_KIND(name))

// tw_shared_view(name, handle)  is the address of the calling task's view, at whichever place. It
// takes some nanoseconds to find: once a task is enough. Never suspends.
#define tw_shared_view(name, handle)                                                               \
    ((twi_viewed_##name *)tw_shared_find((handle), TWI_SHARED_KIND(name)))

// tw_shared_close(name, handle)  is the combined value, at the place that opened it; all tasks that
// use it have ended. May suspend.
#define tw_shared_close(name, handle)                                                              \
    (__extension__({                                                                               \
        twi_viewed_##name twi_closed;                                                              \
        tw_shared_collect((handle), TWI_SHARED_KIND(name), &twi_closed);                           \
        twi_closed;                                                                                \
    }))

#define TWI_SHARED_KIND(name)                                                                      \
    (__extension__({                                                                               \
        static const struct tw_shared_kind twi_kind = {sizeof(twi_viewed_##name),                  \
                                                       twi_first_##name, twi_merge_##name};        \
        &twi_kind;                                                                                 \
    }))

// A type that is known by number at all places: the linker puts references to all of a program's
// side by side.
#define TWI_TRAVELLING_TYPE(name)                                                                  \
    static const struct tw_task_type twi_here = TWI_TYPE(name, 0, 0);                              \
    TWI_TRAVELS
#define TWI_TRAVELS                                                                                \
    static const struct tw_task_type *const twi_travels                                            \
        __attribute__((section("twill_travels"), used)) = &twi_here

extern const struct tw_task_type *const __start_twill_travels[]
    __attribute__((weak, visibility("hidden")));
extern const struct tw_task_type *const __stop_twill_travels[]
    __attribute__((weak, visibility("hidden")));

__attribute__((constructor)) static void twi_register_travellers(void)
{
    if (&__start_twill_travels[0] != &__stop_twill_travels[0])
        tw_tasks_register(__start_twill_travels, __stop_twill_travels);
#ifdef TWILL_DEBUG
    tw_tasks_check_arguments();
#endif
}

#endif
#endif

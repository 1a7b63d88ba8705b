// SPDX-License-Identifier: Apache-2.0
// Places: the processes of a program that an MPI launcher started, one a machine or several.
//
// Under a launcher main() runs at every place. tw_run is collective then: all places call it, its
// task runs at place 0, the others take work from there and from each other, and all return its
// status. Without a launcher there is one place, and everything here means the same.
#ifndef TWILL_PLACE_H
#define TWILL_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include <twill/task.h>

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

// Joins the places, as the setting `mpi` of the options says (NULL: of the environment). tw_run,
// tw_here and tw_places do the same when it was not called; calling it before them tells what is
// wrong: a TW_E... code, which tw_run would return too, and a sentence in `message` (size bytes,
// may be NULL). 0: all is well. Under a launcher it waits for all places. Never suspends; any
// thread.
TW_API int tw_places_open(const struct tw_options *options, char *message, size_t size);

// Adds up `count` numbers of all places; all get the sums. Collective: all places call it, with the
// same count, in the same order, outside tw_run. 0 or a TW_E... code. Blocks; not in a task.
TW_API int tw_places_sum(uint64_t *numbers, size_t count);

// The same with the greatest of each instead of the sum.
TW_API int tw_places_max(uint64_t *numbers, size_t count);

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

// A type that is known by number at all places: the linker puts references to all of a program's
// side by side.
#define TWI_TRAVELLING_TYPE(name)                                                                  \
    static const struct tw_task_type twi_here = TWI_TYPE(name, 0, 0);                              \
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

// SPDX-License-Identifier: Apache-2.0
// place.h in the sequential elision: one place, where every spawn is a call.
#ifndef TWILL_SERIAL_PLACE_H
#define TWILL_SERIAL_PLACE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <twill/reducer.h>
#include <twill/runtime.h>
#include <twill/task.h>

#define tw_async_any(name, ...) tw_async(name, __VA_ARGS__)
#define tw_async_at(place, name, ...)                                                              \
    do {                                                                                           \
        (void)(place);                                                                             \
        tw_async(name, __VA_ARGS__);                                                               \
    } while (0)

#define tw_run_spmd(name, ...) tw_run(name, __VA_ARGS__)
#define tw_run_spmd_with(options, name, ...) tw_run_with(options, name, __VA_ARGS__)
#define tw_finish_spmd tw_finish
#define tw_places_reduce(name, value) ((void)(value), 0)

struct tw_shared {
    void *reducer;
};

#define tw_shared_open(name)                                                                       \
    (__extension__({                                                                               \
        struct tw_shared twi_shared = {malloc(sizeof(tw_reducer(name)))};                          \
        if (!twi_shared.reducer)                                                                   \
            abort();                                                                               \
        tw_reducer_open(name, (tw_reducer(name) *)twi_shared.reducer);                             \
        twi_shared;                                                                                \
    }))
#define tw_shared_view(name, handle) tw_view(name, (tw_reducer(name) *)(handle).reducer)
#define tw_shared_close(name, handle)                                                              \
    (__extension__({                                                                               \
        tw_reducer(name) *twi_closed = (tw_reducer(name) *)(handle).reducer;                       \
        twi_viewed_##name twi_result = tw_reducer_close(name, twi_closed);                         \
        free(twi_closed);                                                                          \
        twi_result;                                                                                \
    }))

static inline unsigned tw_here(void)
{
    return 0;
}

static inline unsigned tw_places(void)
{
    return 1;
}

struct tw_options;

static inline int tw_places_open(const struct tw_options *options, char *message, size_t size)
{
    (void)options;
    if (message && size)
        *message = '\0';
    return 0;
}

static inline int tw_places_sum(uint64_t *numbers, size_t count)
{
    (void)numbers, (void)count;
    return 0;
}

static inline int tw_places_max(uint64_t *numbers, size_t count)
{
    (void)numbers, (void)count;
    return 0;
}

static inline int tw_places_broadcast(unsigned from, void *bytes, size_t size)
{
    (void)from, (void)bytes, (void)size;
    return 0;
}

static inline int tw_places_barrier(void)
{
    return 0;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// place.h in the sequential elision: one place, where every spawn is a call.
#ifndef TWILL_SERIAL_PLACE_H
#define TWILL_SERIAL_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include <twill/task.h>

#define tw_async_any(name, ...) tw_async(name, __VA_ARGS__)
#define tw_async_at(place, name, ...)                                                              \
    do {                                                                                           \
        (void)(place);                                                                             \
        tw_async(name, __VA_ARGS__);                                                               \
    } while (0)

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

#endif

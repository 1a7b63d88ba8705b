// SPDX-License-Identifier: Apache-2.0
// The life of global arrays (global.h). All places make and free them together, and agree on what
// they make and on its number: one that no place uses. So numbers stay the same everywhere even
// when a cancelled run has left an array at some places only.
//
// The table needs no atomics. One task or thread of a place makes and frees at a time; who has a
// handle got it from there, and so came later; and a place that asks for another's part had heard
// from it that the array is there.
#include "place/global.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <twill/runtime.h>

#include "base/memory.h"
#include "place/gather.h"
#include "place/spmd.h"

// Numbers begin at 0, ages at 1.
static struct twi_global *table[TWI_GLOBALS_MOST]; // writer: who makes and frees
static uint32_t last_age;                          // the same

enum { ALIKE = 8, USED_WORDS = TWI_GLOBALS_MOST / 64 };

// What places tell each other before one makes or frees an array.
struct agreement {
    uint64_t least[ALIKE], most[ALIKE]; // equal if all say the same
    uint64_t used[USED_WORDS];          // numbers, a bit each
    uint32_t age;                       // the last that was given
    int32_t error;                      // of any
};

static void merge_agreements(void *into, const void *from)
{
    struct agreement *all = into;
    const struct agreement *one = from;
    for (unsigned i = 0; i < ALIKE; i++) {
        all->least[i] = one->least[i] < all->least[i] ? one->least[i] : all->least[i];
        all->most[i] = one->most[i] > all->most[i] ? one->most[i] : all->most[i];
    }
    for (unsigned i = 0; i < USED_WORDS; i++)
        all->used[i] |= one->used[i];
    all->age = one->age > all->age ? one->age : all->age;
    all->error = one->error < all->error ? one->error : all->error;
}

// 0: all places say the same, and none has an error.
static int agree(struct agreement *agreement, const uint64_t alike[ALIKE], int error)
{
    memset(agreement, 0, sizeof *agreement);
    memcpy(agreement->least, alike, sizeof agreement->least);
    memcpy(agreement->most, alike, sizeof agreement->most);
    for (unsigned i = 0; i < TWI_GLOBALS_MOST; i++)
        if (table[i])
            agreement->used[i / 64] |= UINT64_C(1) << i % 64;
    agreement->age = last_age;
    agreement->error = error;
    int gathered = twi_gather(&(struct twi_gift){
        .values = agreement, .count = 1, .size = sizeof *agreement, .merge = merge_agreements});
    if (gathered)
        return gathered;
    for (unsigned i = 0; i < ALIKE; i++)
        if (agreement->least[i] != agreement->most[i])
            return TW_EINVAL;
    return agreement->error;
}

static void require_together(const char *what)
{
    if (twi_worker_maybe())
        twi_spmd_require(what);
}

// ---- making ----

static void discard(struct twi_global *made)
{
    for (uint32_t i = 0; made && i < made->places; i++)
        twi_memory_free(made->reach[i], made->bytes);
    free(made);
}

// NULL: there is no memory. `descriptor`: for the neighbours, or -1.
static struct twi_global *make_here(const struct tw_shape *shape, size_t count, int *descriptor)
{
    const struct twi_place *place = twi_place_here();
    uint32_t places = tw_places();
    size_t element = tw_element_size(shape->type);
    if (count > (PTRDIFF_MAX - sizeof(struct twi_segment)) / element)
        return NULL;
    struct twi_global *made = calloc(1, sizeof *made + places * sizeof *made->reach);
    if (!made)
        return NULL;
    *made = (struct twi_global){.type = shape->type,
                                .count = count,
                                .bytes = sizeof(struct twi_segment) + count * element,
                                .shape = *shape,
                                .places = places};
    made->own = twi_memory_make(made->bytes, place->neighbours > 1 ? descriptor : NULL);
    if (!made->own) {
        free(made);
        return NULL;
    }
    made->reach[tw_here()] = made->own;
    return made;
}

// Neighbours that cannot be mapped are reached by messages.
static void map_neighbours(struct twi_global *made, struct twi_fabric *fabric)
{
    uint32_t process;
    int descriptor;
    for (uint32_t i = 0; i < made->places; i++)
        if (!made->reach[i] && fabric->calls->shown(fabric, i, &process, &descriptor))
            made->reach[i] = twi_memory_of(process, descriptor, made->bytes);
}

// 0: it has a number, and stands in the table.
static int enter(struct twi_global *made, const struct agreement *agreement)
{
    uint32_t number = 0;
    while (number < TWI_GLOBALS_MOST && agreement->used[number / 64] >> number % 64 & 1)
        number++;
    if (number == TWI_GLOBALS_MOST)
        return TW_ENOMEM;
    last_age = agreement->age + 1;
    made->handle = (struct tw_global){number, last_age};
    table[number] = made;
    return 0;
}

// All places have made theirs. When it returns all have entered it, and mapped their neighbours'.
static int join(struct twi_global *made, const struct agreement *agreement)
{
    struct twi_place *place = twi_place_here();
    int error = enter(made, agreement);
    if (error)
        return error;
    if (place->neighbours > 1)
        map_neighbours(made, place->fabric);
    error = tw_places_barrier();
    if (error)
        table[made->handle.number] = NULL;
    return error;
}

int twi_global_make(struct tw_global *global, const struct tw_shape *shape, size_t count)
{
    struct twi_place *place = twi_place_here();
    struct agreement agreement;
    int descriptor = -1, is_wrong = count == 0 || !tw_element_size(shape->type);
    uint64_t alike[ALIKE] = {shape->type,      count,
                             shape->rows,      shape->columns,
                             shape->tile_rows, shape->tile_columns,
                             shape->grid_rows, shape->grid_columns};
    *global = (struct tw_global){0};
    if (place->error)
        return place->error;
    struct twi_global *made = is_wrong ? NULL : make_here(shape, count, &descriptor);
    if (place->neighbours > 1)
        place->fabric->calls->show(place->fabric, descriptor);
    int error = agree(&agreement, alike, is_wrong ? TW_EINVAL : made ? 0 : TW_ENOMEM);
    if (!error)
        error = join(made, &agreement);
    if (descriptor >= 0)
        close(descriptor);
    if (error)
        discard(made);
    else
        *global = made->handle;
    return error;
}

int tw_global_make(struct tw_global *global, enum tw_element type, size_t count)
{
    require_together("tw_global_make");
    return twi_global_make(global, &(struct tw_shape){.type = type}, count);
}

// ---- freeing ----

int tw_global_free(struct tw_global *global)
{
    require_together("tw_global_free");
    struct twi_global *array = twi_global_find(*global);
    struct agreement agreement;
    int error = agree(&agreement, (const uint64_t[ALIKE]){global->number, global->age}, 0);
    if (error)
        return error;
    table[global->number] = NULL;
    discard(array);
    *global = (struct tw_global){0};
    return 0;
}

// ---- finding ----

static void refuse(struct tw_global handle)
{
    char text[128];
    snprintf(text, sizeof text, "place %u: a global array was used that %s", tw_here(),
             handle.age == 0 ? "was never made" : "is freed");
    tw_misuse(text, "");
}

struct twi_global *twi_global_find(struct tw_global handle)
{
    struct twi_global *found = NULL;
    if (handle.age && handle.number < TWI_GLOBALS_MOST)
        found = table[handle.number];
    if (!found || found->handle.age != handle.age)
        refuse(handle);
    return found;
}

size_t tw_global_count(struct tw_global global)
{
    return twi_global_find(global)->count;
}

void *tw_global_local(struct tw_global global)
{
    return twi_global_find(global)->own->elements;
}

void *tw_global_reach(struct tw_global global, unsigned place)
{
    const struct twi_global *array = twi_global_find(global);
    if (place >= array->places)
        tw_misuse("a part of a global array was asked for at a place that is not there", "");
    return array->reach[place] ? array->reach[place]->elements : NULL;
}

void tw_global_fill(struct tw_global global, const void *element)
{
    const struct twi_global *array = twi_global_find(global);
    size_t size = tw_element_size(array->type), bytes = array->count * size;
    unsigned char *to = array->own->elements;
    if (!element) {
        memset(to, 0, bytes);
        return;
    }
    memcpy(to, element, size);
    for (size_t done = size, now; done < bytes; done += now) {
        now = done < bytes - done ? done : bytes - done;
        memcpy(to + done, to, now);
    }
}

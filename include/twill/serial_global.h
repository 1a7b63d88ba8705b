// SPDX-License-Identifier: Apache-2.0
// global.h in the sequential elision: one place, whose part is all there is. Every copy is done at
// once; there are no futures.
#ifndef TWILL_SERIAL_GLOBAL_H
#define TWILL_SERIAL_GLOBAL_H
#ifdef TWILL_SERIAL

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <twill/global.h>
#include <twill/serial_sync.h>

struct tw_shape;

struct twi_serial_array {
    enum tw_element type;
    size_t count;
    struct tw_shape *shape; // of a matrix, or NULL
    unsigned char *elements;
};

static inline int tw_global_make(struct tw_global *global, enum tw_element type, size_t count)
{
    size_t size = tw_element_size(type);
    global->array = NULL;
    if (!size || !count)
        return TW_EINVAL;
    struct twi_serial_array *array = (struct twi_serial_array *)calloc(1, sizeof *array);
    unsigned char *elements = (unsigned char *)calloc(count, size);
    if (!array || !elements) {
        free(array);
        free(elements);
        return TW_ENOMEM;
    }
    array->type = type;
    array->count = count;
    array->elements = elements;
    global->array = array;
    return 0;
}

static inline struct twi_serial_array *twi_serial_find(struct tw_global global)
{
    twi_serial_require(global.array != NULL, "global", "array", "it is freed, or was never made");
    return global.array;
}

static inline int tw_global_free(struct tw_global *global)
{
    struct twi_serial_array *array = twi_serial_find(*global);
    free(array->shape);
    free(array->elements);
    free(array);
    global->array = NULL;
    return 0;
}

static inline size_t tw_global_count(struct tw_global global)
{
    return twi_serial_find(global)->count;
}

static inline void *tw_global_local(struct tw_global global)
{
    return twi_serial_find(global)->elements;
}

static inline void *tw_global_reach(struct tw_global global, unsigned place)
{
    twi_serial_require(place == 0, "global", "array", "there is one place only");
    return tw_global_local(global);
}

static inline void tw_global_fill(struct tw_global global, const void *element)
{
    const struct twi_serial_array *array = twi_serial_find(global);
    size_t size = tw_element_size(array->type);
    if (!element)
        memset(array->elements, 0, array->count * size);
    for (size_t i = 0; element && i < array->count; i++)
        memcpy(array->elements + i * size, element, size);
}

// Where a row of a part is.
static inline unsigned char *twi_serial_row(const struct tw_part *part, size_t row, size_t size)
{
    unsigned char *base = part->memory ? (unsigned char *)(uintptr_t)part->memory
                                       : twi_serial_find(part->global)->elements;
    return base + (part->at + row * part->stride) * size;
}

static inline void twi_serial_check(const struct tw_part *part)
{
    if (part->memory || !part->rows || !part->columns)
        return;
    size_t count = twi_serial_find(part->global)->count;
    size_t stride = part->rows > 1 ? part->stride : part->columns;
    twi_serial_require(part->place == 0, "global", "array", "there is one place only");
    twi_serial_require(stride >= part->columns, "global", "array", "rows of a part overlap");
    twi_serial_require(part->columns <= count && part->at <= count - part->columns &&
                           part->rows - 1 <= (count - part->columns - part->at) / stride,
                       "global", "array", "a part reaches beyond its end");
}

// The type of both ends.
static inline enum tw_element twi_serial_type(const struct tw_part *to, const struct tw_part *from)
{
    struct tw_global any = to->memory ? from->global : to->global;
    twi_serial_require(!to->memory || !from->memory, "global", "array",
                       "neither end of a copy is of an array");
    twi_serial_require(to->rows == from->rows && to->columns == from->columns, "global", "array",
                       "the two ends of a copy have different rows or columns");
    twi_serial_check(to);
    twi_serial_check(from);
    return twi_serial_find(any)->type;
}

static inline void tw_copy(struct tw_part to, struct tw_part from)
{
    size_t size = tw_element_size(twi_serial_type(&to, &from));
    for (size_t i = 0; i < to.rows; i++)
        memcpy(twi_serial_row(&to, i, size), twi_serial_row(&from, i, size), to.columns * size);
}

// Through copies: the compiler would else take the memory for that of each type in turn.
#define TWI_SERIAL_ADD(type)                                                                       \
    for (size_t twi_at = 0; twi_at < count; twi_at++) {                                            \
        type twi_sum, twi_more;                                                                    \
        memcpy(&twi_sum, (char *)into + twi_at * sizeof twi_sum, sizeof twi_sum);                  \
        memcpy(&twi_more, (const char *)out + twi_at * sizeof twi_more, sizeof twi_more);          \
        twi_sum += twi_more;                                                                       \
        memcpy((char *)into + twi_at * sizeof twi_sum, &twi_sum, sizeof twi_sum);                  \
    }

static inline void twi_serial_add(enum tw_element type, void *into, const void *out, size_t count)
{
    switch (type) {
    case TW_BYTE:
        twi_serial_require(0, "global", "array", "bytes cannot be added to");
        break;
    case TW_INT32:
        TWI_SERIAL_ADD(uint32_t)
        break;
    case TW_INT64:
        TWI_SERIAL_ADD(uint64_t)
        break;
    case TW_FLOAT:
        TWI_SERIAL_ADD(float)
        break;
    case TW_DOUBLE:
        TWI_SERIAL_ADD(double)
        break;
    }
}

static inline void tw_accumulate(struct tw_part to, struct tw_part from)
{
    enum tw_element type = twi_serial_type(&to, &from);
    size_t size = tw_element_size(type);
    for (size_t i = 0; i < to.rows; i++)
        twi_serial_add(type, twi_serial_row(&to, i, size), twi_serial_row(&from, i, size),
                       to.columns);
}

static inline int tw_async_copy(struct tw_part to, struct tw_part from, struct tw_future *done)
{
    (void)done;
    tw_copy(to, from);
    return 0;
}

static inline int tw_async_accumulate(struct tw_part to, struct tw_part from,
                                      struct tw_future *done)
{
    (void)done;
    tw_accumulate(to, from);
    return 0;
}

#endif
#endif

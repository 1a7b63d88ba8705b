// SPDX-License-Identifier: Apache-2.0
// Global memory: arrays of which every place has a part, and every task can reach all of them.
//
//     struct tw_global table;                                  // all places together:
//     int error = tw_global_make(&table, TW_DOUBLE, 1000);     // 1000 doubles at each place, zero
//     tw_global_put(table, place, 10, values, 5);              // in any task, of any place's part
//     tw_global_accumulate(table, place, 10, values, 5);       // adds to what is there
//     tw_global_get(table, place, 10, values, 5);
//     error = tw_global_free(&table);
//
// A handle is some bytes that mean the same everywhere: it travels with tasks. The place whose part
// it is does not take part. Between places of one host all of it is a copy in memory; between hosts
// it is messages, during which the task waits and its worker does something else.
//
// What is guaranteed: when a call returns, or the future of a tw_async_copy is set, what was put or
// added is there for everybody who is told of it (by a barrier, a finish, a message), and what was
// got is here. Gets and puts of the same elements by tasks that are not ordered are a race, as in
// plain memory. Accumulates of any tasks may meet: each element gets all of them, in any order.
// Asynchronous operations are not ordered among each other.
//
// From where: one's own part from any thread; those of others from tasks that tw_run or
// tw_run_spmd runs, for their places answer only meanwhile. Indices and places that are not there,
// and arrays that are freed, are a misuse.
#ifndef TWILL_GLOBAL_H
#define TWILL_GLOBAL_H

#include <stddef.h>
#include <stdint.h>

#include <twill/place.h>
#include <twill/wait.h>

// What an array holds. All but bytes can be accumulated.
enum tw_element { TW_BYTE, TW_INT32, TW_INT64, TW_FLOAT, TW_DOUBLE };

#ifdef TWILL_SERIAL
struct twi_serial_array;
struct tw_future;
struct tw_global {
    struct twi_serial_array *array;
};
#define TWI_NO_GLOBAL                                                                              \
    {                                                                                              \
        NULL                                                                                       \
    }
#else
struct tw_global {
    uint32_t number, age;
};
#define TWI_NO_GLOBAL                                                                              \
    {                                                                                              \
        0, 0                                                                                       \
    }
#endif

// Elements in rows: of an array, or of memory here, which then has the type of the array at the
// other end. From one row to the next it is `stride` elements.
struct tw_part {
    struct tw_global global;
    unsigned place;     // whose
    const void *memory; // not NULL: memory here, instead of the array
    size_t at;          // the first element
    size_t rows, columns, stride;
};

// `count` elements of an array, at that place, from element `at` on.
TWI_INLINE struct tw_part tw_part_of(struct tw_global global, unsigned place, size_t at,
                                     size_t count)
{
    struct tw_part part = {global, place, NULL, at, 1, count, count};
    return part;
}

// `count` elements of memory here. What is copied to it must not be constant.
TWI_INLINE struct tw_part tw_part_here(const void *memory, size_t count)
{
    struct tw_part part = {TWI_NO_GLOBAL, 0, memory, 0, 1, count, count};
    return part;
}

// The part as `rows` rows of its size, `stride` elements from one to the next.
TWI_INLINE struct tw_part tw_part_rows(struct tw_part part, size_t rows, size_t stride)
{
    part.rows = rows;
    part.stride = stride;
    return part;
}

// Bytes of an element; 0: there is no such type.
TWI_INLINE size_t tw_element_size(enum tw_element type)
{
    switch (type) {
    case TW_BYTE:
        return 1;
    case TW_INT32:
    case TW_FLOAT:
        return 4;
    case TW_INT64:
    case TW_DOUBLE:
        return 8;
    }
    return 0;
}

#ifdef TWILL_SERIAL
static inline void tw_copy(struct tw_part to, struct tw_part from);
static inline void tw_accumulate(struct tw_part to, struct tw_part from);
#include <twill/serial_global.h>
#else

#ifdef __cplusplus
extern "C" {
#endif

// Makes an array of `count` elements at each place, all zero. Collective (place.h). The same at all
// places: 0, TW_EINVAL (places want different ones, or none at all), TW_ENOMEM (at one of them), or
// TW_ECANCELED. Outside tasks it blocks, in one it may suspend.
TW_API int tw_global_make(struct tw_global *global, enum tw_element type, size_t count);

// Frees it. Collective: returns when all places have come, so nobody still uses it. The same at all
// places: 0, TW_EINVAL (they mean different arrays), or TW_ECANCELED, and then it is not freed.
// Blocks or suspends likewise.
TW_API int tw_global_free(struct tw_global *global);

// Elements of each place's part. Never suspends; any thread.
TW_API size_t tw_global_count(struct tw_global global);

// This place's part, to be used as any memory. Never suspends; any thread.
TW_API void *tw_global_local(struct tw_global global);

// A place's part where it is memory here too: that of a place on this host. NULL: only messages
// reach it. Accumulates there must be by tw_accumulate. Never suspends; any thread.
TW_API void *tw_global_reach(struct tw_global global, unsigned place);

// Sets all elements of this place's part to that one; NULL: to zero. Never suspends; any thread.
TW_API void tw_global_fill(struct tw_global global, const void *element);

// Copies: one of the two at least is of an array, and both have the same rows and columns. They
// must not overlap. May suspend, if it concerns another place; a cancelled task waits all the same.
TW_API void tw_copy(struct tw_part to, struct tw_part from);

// Adds to each element of an array. Likewise.
TW_API void tw_accumulate(struct tw_part to, struct tw_part from);

// The same without waiting: `done` is set when all of it is done, and until then what is copied
// must stay as it is; the innermost finish waits for it too. The future must live until that has
// ended; it may be NULL. 0; TW_EALREADY: the future is somebody else's, TW_ENOMEM: there is no
// memory, and then nothing is done. Never suspends. Not from threads, unless all of it is one's
// own.
TW_API int tw_async_copy(struct tw_part to, struct tw_part from, struct tw_future *done);
TW_API int tw_async_accumulate(struct tw_part to, struct tw_part from, struct tw_future *done);

#ifdef __cplusplus
}
#endif
#endif

// `count` elements of a place's part, from element `at` on: read, written, added to. As tw_copy.
TWI_INLINE void tw_global_get(struct tw_global global, unsigned place, size_t at, void *to,
                              size_t count)
{
    tw_copy(tw_part_here(to, count), tw_part_of(global, place, at, count));
}

TWI_INLINE void tw_global_put(struct tw_global global, unsigned place, size_t at, const void *from,
                              size_t count)
{
    tw_copy(tw_part_of(global, place, at, count), tw_part_here(from, count));
}

TWI_INLINE void tw_global_accumulate(struct tw_global global, unsigned place, size_t at,
                                     const void *from, size_t count)
{
    tw_accumulate(tw_part_of(global, place, at, count), tw_part_here(from, count));
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Reducers: a value that many tasks contribute to, without locks and without an atomic operation.
//
//     TW_SUM(long, total)                      // or TW_REDUCER(long, total, 0, a + b)
//
//     TW_TASK(count, { struct item *item; tw_reducer(total) *found; })
//     {
//         *tw_view(total, self.found) += self.item->weight;
//         ...
//     }
//
//     tw_reducer(total) found;
//     tw_reducer_open(total, &found);
//     tw_finish { tw_async(count, .item = root, .found = &found); }
//     long weight = tw_reducer_close(total, &found);
//
// A task has a view of its own, which starts as the identity. It stays the same for as long as the
// task runs, wherever it goes on after a wait: look it up once, update it often. But neither wait
// nor call a task within the expression that updates it: what runs meanwhile may use the same view.
// Views are combined when the reducer is closed, in no particular order: the operation has to be
// associative and commutative. (For values in the order of an index there is tw_reduce, loop.h.)
#ifndef TWILL_REDUCER_H
#define TWILL_REDUCER_H

#include <stddef.h>
#include <stdint.h>

#include <twill/task.h>

// ---- defining ----

// TW_REDUCER(type, name, identity, combine)  where `combine` is an expression of the values a, b.
#define TW_REDUCER(type, name, identity, combine)                                                  \
    typedef type twi_viewed_##name;                                                                \
    struct tw_reducer_##name {                                                                     \
        struct twi_views views;                                                                    \
    };                                                                                             \
    static __attribute__((unused)) void twi_first_##name(void *view)                               \
    {                                                                                              \
        twi_viewed_##name value = identity;                                                        \
        __builtin_memcpy(view, &value, sizeof value);                                              \
    }                                                                                              \
    static __attribute__((unused)) void twi_merge_##name(void *into, const void *from)             \
    {                                                                                              \
        twi_viewed_##name a, b;                                                                    \
        __builtin_memcpy(&a, into, sizeof a);                                                      \
        __builtin_memcpy(&b, from, sizeof b);                                                      \
        a = combine;                                                                               \
        __builtin_memcpy(into, &a, sizeof a);                                                      \
    }

// The usual ones. TW_MIN wants the greatest value there is, TW_MAX the least.
#define TW_SUM(type, name) TW_REDUCER(type, name, 0, a + b)
#define TW_MIN(type, name, greatest) TW_REDUCER(type, name, greatest, b < a ? b : a)
#define TW_MAX(type, name, least) TW_REDUCER(type, name, least, a < b ? b : a)
#define TW_AND(type, name) TW_REDUCER(type, name, (type) ~(type)0, a &b)
#define TW_OR(type, name) TW_REDUCER(type, name, 0, a | b)
#define TW_LIST(name) TW_REDUCER(struct tw_list, name, {.first = NULL}, tw_list_join(a, b))

// A list of the user's own nodes, each with a tw_node in it.
struct tw_node {
    struct tw_node *next;
};

struct tw_list {
    struct tw_node *first, *last;
    size_t count;
};

static inline void tw_list_append(struct tw_list *list, struct tw_node *node)
{
    node->next = NULL;
    if (list->first)
        list->last->next = node;
    else
        list->first = node;
    list->last = node;
    list->count++;
}

static inline struct tw_list tw_list_join(struct tw_list a, struct tw_list b)
{
    if (!a.first)
        return b;
    if (b.first) {
        a.last->next = b.first;
        a.last = b.last;
        a.count += b.count;
    }
    return a;
}

// ---- using ----

#define tw_reducer(name) struct tw_reducer_##name

// tw_reducer_open(name, &reducer)  makes it ready, in the task that will close it. Never suspends.
#define tw_reducer_open(name, reducer)                                                             \
    tw_views_open(&(reducer)->views, TWI_VIEW_STRIDE(sizeof(twi_viewed_##name)), twi_first_##name)

// tw_view(name, &reducer)  is the address of the calling task's view. Never suspends.
#define tw_view(name, reducer)                                                                     \
    ((twi_viewed_##name *)twi_view(&(reducer)->views, twi_spawner(twi_fiber, twi_scope),           \
                                   TWI_VIEW_STRIDE(sizeof(twi_viewed_##name))))

// tw_reducer_close(name, &reducer)  is the combined value; all tasks that use the reducer have
// ended. After that a use is refused with a message. Never suspends.
#define tw_reducer_close(name, reducer)                                                            \
    (__extension__({                                                                               \
        twi_viewed_##name twi_closed;                                                              \
        tw_views_close(&(reducer)->views, twi_merge_##name, &twi_closed);                          \
        twi_closed;                                                                                \
    }))

// ---- what the macros are made of ----

#ifdef TWILL_SERIAL
#include <twill/serial_reducer.h>
#else

// Views by the number of the fiber, in chunks that double: 32, 64, 128, ... Chunks stay where they
// are, so that a view can be used while another chunk is made. The first is there from the start:
// its views are found without asking.
#define TWI_VIEW_CHUNKS 24
#ifndef TWI_VIEWS_NEAR
#define TWI_VIEWS_NEAR 32
#endif
#define TWI_VIEW_LINE 64
#define TWI_VIEW_STRIDE(size) (((size) + TWI_VIEW_LINE - 1) / TWI_VIEW_LINE * TWI_VIEW_LINE)

struct twi_views {
    // The first is constant while open, else NULL; writer of the others: who first needs it [R1]
    unsigned char *chunk[TWI_VIEW_CHUNKS];
    size_t stride;
    void (*first)(void *view);
    const void *pool; // NULL: not open
};

#ifdef __cplusplus
extern "C" {
#endif

// For the macros above; not for direct use. From a task. They do not suspend.
TW_API void tw_views_open(struct twi_views *views, size_t stride, void (*first)(void *view));
TW_API void *tw_view_far(struct twi_views *views, uint32_t index);
TW_API void tw_views_close(struct twi_views *views, void (*merge)(void *into, const void *from),
                           void *value);

#ifdef __cplusplus
}
#endif

// Plain loads, of types that views seldom have: compilers may move them out of loops.
TWI_INLINE void *twi_view(struct twi_views *views, const struct tw_fiber *f, size_t stride)
{
    unsigned char *near = views->chunk[0];
    uint32_t index = f->index;
    if (TWI_LIKELY(index < TWI_VIEWS_NEAR && near))
        return near + index * stride;
    return tw_view_far(views, index);
}

#endif
#endif

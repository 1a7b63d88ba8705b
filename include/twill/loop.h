// SPDX-License-Identifier: Apache-2.0
// Parallel loops over one to three dimensions.
//
//     TW_LOOP(scale, i, { double *a; double by; })
//     {
//         self.a[i] *= self.by;
//     }
//
//     tw_finish {
//         tw_forasync(scale, tw_range(0, n), .a = a, .by = 2);
//     }
//
// The body is what one iteration does; `return` goes on with the next. Iterations run in any order,
// as tasks of the innermost finish; the body may start tasks and loops of its own. There is no
// grain to choose: a loop runs by itself, in stretches of some microseconds, and leaves the upper
// halves of what is ahead where others can take them. To stop early, cancel (attempt.h).
#ifndef TWILL_LOOP_H
#define TWILL_LOOP_H

#include <stdint.h>

#include <twill/attempt.h>
#include <twill/task.h>
#include <twill/ticks.h>

// tw_range(begin, end), tw_range(begin, end, .step = s, .grain = g)  are begin, begin + step, ...
// below end. The step is positive, 1 if not given. The grain bounds how many iterations run between
// two looks at whether someone wants work (of a reduction: how many are combined one after the
// other); 0: by itself. A range that ends before it begins, or has a negative step or grain, fails
// the innermost attempt with TW_EINVAL, and nothing is run.
struct tw_range {
    int64_t begin, end, step TWI_ZERO, grain TWI_ZERO;
};
#ifdef __cplusplus
#define tw_range(from, to, ...)                                                                    \
    tw_range                                                                                       \
    {                                                                                              \
        .begin = (int64_t)(from), .end = (int64_t)(to), __VA_ARGS__                                \
    }
#else
#define tw_range(from, to, ...) ((struct tw_range){.begin = (from), .end = (to), __VA_ARGS__})
#endif

// All iterations, numbered with the last index running fastest.
struct twi_space {
    int64_t first[3], step[3], count[3];
    int64_t total;
    int64_t most; // iterations in one stretch
};

// ---- defining ----

// TW_LOOP(name, i, { fields }) { body }  defines a loop; i is an int64_t. The fields are its
// arguments, `self` in the body. TW_LOOP2 and TW_LOOP3 have two and three indices.
#define TW_LOOP(name, i, ...) TWI_LOOP(name, 1, twi_a, twi_b, i, __VA_ARGS__)
#define TW_LOOP2(name, i, j, ...) TWI_LOOP(name, 2, twi_a, i, j, __VA_ARGS__)
#define TW_LOOP3(name, i, j, k, ...) TWI_LOOP(name, 3, i, j, k, __VA_ARGS__)

//     TW_REDUCE(double, dot, i, 0, a + b, { const double *x; const double *y; })
//     {
//         return self.x[i] * self.y[i];
//     }
//
//     double product = tw_reduce(dot, tw_range(0, n), .x = x, .y = y);
//
// Values are combined in the order of the index, by a tree that depends on the range alone: a sum
// of floating-point numbers is the same on any number of workers.
//
// TW_REDUCE(type, name, i, identity, combine, { fields }) { body }  defines a reduction of the
// values that its body returns. `combine` is an expression of the values a and b, in that order;
// it has to be associative. TW_REDUCE2 and TW_REDUCE3 likewise.
#define TW_REDUCE(type, name, i, identity, combine, ...)                                           \
    TWI_REDUCE(type, name, 1, twi_a, twi_b, i, identity, combine, __VA_ARGS__)
#define TW_REDUCE2(type, name, i, j, identity, combine, ...)                                       \
    TWI_REDUCE(type, name, 2, twi_a, i, j, identity, combine, __VA_ARGS__)
#define TW_REDUCE3(type, name, i, j, k, identity, combine, ...)                                    \
    TWI_REDUCE(type, name, 3, i, j, k, identity, combine, __VA_ARGS__)

// ---- using ----

// tw_forasync(name, tw_range(...), .field = value, ...)  starts a loop; the innermost finish waits
// for it. Suspends no more than tw_async does. In tasks and the plain functions they call.
#define tw_forasync(name, range, ...)                                                              \
    TWI_FORASYNC(name, 1, ({TWI_ONCE, TWI_ONCE, range}), __VA_ARGS__)
#define tw_forasync2(name, range_i, range_j, ...)                                                  \
    TWI_FORASYNC(name, 2, ({TWI_ONCE, range_i, range_j}), __VA_ARGS__)
#define tw_forasync3(name, range_i, range_j, range_k, ...)                                         \
    TWI_FORASYNC(name, 3, ({range_i, range_j, range_k}), __VA_ARGS__)

// tw_reduce(name, tw_range(...), .field = value, ...)  is the combined value, the identity for an
// empty range. May suspend. In tasks and the plain functions they call.
#define tw_reduce(name, range, ...) TWI_FOLD(name, 1, ({TWI_ONCE, TWI_ONCE, range}), __VA_ARGS__)
#define tw_reduce2(name, range_i, range_j, ...)                                                    \
    TWI_FOLD(name, 2, ({TWI_ONCE, range_i, range_j}), __VA_ARGS__)
#define tw_reduce3(name, range_i, range_j, range_k, ...)                                           \
    TWI_FOLD(name, 3, ({range_i, range_j, range_k}), __VA_ARGS__)

// ---- what the macros are made of ----

#define TWI_BARE(...) __VA_ARGS__
#define TWI_ONCE tw_range(0, 1)
#define TWI_INDICES(A, B, C)                                                                       \
    TWI_UNUSED const int64_t A, TWI_UNUSED const int64_t B, TWI_UNUSED const int64_t C
#define TWI_DIMENSIONS_ARE(name, n) ((void)sizeof(char[twi_dimensions_##name == (n) ? 1 : -1]))

// A row: iterations that differ in the last index only.
struct twi_row {
    int64_t a, b, c; // the indices it begins with
    int64_t length;
};

// The product alone may not fit, where a range spans more than half of all numbers.
TWI_INLINE int64_t twi_index(int64_t first, int64_t n, int64_t step)
{
    return (int64_t)((uint64_t)first + (uint64_t)n * (uint64_t)step);
}

TWI_INLINE struct twi_row twi_row_at(const struct twi_space *s, int64_t begin, int64_t end)
{
    int64_t c = begin, b = 0, a = 0;
    if (s->total != s->count[2]) {
        c = begin % s->count[2];
        b = begin / s->count[2] % s->count[1];
        a = begin / s->count[2] / s->count[1];
    }
    int64_t left = s->count[2] - c;
    struct twi_row row = {
        twi_index(s->first[0], a, s->step[0]), twi_index(s->first[1], b, s->step[1]),
        twi_index(s->first[2], c, s->step[2]), end - begin < left ? end - begin : left};
    return row;
}

// Runs ITERATION(name, a, b, c) for the indices of [first, last), row by row. Steps of one have a
// loop of their own, which compilers can vectorise.
#define TWI_EACH_ROW(space, first, last, ITERATION, name)                                          \
    for (int64_t twi_at_ = (first), twi_end_ = (last); twi_at_ < twi_end_;) {                      \
        const struct twi_row twi_row_ = twi_row_at((space), twi_at_, twi_end_);                    \
        const int64_t twi_step_ = (space)->step[2];                                                \
        if (twi_step_ == 1) {                                                                      \
            for (int64_t twi_c_ = twi_row_.c; twi_c_ < twi_row_.c + twi_row_.length; twi_c_++) {   \
                ITERATION(name, twi_row_.a, twi_row_.b, twi_c_);                                   \
            }                                                                                      \
        } else {                                                                                   \
            for (int64_t twi_n_ = 0; twi_n_ < twi_row_.length; twi_n_++) {                         \
                ITERATION(name, twi_row_.a, twi_row_.b, twi_index(twi_row_.c, twi_n_, twi_step_)); \
            }                                                                                      \
        }                                                                                          \
        twi_at_ += twi_row_.length;                                                                \
    }

#define TWI_BLOCK_MOST 2048
#define TWI_FOLD_LEAVES 4096

// The number of iterations of one range; -1 when it is refused.
static inline int64_t twi_range_count(const struct tw_range *r)
{
    uint64_t step = r->step ? (uint64_t)r->step : 1;
    if (r->end < r->begin || r->step < 0 || r->grain < 0)
        return -1;
    uint64_t length = (uint64_t)r->end - (uint64_t)r->begin;
    uint64_t count = length ? (length - 1) / step + 1 : 0;
    return count <= INT64_MAX ? (int64_t)count : -1;
}

// 0, or TW_EINVAL.
static __attribute__((noinline, unused)) int
twi_space_fill(struct twi_space *s, const struct tw_range range[3], int is_fold)
{
    int64_t grain = range[2].grain;
    s->total = 1;
    for (int d = 0; d < 3; d++) {
        s->first[d] = range[d].begin;
        s->step[d] = range[d].step ? range[d].step : 1;
        s->count[d] = twi_range_count(&range[d]);
        if (s->count[d] < 0 || __builtin_mul_overflow(s->total, s->count[d], &s->total))
            return TW_EINVAL;
    }
    s->most = grain ? grain : is_fold ? s->total / TWI_FOLD_LEAVES + 1 : TWI_BLOCK_MOST;
    return 0;
}

#ifdef TWILL_SERIAL
#include <twill/serial_loop.h>
#else

// Iterations [begin, end) of a space.
struct twi_part {
    int64_t begin, end;
    int64_t block; // a stretch to begin with
    struct twi_space space;
};

// One worker's way through a part.
struct twi_pacer {
    struct tw_fiber *f;
    int64_t begin, end, stop; // now at [begin, stop)
    int64_t block, most;
    uint64_t stamp;
    unsigned rarely, unclocked; // the clock is read after 2^rarely stretches; those since then
    struct tw_slot *offer;      // the newest upper half, there to be taken; NULL: to be offered
    unsigned offers;            // so many, in slots next to each other
};

// Some microseconds of twi_ticks.
#if defined(__x86_64__)
#define TWI_STRETCH_TICKS 10000
#else
#define TWI_STRETCH_TICKS 3000
#endif

TWI_INLINE struct twi_pacer twi_pacer_begin(struct tw_fiber *f, const struct twi_part *part)
{
    struct twi_pacer p = {
        f, part->begin, part->end, part->begin, part->block, part->space.most, twi_ticks(), 0,
        0, NULL,        0};
    return p;
}

// Stretches shrink at once to what fits, for iterations may suddenly be long; they grow while that
// is safe to tell. The clock is read less often the longer nothing changes.
#define TWI_RARELY_MOST 3
TWI_INLINE void twi_pacer_adapt(struct twi_pacer *p)
{
    if (++p->unclocked >> p->rarely == 0)
        return;
    uint64_t now = twi_ticks(), took = (now - p->stamp) >> p->rarely;
    int64_t before = p->block;
    p->stamp = now;
    p->unclocked = 0;
    for (; took > TWI_STRETCH_TICKS && p->block > 1; took /= 2)
        p->block /= 2;
    if (took < TWI_STRETCH_TICKS / 2)
        p->block *= took < TWI_STRETCH_TICKS / 16 ? 8 : 2;
    if (p->block > p->most)
        p->block = p->most;
    p->rarely = p->block == before ? p->rarely + (p->rarely < TWI_RARELY_MOST) : 0;
}

TWI_INLINE int twi_is_stolen(struct tw_fiber *f, const struct tw_slot *slot)
{
    return (uint32_t)(TWI_LOAD(&f->word, TWI_RELAXED) >> 32) > (uint32_t)(uintptr_t)slot; // hint
}

// Somebody wants the fiber to look whether it was cancelled.
TWI_INLINE int twi_is_called(struct tw_fiber *f)
{
    return TWI_UNLIKELY(TWI_LOAD(&f->stack_soft, TWI_RELAXED) == TWI_ATTENTION); // [C1]
}

// Whether someone asks for work or for attention. 1: the loop is cancelled.
TWI_INLINE int twi_pacer_asked(struct twi_pacer *p)
{
    struct tw_fiber *f = p->f;
    if (twi_is_called(f) && tw_cancelled())
        return 1;
    if (p->offer && twi_is_stolen(f, p->offer))
        p->offer = NULL;
    else if (p->offer && TWI_UNLIKELY(TWI_LOAD(&f->limit, TWI_RELAXED) == NULL)) // [D4]
        (void)tw_slot_pushed(f, TWI_LOAD_OWN(&f->head) - 1);
    return 0;
}

// To the next stretch; 0 when there is none.
TWI_INLINE int twi_pacer_next(struct twi_pacer *p)
{
    if (p->stop > p->begin)
        twi_pacer_adapt(p);
    p->begin = p->stop;
    return p->begin < p->end && !twi_pacer_asked(p);
}

// Whether the upper half of what is left should be offered now; then *middle is where it begins. An
// iteration may turn out to be long: all but a few stretches behind it can be taken meanwhile.
#define TWI_KEPT_STRETCHES 16
TWI_INLINE int twi_pacer_splits(struct twi_pacer *p, int64_t *middle)
{
    int64_t left = p->end - p->begin;
    int splits = left / (p->offer ? TWI_KEPT_STRETCHES : 1) > p->block;
    if (splits) {
        *middle = p->begin + (left - left / 2);
        p->end = *middle;
        left = p->end - p->begin;
    }
    p->stop = p->begin + (p->block < left ? p->block : left);
    return splits;
}

// The upper half went into `slot`.
TWI_INLINE void twi_pacer_offered(struct twi_pacer *p, struct tw_slot *slot)
{
    p->offers = p->offer && slot == p->offer + 1 ? p->offers + 1 : 1;
    p->offer = slot;
}

// Whether the newest offer was not taken, and is the caller's again: its arguments are in the slot.
// Where tasks of the body lie above it, it is left to the end of the block. Where slots had run out
// it was run at once, and head is at it instead of behind it.
TWI_INLINE int twi_pacer_resumes(struct twi_pacer *p)
{
    struct tw_fiber *f = p->f;
    if (!p->offer || TWI_LOAD_OWN(&f->head) != p->offer + 1)
        return 0;
    if (twi_take_private(f, p->offer))
        return 1;
    TWI_STORE(&f->head, p->offer + 1, TWI_RELEASE); // [D1] undone, for the block's end to decide
    return 0;
}

TWI_INLINE void twi_pacer_go_on(struct twi_pacer *p, const struct twi_part *part)
{
    p->begin = p->stop = part->begin;
    p->end = part->end;
    p->offers--;
    p->offer = p->offers ? p->offer - 1 : NULL;
}

#define TWI_LOOP(name, dimensions, A, B, C, ...)                                                   \
    struct twi_self_##name __VA_ARGS__;                                                            \
    enum { twi_dimensions_##name = (dimensions) };                                                 \
    TWI_INLINE void twi_each_##name(TWI_EACH_PARAMETERS(name, const, A, B, C));                    \
    TW_TASK(name, {                                                                                \
        struct twi_part part;                                                                      \
        struct twi_self_##name self;                                                               \
    })                                                                                             \
    {                                                                                              \
        const struct twi_self_##name twi_self = self.self;                                         \
        struct twi_pacer pacer = twi_pacer_begin(twi_fiber, &self.part);                           \
        do {                                                                                       \
            while (twi_pacer_next(&pacer)) {                                                       \
                int64_t middle;                                                                    \
                if (twi_pacer_splits(&pacer, &middle)) {                                           \
                    struct tw_args_##name upper = self;                                            \
                    upper.part.begin = middle;                                                     \
                    upper.part.block = pacer.block;                                                \
                    self.part.end = middle;                                                        \
                    struct tw_slot *slot = TWI_LOAD_OWN(&twi_fiber->head);                         \
                    twi_put_##name(slot->payload, &upper);                                         \
                    (void)twi_push_async(twi_fiber, slot, twi_site, twi_fiber->scope);             \
                    twi_pacer_offered(&pacer, slot);                                               \
                }                                                                                  \
                TWI_EACH_ROW(&self.part.space, pacer.begin, pacer.stop, TWI_EACH, name)            \
            }                                                                                      \
            if (!twi_pacer_resumes(&pacer))                                                        \
                break;                                                                             \
            self = twi_args_##name(pacer.offer->payload);                                          \
            twi_pacer_go_on(&pacer, &self.part);                                                   \
        } while (1);                                                                               \
    }                                                                                              \
    TWI_INLINE void twi_each_##name(TWI_EACH_PARAMETERS(name, const, A, B, C))

#define TWI_EACH_PARAMETERS(name, qualifier, A, B, C)                                              \
    TWI_UNUSED struct tw_fiber *qualifier twi_fiber, TWI_UNUSED struct tw_slot *twi_head,          \
        TWI_UNUSED const struct tw_task_type *twi_site,                                            \
        TWI_UNUSED const struct twi_self_##name self, TWI_INDICES(A, B, C)

// The head is read anew each time, for the body may have left tasks; where it starts none, nothing
// of that remains.
#define TWI_EACH(name, a, b, c)                                                                    \
    twi_each_##name(twi_fiber, TWI_LOAD_OWN(&twi_fiber->head), twi_site, twi_self, a, b, c)

#define TWI_FORASYNC(name, n, ranges, ...)                                                         \
    do {                                                                                           \
        const struct tw_range twi_ranges[3] = TWI_BARE ranges;                                     \
        struct twi_space twi_space;                                                                \
        TWI_DIMENSIONS_ARE(name, n);                                                               \
        if (twi_space_fill(&twi_space, twi_ranges, 0))                                             \
            TWI_FAIL_AS(#name, TW_EINVAL);                                                         \
        else if (twi_space.total)                                                                  \
            tw_async(name, .part = {0, twi_space.total, 1, twi_space}, .self = {__VA_ARGS__});     \
    } while (0)

#define TWI_REDUCE(type, name, dimensions, A, B, C, identity, combine, ...)                        \
    struct twi_self_##name __VA_ARGS__;                                                            \
    enum { twi_dimensions_##name = (dimensions) };                                                 \
    struct twi_whole_##name {                                                                      \
        struct twi_space space TWI_ZERO;                                                           \
        struct twi_self_##name self;                                                               \
    };                                                                                             \
    TWI_INLINE type twi_each_##name(TWI_EACH_PARAMETERS(name, , A, B, C));                         \
    TWI_INLINE type twi_combine_##name(type const a, type const b)                                 \
    {                                                                                              \
        return combine;                                                                            \
    }                                                                                              \
    TWI_INLINE type twi_identity_##name(void)                                                      \
    {                                                                                              \
        return identity;                                                                           \
    }                                                                                              \
    TW_FUNCTION(type, name, {                                                                      \
        int64_t begin;                                                                             \
        int64_t end;                                                                               \
        const struct twi_whole_##name *whole;                                                      \
    })                                                                                             \
    {                                                                                              \
        if (self.end - self.begin <= self.whole->space.most) {                                     \
            const struct twi_self_##name twi_self = self.whole->self;                              \
            type value = twi_identity_##name();                                                    \
            TWI_EACH_ROW(&self.whole->space, self.begin, self.end, TWI_COMBINE, name)              \
            return value;                                                                          \
        }                                                                                          \
        if (twi_is_called(twi_fiber) && tw_cancelled())                                            \
            return twi_identity_##name();                                                          \
        int64_t middle = self.begin + (self.end - self.begin) / 2;                                 \
        tw_forked(name) upper =                                                                    \
            tw_fork(name, .begin = middle, .end = self.end, .whole = self.whole);                  \
        const type lower = tw_call(name, .begin = self.begin, .end = middle, .whole = self.whole); \
        return twi_combine_##name(lower, tw_join(name, upper));                                    \
    }                                                                                              \
    TWI_INLINE type twi_each_##name(TWI_EACH_PARAMETERS(name, , A, B, C))

#define TWI_COMBINE(name, a, b, c) value = twi_combine_##name(value, TWI_EACH(name, a, b, c))

#define TWI_FOLD(name, n, ranges, ...)                                                             \
    (__extension__({                                                                               \
        const struct tw_range twi_ranges[3] = TWI_BARE ranges;                                     \
        struct twi_whole_##name twi_whole = {.self = {__VA_ARGS__}};                               \
        tw_result_##name twi_folded = twi_identity_##name();                                       \
        TWI_DIMENSIONS_ARE(name, n);                                                               \
        if (twi_space_fill(&twi_whole.space, twi_ranges, 1))                                       \
            TWI_FAIL_AS(#name, TW_EINVAL);                                                         \
        else if (twi_whole.space.total)                                                            \
            twi_folded =                                                                           \
                tw_call(name, .begin = 0, .end = twi_whole.space.total, .whole = &twi_whole);      \
        twi_folded;                                                                                \
    }))

#endif
#endif

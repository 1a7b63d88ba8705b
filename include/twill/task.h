// SPDX-License-Identifier: Apache-2.0
// Tasks: TW_TASK, tw_async and tw_finish; TW_FUNCTION, tw_fork and tw_join.
//
//     TW_FUNCTION(long, fib, { int n; })
//     {
//         if (self.n < 2)
//             return self.n;
//         tw_forked(fib) a = tw_fork(fib, .n = self.n - 1);
//         long b = tw_call(fib, .n = self.n - 2);
//         return tw_join(fib, a) + b;
//     }
//
// Arguments are named fields, copied into the task; in the body `self` is a private copy of them.
// They may be of any size. The fields may not be const, nor of variable length.
//
// A body has two hidden parameters, its fiber and its next free slot, which the macros use. In a
// plain function the same macros find both through the thread, a little slower. A task that a plain
// function or a TW_FUNCTION starts outside any tw_finish of its own, for the caller's, costs about
// as much as an allocation; a plain function joins what it forks before it returns.
//
// With -DTWILL_DEBUG misuses are looked for that cost too much to look for always.
// With -DTWILL_SERIAL the same source becomes the sequential program: each spawn is a call.
#ifndef TWILL_TASK_H
#define TWILL_TASK_H

#ifdef TWILL_SERIAL
#include <twill/serial.h>

#include <twill/attempt.h> // tw_async asks it
#else

#include <twill/inline.h>

// Outside task bodies these stand for "not known"; a body's parameters, and a finish block's
// variable, shadow them.
static struct tw_fiber *const twi_fiber __attribute__((unused)) = NULL;
static struct tw_slot *twi_head __attribute__((unused)) = NULL;
static struct tw_scope *const twi_scope __attribute__((unused)) = NULL;
static const struct tw_task_type *const twi_site __attribute__((unused)) = NULL;

#define TWI_TASK_PARAMETERS(name)                                                                  \
    TWI_UNUSED struct tw_fiber *const twi_fiber, TWI_UNUSED struct tw_slot *twi_head,              \
        TWI_UNUSED struct tw_args_##name self, TWI_UNUSED const struct tw_task_type *twi_site
#define TWI_FUNCTION_PARAMETERS(name)                                                              \
    TWI_UNUSED struct tw_fiber *twi_fiber, TWI_UNUSED struct tw_slot *twi_head,                    \
        TWI_UNUSED struct tw_args_##name self

// ---- defining ----

// TW_TASK(name, { fields }) { body }  defines a task without a result, local to the file.
// TW_TASK_DECLARE(name, { fields }) in a header and TW_TASK_DEFINE(name) { body } in one source
// file make one that several files may spawn, and allow mutual recursion.
#define TW_TASK(name, ...)                                                                         \
    TWI_ARGS(name, __VA_ARGS__)                                                                    \
    static void twi_text_##name(TWI_TASK_PARAMETERS(name)) __attribute__((nonnull(1, 2), unused)); \
    TWI_TASK_RUN(name, static)                                                                     \
    static const struct tw_task_type tw_type_##name __attribute__((unused)) =                      \
        TWI_TYPE(name, 0, 0);                                                                      \
    TWI_TASK_BODY(name)                                                                            \
    static void twi_text_##name(TWI_TASK_PARAMETERS(name))

#define TW_TASK_DECLARE(name, ...)                                                                 \
    TWI_ARGS(name, __VA_ARGS__)                                                                    \
    void twi_text_##name(TWI_TASK_PARAMETERS(name)) __attribute__((nonnull(1, 2)));                \
    void twi_run_##name(TWI_RUN_PARAMETERS);                                                       \
    extern const struct tw_task_type tw_type_##name;                                               \
    TWI_TASK_BODY(name)                                                                            \
    struct tw_args_##name

#define TW_TASK_DEFINE(name)                                                                       \
    TWI_TASK_RUN(name, )                                                                           \
    const struct tw_task_type tw_type_##name = TWI_TYPE(name, 0, 0);                               \
    void twi_text_##name(TWI_TASK_PARAMETERS(name))

// TW_FUNCTION(type, name, { fields }) { body }  defines a task that returns a value, for tw_fork
// and tw_join. TW_FUNCTION_DECLARE(type, name, { fields }) and TW_FUNCTION_DEFINE(name) likewise.
#define TW_FUNCTION(type, name, ...)                                                               \
    TWI_ARGS(name, __VA_ARGS__)                                                                    \
    TWI_RESULT(type, name)                                                                         \
    static tw_result_##name twi_body_##name(TWI_FUNCTION_PARAMETERS(name))                         \
        __attribute__((nonnull(1), unused));                                                       \
    TWI_FUNCTION_RUN(name)                                                                         \
    static const struct tw_task_type tw_type_##name __attribute__((unused)) =                      \
        TWI_TYPE(name, sizeof(tw_result_##name), __alignof__(tw_result_##name));                   \
    TWI_FUNCTION_TEXT(name)

// gcc inlines a recursive function into itself when it is called inline, which more than halves the
// cost of the smallest tasks. clang does not; there the text is a function that calls its recursion
// by a parameter, shadowing its own name, so that one level can be inlined by hand.
#ifdef __clang__
#define TWI_FUNCTION_TEXT(name)                                                                    \
    static inline __attribute__((always_inline)) tw_result_##name twi_text_##name(                 \
        TWI_FUNCTION_PARAMETERS(name),                                                             \
        tw_result_##name (*twi_body_##name)(struct tw_fiber *, struct tw_slot *,                   \
                                            struct tw_args_##name));                               \
    static inline __attribute__((always_inline))                                                   \
    tw_result_##name twi_inner_##name(TWI_FUNCTION_PARAMETERS(name))                               \
    {                                                                                              \
        return twi_text_##name(twi_fiber, twi_head, self, twi_body_##name);                        \
    }                                                                                              \
    static tw_result_##name twi_body_##name(TWI_FUNCTION_PARAMETERS(name))                         \
    {                                                                                              \
        return twi_text_##name(twi_fiber, twi_head, self, twi_inner_##name);                       \
    }                                                                                              \
    static inline tw_result_##name twi_text_##name(                                                \
        TWI_FUNCTION_PARAMETERS(name),                                                             \
        TWI_UNUSED tw_result_##name (*twi_body_##name)(struct tw_fiber *, struct tw_slot *,        \
                                                       struct tw_args_##name))
#else
#define TWI_FUNCTION_TEXT(name)                                                                    \
    static inline tw_result_##name twi_body_##name(TWI_FUNCTION_PARAMETERS(name))
#endif

#define TW_FUNCTION_DECLARE(type, name, ...)                                                       \
    TWI_ARGS(name, __VA_ARGS__)                                                                    \
    TWI_RESULT(type, name)                                                                         \
    tw_result_##name twi_body_##name(TWI_FUNCTION_PARAMETERS(name)) __attribute__((nonnull(1)));   \
    extern const struct tw_task_type tw_type_##name

#define TW_FUNCTION_DEFINE(name)                                                                   \
    TWI_FUNCTION_RUN(name)                                                                         \
    const struct tw_task_type tw_type_##name =                                                     \
        TWI_TYPE(name, sizeof(tw_result_##name), __alignof__(tw_result_##name));                   \
    tw_result_##name twi_body_##name(TWI_FUNCTION_PARAMETERS(name))

// ---- using ----

#define TWI_REQUIRE_TASK(name)                                                                     \
    TWI_STATIC_ASSERT(twi_is_task_##name, #name " is a TW_FUNCTION: fork it")

// Where the task whose body this is was spawned; in other functions NULL.
#define TWI_SITE (twi_site)

// Starts the task `name`; the innermost open tw_finish waits for it. Does not suspend as a rule:
// when the fiber's slots run out, the new task runs first. Usable in tasks and in the plain
// functions they call.
#define tw_async(name, ...)                                                                        \
    do {                                                                                           \
        TWI_REQUIRE_TASK(name);                                                                    \
        static const struct tw_task_type twi_here = TWI_TYPE(name, 0, 0);                          \
        TWI_SPAWN(&twi_here, name, __VA_ARGS__);                                                   \
    } while (0)

// tw_async_urgent(name, ...), tw_async_idle(name, ...)  are tw_async for tasks that a worker which
// looks for work takes before all others, and after all others. They cost about as much as an
// allocation. Do not suspend.
#define tw_async_urgent(name, ...) TWI_ASYNC_BY(tw_task_push_urgent, name, __VA_ARGS__)
#define tw_async_idle(name, ...) TWI_ASYNC_BY(tw_task_push_idle, name, __VA_ARGS__)
#define TWI_ASYNC_BY(push, name, ...)                                                              \
    do {                                                                                           \
        TWI_REQUIRE_TASK(name);                                                                    \
        static const struct tw_task_type twi_here = TWI_TYPE(name, 0, 0);                          \
        struct tw_args_##name twi_args = {__VA_ARGS__};                                            \
        push(&twi_here, &twi_args);                                                                \
    } while (0)

// Runs the body of `name` as a plain call; its value is the function's. What a called task leaves
// behind belongs to the innermost open finish.
#define tw_call(name, ...)                                                                         \
    (__extension__({                                                                               \
        struct tw_fiber *twi_at = twi_spawner(twi_fiber, twi_scope);                               \
        struct twi_resync twi_resync __attribute__((cleanup(twi_resync_head), unused)) = {         \
            twi_at, twi_is_task_##name && twi_known(twi_fiber) ? &twi_head : NULL};                \
        twi_body_##name(twi_at,                                                                    \
                        twi_is_task_##name && !TWI_CONTAINED                                       \
                            ? NULL                                                                 \
                            : twi_nonnull(twi_top(twi_fiber, twi_at, twi_head)),                   \
                        (struct tw_args_##name){__VA_ARGS__});                                     \
    }))

// Starts the function `name` and gives the handle to join it by. Each handle must be joined once,
// by the task that forked it, before the enclosing finish ends; newest first is fastest, any order
// is legal. Like tw_async it may suspend only when slots run out.
#define tw_forked(name) struct tw_forked_##name
#define tw_fork(name, ...)                                                                         \
    (__extension__({                                                                               \
        struct tw_args_##name twi_args = {__VA_ARGS__};                                            \
        struct tw_fiber *twi_at = twi_spawner(twi_fiber, twi_scope);                               \
        struct tw_forked_##name twi_handle = {twi_top(twi_fiber, twi_at, twi_head)};               \
        twi_put_##name(twi_handle.slot->payload, &twi_args);                                       \
        twi_push_fork(twi_at, twi_handle.slot, &tw_type_##name);                                   \
        if (twi_known(twi_fiber))                                                                  \
            twi_head = twi_handle.slot + 1;                                                        \
        twi_handle;                                                                                \
    }))

// The value of the forked function. Runs it by a direct call when nobody took it; otherwise waits
// for it: may suspend.
#define tw_join(name, handle)                                                                      \
    (__extension__({                                                                               \
        struct tw_slot *twi_slot = (handle).slot;                                                  \
        struct tw_fiber *twi_at = twi_spawner(twi_fiber, twi_scope);                               \
        struct tw_slot *twi_done =                                                                 \
            twi_take(twi_at, twi_slot, twi_known(twi_fiber) ? twi_scope : twi_at->scope);          \
        tw_result_##name twi_value;                                                                \
        if (TWI_LIKELY(!twi_done)) {                                                               \
            twi_value = twi_body_##name(twi_at, twi_slot, twi_args_##name(twi_slot->payload));     \
            if (twi_known(twi_fiber))                                                              \
                twi_head = twi_slot;                                                               \
        } else {                                                                                   \
            twi_value = twi_result_##name(twi_done->payload);                                      \
            if (twi_known(twi_fiber))                                                              \
                twi_head = TWI_LOAD_OWN(&twi_at->head);                                            \
        }                                                                                          \
        twi_value;                                                                                 \
    }))

// tw_finish { ... }  waits for every task started inside, transitively. Leaving the block by
// break, return or goto still waits; but `return x` reads x before the wait, so never return from
// inside what the block's tasks produce. With -DTWILL_DEBUG, leaving the block of a TW_FUNCTION
// by return or goto while tasks are unfinished is a misuse. May suspend at its end.
//
// Three loops: the first declares the scope, the second ends it (its cleanup when the block is
// left early), the third gives break and continue something to leave.
#define tw_finish                                                                                  \
    for (struct tw_scope twi_block, *twi_scope = twi_scope_open(&twi_block, twi_fiber, twi_head),  \
                                    *twi_open = twi_scope;                                         \
         twi_open; twi_open = NULL)                                                                \
        for (struct twi_guard twi_guard __attribute__((                                            \
                 cleanup(twi_guard_leave))) = {twi_scope, twi_scope->fiber, TWI_RETURNS_VALUE};    \
             twi_guard.scope; twi_guard_close(&twi_guard), twi_guard.scope = NULL,                 \
  twi_known(twi_fiber) ? (void)(twi_head = TWI_LOAD_OWN(&twi_guard.fiber->head)) : (void)0)        \
            for (int twi_once = 1; twi_once; twi_once = 0)

// ---- what the macros are made of ----

// Must not escape, or the compiler keeps it in memory: hence apart from the scope.
struct twi_guard {
    struct tw_scope *scope;
    struct tw_fiber *fiber;
    int returns_value;
};

TWI_INLINE void twi_guard_close(const struct twi_guard *guard)
{
    twi_scope_close(guard->scope, guard->fiber);
}

TWI_INLINE void twi_guard_leave(struct twi_guard *guard)
{
    if (!guard->scope)
        return;
    if (guard->returns_value && twi_scope_busy(guard->scope))
        tw_misuse("a finish block was left by return before its tasks were joined", "");
    twi_guard_close(guard);
}

#ifdef TWILL_DEBUG
#define TWI_RETURNS_VALUE TWI_IN_FUNCTION
#else
#define TWI_RETURNS_VALUE 0
#endif

TWI_INLINE int twi_known(const struct tw_fiber *fiber)
{
    return fiber != NULL;
}

TWI_INLINE struct tw_fiber *twi_spawner(struct tw_fiber *known, const struct tw_scope *scope)
{
    return known ? known : scope ? scope->fiber : twi_fiber_here(NULL);
}

TWI_INLINE struct tw_slot *twi_top(const struct tw_fiber *known, struct tw_fiber *f,
                                   struct tw_slot *head)
{
#ifdef TWILL_DEBUG
    if (known && head != TWI_LOAD_OWN(&f->head))
        tw_misuse("a body's head is not where it should be: was tw_scope_begin used in a body, or "
                  "did a plain function return with a fork not joined?",
                  "");
#endif
    return known ? head : TWI_LOAD_OWN(&f->head);
}

TWI_INLINE struct tw_slot *twi_nonnull(struct tw_slot *slot)
{
    if (!slot)
        __builtin_unreachable();
    return slot;
}

// After the call of a task, which may have left others: the register head is read anew.
struct twi_resync {
    struct tw_fiber *fiber;
    struct tw_slot **head;
};

TWI_INLINE void twi_resync_head(struct twi_resync *resync)
{
    if (resync->head)
        *resync->head = TWI_LOAD_OWN(&resync->fiber->head);
}

// Only a TW_FUNCTION has a fiber parameter that is not const.
#ifdef __cplusplus
char twi_function_mark(struct tw_fiber **);
char (&twi_function_mark(struct tw_fiber *const *))[2];
#define TWI_IN_FUNCTION (sizeof(twi_function_mark(&twi_fiber)) == 1)
#else
#define TWI_IN_FUNCTION _Generic(&twi_fiber, struct tw_fiber * * : 1, default : 0)
#endif

// Whether tasks left in the deque are in nobody's way: in a finish block of this very function, or
// in the body of a task, whose callers look.
#define TWI_CONTAINED (twi_scope || (!TWI_IN_FUNCTION && twi_known(twi_fiber)))

// What constructors and destructors have to see cannot move from stack to stack as bytes.
#ifdef __cplusplus
#define TWI_BYTES(type)                                                                            \
    static_assert(__is_trivially_copyable(type),                                                   \
                  "arguments and results of tasks are copied as bytes");
#else
#define TWI_BYTES(type)
#endif

// Written and read as the struct it is, field by field: copied as bytes, what the body reads may
// span two stores of the spawner, and then has to wait for both to reach the cache.
#define TWI_ARGS(name, ...)                                                                        \
    struct tw_args_##name __VA_ARGS__ __attribute__((may_alias));                                  \
    TWI_BYTES(struct tw_args_##name)                                                               \
    TWI_INLINE void twi_put_##name(void *payload, const struct tw_args_##name *args)               \
    {                                                                                              \
        if (twi_fits(sizeof *args, __alignof__(*args)))                                            \
            *(struct tw_args_##name *)payload = *args;                                             \
        else                                                                                       \
            twi_pack(payload, args, sizeof *args, __alignof__(*args));                             \
    }                                                                                              \
    TWI_INLINE struct tw_args_##name twi_args_##name(void *payload)                                \
    {                                                                                              \
        struct tw_args_##name args;                                                                \
        if (twi_fits(sizeof args, __alignof__(args)))                                              \
            return *(struct tw_args_##name *)payload;                                              \
        twi_unpack(&args, payload, sizeof args, __alignof__(args));                                \
        return args;                                                                               \
    }

#define TWI_RESULT(type, name)                                                                     \
    typedef type tw_result_##name;                                                                 \
    TWI_BYTES(tw_result_##name)                                                                    \
    enum { twi_is_task_##name = 0 };                                                               \
    struct tw_forked_##name {                                                                      \
        struct tw_slot *slot;                                                                      \
    };                                                                                             \
    TWI_INLINE tw_result_##name twi_result_##name(void *payload)                                   \
    {                                                                                              \
        tw_result_##name value;                                                                    \
        twi_unpack(&value, payload, sizeof value, __alignof__(value));                             \
        return value;                                                                              \
    }

#define TWI_RUN_PARAMETERS                                                                         \
    struct tw_fiber *fiber, struct tw_slot *head, const void *args, void *result

#define TWI_TASK_RUN(name, linkage)                                                                \
    linkage void twi_run_##name(TWI_RUN_PARAMETERS)                                                \
    {                                                                                              \
        twi_text_##name(fiber, head, twi_args_##name((void *)args),                                \
                        (const struct tw_task_type *)result);                                      \
    }

// With head NULL: not in this deque.
#define TWI_TASK_BODY(name)                                                                        \
    enum { twi_is_task_##name = 1 };                                                               \
    TWI_INLINE void twi_body_##name(struct tw_fiber *fiber, struct tw_slot *head,                  \
                                    struct tw_args_##name self)                                    \
    {                                                                                              \
        if (!head)                                                                                 \
            tw_task_call_apart(&tw_type_##name, &self);                                            \
        else                                                                                       \
            twi_text_##name(fiber, head, self, &tw_type_##name);                                   \
    }

#define TWI_FUNCTION_RUN(name)                                                                     \
    static void twi_run_##name(TWI_RUN_PARAMETERS)                                                 \
    {                                                                                              \
        if (result != args)                                                                        \
            tw_misuse("a forked function was not joined before its finish ended", #name);          \
        tw_result_##name value = twi_body_##name(fiber, head, twi_args_##name((void *)args));      \
        twi_pack(result, &value, sizeof value, __alignof__(value));                                \
    }

// A task of this type at the head, or in a bag.
#define TWI_SPAWN(type, name, ...)                                                                 \
    do {                                                                                           \
        struct tw_args_##name twi_args = {__VA_ARGS__};                                            \
        if (TWI_CONTAINED) {                                                                       \
            struct tw_fiber *twi_at = twi_spawner(twi_fiber, twi_scope);                           \
            struct tw_slot *twi_slot = twi_top(twi_fiber, twi_at, twi_head);                       \
            twi_put_##name(twi_slot->payload, &twi_args);                                          \
            struct tw_slot *twi_next = twi_push_async(twi_at, twi_slot, (type),                    \
                                                      twi_scope ? twi_scope : twi_at->scope);      \
            if (twi_known(twi_fiber))                                                              \
                twi_head = twi_next;                                                               \
        } else {                                                                                   \
            tw_task_push_apart((type), &twi_args);                                                 \
        }                                                                                          \
    } while (0)

#define TWI_TYPE(name, result_size, result_align)                                                  \
    {                                                                                              \
#name, __FILE__, __LINE__, __alignof__(struct tw_args_##name), result_align,               \
            sizeof(struct tw_args_##name), result_size, twi_run_##name                             \
    }

#endif
#endif

// SPDX-License-Identifier: Apache-2.0
// Futures: a value that one task promises and others wait for.
//
//     TW_FUTURE(long, total)                           // a future with a long in it
//
//     tw_future(total) sum = TW_FUTURE_INIT;
//     tw_async(add_up, .out = &sum);                   // ... tw_promise(total, self.out, 42);
//     long value = tw_await(total, &sum);              // suspends until then
//
// A promise is made once; its future may be awaited by any number of tasks, before and after. A
// task that waits holds no worker. tw_async_await starts a task when its futures are there; until
// then it has no stack. A wait ends early when its deadline passes (TW_ETIMEDOUT) or when what the
// task is inside of is cancelled (TW_ECANCELED).
//
// Edges (the rest of them in src/task/future.c):
//  [F1] state release/acquire: who finds a future set sees its value and all that came before.
#ifndef TWILL_WAIT_H
#define TWILL_WAIT_H

#include <stdint.h>

#include <twill/attempt.h>
#include <twill/line.h>
#include <twill/task.h>

#ifndef TWILL_SERIAL

// Whether a promise was made, and who waits for it.
struct tw_future {
    struct tw_line line; // who waits
    uint32_t state; // 0 open, then TWI_FUTURE_CLAIMED, then TWI_FUTURE_SET. writer: who promises
    int error;      // 0, or what the promise failed with. constant once set
    struct tw_fiber *claimer; // the task that will set it, NULL: not a task. writer: it
};
enum { TWI_FUTURE_CLAIMED = 1, TWI_FUTURE_SET = 2 };

#define TW_FUTURE(type, name)                                                                      \
    typedef type twi_promised_##name;                                                              \
    struct tw_future_##name {                                                                      \
        struct tw_future event;                                                                    \
        twi_promised_##name value TWI_ZERO;                                                        \
    };
#define tw_future(name) struct tw_future_##name
#define TW_FUTURE_INIT                                                                             \
    {                                                                                              \
        .event = { TWI_LINE_INIT, 0, 0, NULL }                                                     \
    }

#ifdef __cplusplus
extern "C" {
#endif

// The right to set the future: 0, or TW_EALREADY when somebody has it. Never suspends; any thread.
TW_API int tw_future_claim(struct tw_future *future);

// Sets a claimed future and wakes who waits; `error` 0, or what they shall fail with. The future
// may be freed by who waits as soon as it is set. Never suspends; any thread.
TW_API void tw_future_set(struct tw_future *future, int error);

// Waits until the future is set; returns its error, or TW_ECANCELED, TW_ETIMEDOUT, or TW_EDEADLK
// when the calling task itself has claimed it. From a task; may suspend.
TW_API int tw_future_wait(struct tw_future *future);
TW_API int tw_future_wait_until(struct tw_future *future, uint64_t deadline_ns);

// Waits until all of them are set: 0, the error of the first in the list that failed, or as above.
// From a task; may suspend.
TW_API int tw_await_all(struct tw_future *const *futures, unsigned count, uint64_t deadline_ns);

// Waits until one of them is set: its place in the list, or an error as above (TW_EINVAL for an
// empty list). From a task; may suspend.
TW_API int tw_await_any(struct tw_future *const *futures, unsigned count, uint64_t deadline_ns);

// Starts a task of the innermost finish once all of `count` futures are set, in whatever way. The
// list is copied. When what it is inside of is cancelled the task is dropped at once. From a task.
// Never suspends.
TW_API void tw_task_await(const struct tw_task_type *type, const void *args,
                          struct tw_future *const *futures, unsigned count);

// Lets all go on that is ready, and all start that waits to, before the calling task goes on. From
// a task; suspends.
TW_API void tw_yield(void);

#ifdef __cplusplus
}
#endif

// Whether it is set, and waiting would not wait. Never suspends; any thread.
TWI_INLINE int tw_future_ready(struct tw_future *future)
{
    return TWI_LOAD(&future->state, TWI_ACQUIRE) == TWI_FUTURE_SET; // [F1]
}

// tw_promise(name, &future, value)  sets a future. 0, or TW_EALREADY, and then nothing is changed.
#define tw_promise(name, future, ...)                                                              \
    (__extension__({                                                                               \
        struct tw_future_##name *twi_future = (future);                                            \
        int twi_error = tw_future_claim(&twi_future->event);                                       \
        if (!twi_error) {                                                                          \
            twi_future->value = (__VA_ARGS__);                                                     \
            tw_future_set(&twi_future->event, 0);                                                  \
        }                                                                                          \
        twi_error;                                                                                 \
    }))

// tw_break(name, &future, error)  lets a future fail. 0, or TW_EALREADY.
#define tw_break(name, future, error)                                                              \
    (__extension__({                                                                               \
        struct tw_future_##name *twi_future = (future);                                            \
        int twi_error = tw_future_claim(&twi_future->event);                                       \
        if (!twi_error)                                                                            \
            tw_future_set(&twi_future->event, (error));                                            \
        twi_error;                                                                                 \
    }))

// tw_await(name, &future)  is the value, once it is there. A future that failed, and a wait that
// was cancelled, fail the innermost attempt of who awaits it; then the value means nothing. May
// suspend; from a task.
#define tw_await(name, future)                                                                     \
    (__extension__({                                                                               \
        struct tw_future_##name *twi_future = (future);                                            \
        int twi_error = tw_future_wait(&twi_future->event);                                        \
        if (twi_error && twi_error != TW_ECANCELED)                                                \
            tw_fail(twi_error);                                                                    \
        twi_future->value;                                                                         \
    }))

// tw_await_until(name, &future, deadline_ns, &value)  puts the value there once it is: 0, the
// future's error, TW_ETIMEDOUT or TW_ECANCELED, and then the value is left alone. May suspend; from
// a task.
#define tw_await_until(name, future, deadline_ns, out)                                             \
    (__extension__({                                                                               \
        struct tw_future_##name *twi_future = (future);                                            \
        int twi_error = tw_future_wait_until(&twi_future->event, (deadline_ns));                   \
        if (!twi_error)                                                                            \
            *(out) = twi_future->value;                                                            \
        twi_error;                                                                                 \
    }))

// tw_async_await(name, (futures), .field = value, ...)  is tw_async once all futures are set:
// (&a.event, &b.event) in parentheses. Costs an allocation; never suspends.
#define tw_async_await(name, list, ...)                                                            \
    do {                                                                                           \
        TWI_REQUIRE_TASK(name);                                                                    \
        static const struct tw_task_type twi_here = TWI_TYPE(name, 0, 0);                          \
        struct tw_args_##name twi_args = {__VA_ARGS__};                                            \
        struct tw_future *twi_list[] = {TWI_FUTURES list};                                         \
        tw_task_await(&twi_here, &twi_args, twi_list,                                              \
                      (unsigned)(sizeof twi_list / sizeof *twi_list));                             \
    } while (0)
#define TWI_FUTURES(...) __VA_ARGS__

#endif
#endif

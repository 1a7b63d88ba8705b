// SPDX-License-Identifier: Apache-2.0
// The macros of task.h as their sequential elision (-DTWILL_SERIAL): a spawn is a call, a finish a
// block, a handle the value itself. Needs no library.
#ifndef TWILL_SERIAL_H
#define TWILL_SERIAL_H

#include <stddef.h>

#include <twill/api.h>

#define TWI_SITE NULL

// The innermost open attempt of the thread (serial_attempt.h).
struct tw_attempt;
struct tw_task_type;
__attribute__((weak)) __thread struct tw_attempt *twi_serial_innermost;

#define TWI_SERIAL_ARGS(name, ...) struct tw_args_##name __VA_ARGS__;
#define TWI_SERIAL_RESULT(type, name)                                                              \
    typedef type tw_result_##name;                                                                 \
    struct tw_forked_##name {                                                                      \
        tw_result_##name value;                                                                    \
    };

#define TW_TASK(name, ...)                                                                         \
    TWI_SERIAL_ARGS(name, __VA_ARGS__)                                                             \
    static void __attribute__((unused)) twi_body_##name(TWI_UNUSED struct tw_args_##name self)
#define TW_TASK_DECLARE(name, ...)                                                                 \
    TWI_SERIAL_ARGS(name, __VA_ARGS__)                                                             \
    void twi_body_##name(TWI_UNUSED struct tw_args_##name self)
#define TW_TASK_DEFINE(name) void twi_body_##name(TWI_UNUSED struct tw_args_##name self)

#define TW_FUNCTION(type, name, ...)                                                               \
    TWI_SERIAL_ARGS(name, __VA_ARGS__)                                                             \
    TWI_SERIAL_RESULT(type, name)                                                                  \
    static inline __attribute__((unused))                                                          \
    tw_result_##name twi_body_##name(TWI_UNUSED struct tw_args_##name self)
#define TW_FUNCTION_DECLARE(type, name, ...)                                                       \
    TWI_SERIAL_ARGS(name, __VA_ARGS__)                                                             \
    TWI_SERIAL_RESULT(type, name)                                                                  \
    tw_result_##name twi_body_##name(TWI_UNUSED struct tw_args_##name self)
#define TW_FUNCTION_DEFINE(name)                                                                   \
    tw_result_##name twi_body_##name(TWI_UNUSED struct tw_args_##name self)

#define tw_call(name, ...) twi_body_##name((struct tw_args_##name){__VA_ARGS__})
// What a dropped task would have written counts as written: compilers else warn of every variable
// that a task is to set.
#define tw_async(name, ...)                                                                        \
    do {                                                                                           \
        struct tw_args_##name twi_args = {__VA_ARGS__};                                            \
        if (!twi_serial_innermost || !tw_cancelled())                                              \
            twi_body_##name(twi_args);                                                             \
        else                                                                                       \
            __asm__("" : : "r"(&twi_args) : "memory");                                             \
    } while (0)
#define tw_async_urgent(name, ...) tw_async(name, __VA_ARGS__)
#define tw_async_idle(name, ...) tw_async(name, __VA_ARGS__)
#define tw_forked(name) struct tw_forked_##name
#define tw_fork(name, ...)                                                                         \
    (__extension__({                                                                               \
        struct tw_forked_##name twi_handle = {tw_call(name, __VA_ARGS__)};                         \
        twi_handle;                                                                                \
    }))
#define tw_join(name, handle) ((void)sizeof(struct tw_args_##name), (handle).value)
#define tw_finish for (int twi_once = 1; twi_once; twi_once = 0)

#endif

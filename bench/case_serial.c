// SPDX-License-Identifier: Apache-2.0
// apps/fib once more as its sequential elision, under other names: what its tasks would cost if
// they were calls.
#define TWILL_SERIAL
#define fib_value serial_value
#define fib_calls serial_calls
#define fib_recursive serial_recursive
#define fib_fork serial_fork
#define fib_async serial_async
#include "apps/fib/fib.c"
#undef fib_value

uint64_t twb_fib_serial(unsigned n);

uint64_t twb_fib_serial(unsigned n)
{
    uint64_t value = 0;
    serial_fork(NULL, n, &value);
    return value;
}

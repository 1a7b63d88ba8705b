// SPDX-License-Identifier: Apache-2.0
// The kernels of apps/fib under other names, compiled without the count of tasks that `twill run`
// reports: at 2 ns a task the count would be a seventh of what is measured.
#ifndef BENCH_BARE_FIB_H
#define BENCH_BARE_FIB_H

#define fib_value twb_fib_value
#define fib_calls twb_fib_calls
#define fib_recursive twb_fib_recursive
#define fib_fork twb_fib_fork
#define fib_async twb_fib_async

#include "apps/fib/fib.h"

#endif

// SPDX-License-Identifier: Apache-2.0
// Work for tests: Fibonacci numbers by fork and join.
#ifndef TEST_FIB_H
#define TEST_FIB_H

#include <twill/twill.h>

TW_FUNCTION(long, fib, { int n; })
{
    if (self.n < 2)
        return self.n;
    tw_forked(fib) a = tw_fork(fib, .n = self.n - 1);
    long b = tw_call(fib, .n = self.n - 2);
    return tw_join(fib, a) + b;
}

TW_TASK(fib_into, {
    int n;
    long *out;
})
{
    *self.out = tw_call(fib, .n = self.n);
}

#endif

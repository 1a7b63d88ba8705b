// SPDX-License-Identifier: Apache-2.0
// Async and finish: a task is started, the block waits for it.
//
//     cc -O3 fib.c -ltwill && ./a.out
#include <stdio.h>
#include <twill/twill.h>

TW_TASK(fib, {
    int n;
    long *out;
})
{
    if (self.n < 2) {
        *self.out = self.n;
        return;
    }
    long a, b;
    tw_finish {
        tw_async(fib, .n = self.n - 1, .out = &a);
        tw_call(fib, .n = self.n - 2, .out = &b);
    }
    *self.out = a + b;
}

int main(void)
{
    long result = 0;
    if (tw_run(fib, .n = 30, .out = &result) != 0)
        return 1;
    printf("fib(30) = %ld\n", result);
    return result != 832040;
}

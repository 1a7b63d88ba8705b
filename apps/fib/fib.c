// SPDX-License-Identifier: Apache-2.0
// Fibonacci: the oracle, the plain recursion, and the recursion with tasks.
#include "apps/fib/fib.h"

#include <twill/twill.h>

#ifdef __clang__
#define REAL_CALLS __attribute__((noinline, disable_tail_calls))
#else
#define REAL_CALLS __attribute__((noipa, optimize("no-optimize-sibling-calls")))
#endif

uint64_t fib_value(unsigned n)
{
    uint64_t value = 0, next = 1;
    while (n-- > 0) {
        uint64_t sum = value + next;
        value = next;
        next = sum;
    }
    return value;
}

// calls(n) = 1 + calls(n - 1) + calls(n - 2)
uint64_t fib_calls(unsigned n)
{
    return 2 * fib_value(n + 1) - 1;
}

REAL_CALLS uint64_t fib_recursive(unsigned n)
{
    return n < 2 ? n : fib_recursive(n - 1) + fib_recursive(n - 2);
}

TW_FUNCTION(uint64_t, forked, { unsigned n; })
{
    if (self.n < 2)
        return self.n;
    tw_forked(forked) first = tw_fork(forked, .n = self.n - 1);
    uint64_t second = tw_call(forked, .n = self.n - 2);
    return tw_join(forked, first) + second;
}

TW_TASK(run_forked, {
    unsigned n;
    uint64_t *value;
})
{
    *self.value = tw_call(forked, .n = self.n);
}

TW_TASK(started, {
    unsigned n;
    uint64_t *value;
})
{
    if (self.n < 2) {
        *self.value = self.n;
        return;
    }
    uint64_t first, second;
    tw_finish {
        tw_async(started, .n = self.n - 1, .value = &first);
        tw_call(started, .n = self.n - 2, .value = &second);
    }
    *self.value = first + second;
}

int fib_fork(const struct tw_options *options, unsigned n, uint64_t *value)
{
    return tw_run_with(options, run_forked, .n = n, .value = value);
}

int fib_async(const struct tw_options *options, unsigned n, uint64_t *value)
{
    return tw_run_with(options, started, .n = n, .value = value);
}

// SPDX-License-Identifier: Apache-2.0
// A program outside the tree, as C and (by user.cpp) as C++17: built by install_test.sh against the
// installed library only. Prints one line; its exit status is 0 when all of it is right.
#include <stdio.h>
#include <string.h>
#include <twill/twill.h>

#define COUNT 10000

struct point {
    double x, y;
};

TW_FUNCTION(long, fib, { int n; })
{
    if (self.n < 2)
        return self.n;
    tw_forked(fib) a = tw_fork(fib, .n = self.n - 1);
    long b = tw_call(fib, .n = self.n - 2);
    return tw_join(fib, a) + b;
}

TW_TASK_DECLARE(odd, {
    int n;
    int *out;
});

TW_TASK(even, {
    int n;
    int *out;
})
{
    if (self.n == 0)
        *self.out = 1;
    else
        tw_async(odd, .n = self.n - 1, .out = self.out);
}

TW_TASK_DEFINE(odd)
{
    tw_async(even, .n = self.n - 1, .out = self.out);
}

TW_FUNCTION(struct point, middle, {
    struct point a;
    struct point b;
})
{
    struct point found = {(self.a.x + self.b.x) / 2, (self.a.y + self.b.y) / 2};
    return found;
}

TW_LOOP(square, i, { long *out; })
{
    self.out[i] = i * i;
}

TW_LOOP2(mark, i, j, {
    char *cells;
    int width;
})
{
    self.cells[i * self.width + j]++;
}

TW_REDUCE(long, sum, i, 0, a + b, { const long *values; })
{
    return self.values[i];
}

TW_SUM(long, total)

TW_LOOP(tally, i, { tw_reducer(total) * into; })
{
    *tw_view(total, self.into) += i;
}

TW_TASK(doomed, { int error; })
{
    tw_fail(self.error);
}

static struct tw_local colour = {"colour"};

TW_TASK(paint, { int *out; })
{
    *self.out = *(int *)tw_local_get(&colour);
}

// What each part found; all of it is known.
struct findings {
    long fib, squares, tallied;
    int even, failed, red, cells;
    double middle;
    char who[16];
};

static long squares[COUNT];
static char cells[12];

static long tally_up(void)
{
    tw_reducer(total) into;
    tw_reducer_open(total, &into);
    tw_finish {
        tw_forasync(tally, tw_range(0, 100, .step = 3, .grain = 2), .into = &into);
    }
    return tw_reducer_close(total, &into);
}

TW_TASK(everything, { struct findings *out; })
{
    struct findings *out = self.out;
    struct point a = {0, 2}, b = {4, 6};
    tw_finish {
        tw_async(even, .n = 8, .out = &out->even);
        tw_forasync(square, tw_range(0, COUNT), .out = squares);
        tw_forasync2(mark, tw_range(0, 3), tw_range(0, 4), .cells = cells, .width = 4);
        tw_forked(middle) m = tw_fork(middle, .a = a, .b = b);
        out->fib = tw_call(fib, .n = 20);
        out->middle = tw_join(middle, m).y;
    }
    out->squares = tw_reduce(sum, tw_range(0, COUNT), .values = squares);
    for (unsigned i = 0; i < sizeof cells; i++)
        out->cells += cells[i];
    out->tallied = tally_up();

    struct tw_outcome outcome;
    tw_attempt(&outcome, .timeout_ns = 60000000000)
    {
        tw_async(doomed, .error = 42);
    }
    out->failed = outcome.error;
    snprintf(out->who, sizeof out->who, "%s", outcome.task);
    int red = 7;
    tw_with(&colour, &red)
    {
        tw_async(paint, .out = &out->red);
    }
}

int main(void)
{
    struct tw_options options;
    struct findings found;
    memset(&found, 0, sizeof found);
    if (tw_options_init(&options, NULL, 0) != 0 ||
        tw_options_set(&options, "workers", "2", NULL, 0) != 0)
        return 2;
    int error = tw_run_with(&options, everything, .out = &found);
    printf("twill %s: fib %ld, squares %ld, tallied %ld, even %d, failed %d by %s, red %d, "
           "cells %d, middle %g, error %d\n",
           tw_version(), found.fib, found.squares, found.tallied, found.even, found.failed,
           found.who, found.red, found.cells, found.middle, error);
    return error || found.fib != 6765 || found.squares != 333283335000 || found.tallied != 1683 ||
           found.even != 1 || found.failed != 42 || strcmp(found.who, "doomed") != 0 ||
           found.red != 7 || found.cells != 12 || found.middle != 4;
}

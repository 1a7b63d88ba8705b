// SPDX-License-Identifier: Apache-2.0
// Merge sort with tasks: both the halves and the merge of them are divided.
#include "apps/sort/sort.h"

#include <twill/twill.h>

struct keys {
    const uint64_t *at;
    size_t n;
};

// The longer range is cut in the middle, the other where that key would stand; what is below and
// what is above are merged at the same time. A fork has a value: the number of keys.
TW_FUNCTION(size_t, merge, {
    struct keys a, b;
    uint64_t *out;
})
{
    struct keys a = self.a, b = self.b;
    if (a.n + b.n <= SORT_MERGE_CUTOFF) {
        sort_merge(a.at, a.n, b.at, b.n, self.out);
        return a.n + b.n;
    }
    if (a.n < b.n)
        a = self.b, b = self.a;
    size_t a_low = a.n / 2, b_low = sort_rank(b.at, b.n, a.at[a_low]);
    tw_forked(merge) above =
        tw_fork(merge, .a = {a.at + a_low, a.n - a_low}, .b = {b.at + b_low, b.n - b_low},
                .out = self.out + a_low + b_low);
    size_t below = tw_call(merge, .a = {a.at, a_low}, .b = {b.at, b_low}, .out = self.out);
    return below + tw_join(merge, above);
}

// As sort_range.
TW_FUNCTION(size_t, sort, {
    uint64_t *keys, *scratch;
    size_t n;
    bool moved;
})
{
    if (self.n <= SORT_CUTOFF) {
        sort_range(self.keys, self.scratch, self.n, self.moved);
        return self.n;
    }
    size_t half = sort_middle(self.n), rest = self.n - half;
    tw_forked(sort) upper = tw_fork(sort, .keys = self.keys + half, .scratch = self.scratch + half,
                                    .n = rest, .moved = !self.moved);
    (void)tw_call(sort, .keys = self.keys, .scratch = self.scratch, .n = half,
                  .moved = !self.moved);
    (void)tw_join(sort, upper);
    const uint64_t *in = self.moved ? self.keys : self.scratch;
    return tw_call(merge, .a = {in, half}, .b = {in + half, rest},
                   .out = self.moved ? self.scratch : self.keys);
}

TW_TASK(run_sort, {
    uint64_t *keys, *scratch;
    size_t n;
})
{
    (void)tw_call(sort, .keys = self.keys, .scratch = self.scratch, .n = self.n, .moved = false);
}

int sort_fork(const struct tw_options *options, uint64_t *keys, uint64_t *scratch, size_t n)
{
    return tw_run_with(options, run_sort, .keys = keys, .scratch = scratch, .n = n);
}

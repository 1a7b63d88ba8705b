// SPDX-License-Identifier: Apache-2.0
// Map and reduce: the oracle, the plain loop, and the recursion with tasks.
#include "apps/mapreduce/mapreduce.h"

#include <twill/twill.h>

#include "apps/busy.h"

uint64_t mapreduce_oracle(uint64_t leaves, uint64_t work_rounds)
{
    uint64_t sum = 0;
    for (uint64_t leaf = 0; leaf < leaves; leaf++)
        sum += busy_work(source_value(leaf), work_rounds);
    return sum;
}

int mapreduce_sequential(struct mapreduce *run)
{
    run->sum = 0;
    run->workers = 1;
    for (uint64_t leaf = 0; leaf < run->leaves; leaf++) {
        uint64_t value;
        int error = source_fetch_alone(run->source, leaf, &value);
        if (error)
            return error;
        run->sum += busy_work(value, run->work_rounds);
    }
    return 0;
}

static uint64_t map(const struct mapreduce *run, uint64_t leaf)
{
    uint64_t value;
    int error = tw_cancelled() ? TW_ECANCELED : source_fetch(run->source, leaf, &value);
    if (error) {
        tw_fail(error);
        return 0;
    }
    return busy_work(value, run->work_rounds);
}

TW_FUNCTION(uint64_t, map_and_reduce, {
    const struct mapreduce *run;
    uint64_t first;
    uint64_t leaves;
})
{
    if (self.leaves == 1)
        return map(self.run, self.first);
    uint64_t half = self.leaves / 2;
    tw_forked(map_and_reduce) upper = tw_fork(
        map_and_reduce, .run = self.run, .first = self.first + half, .leaves = self.leaves - half);
    uint64_t lower = tw_call(map_and_reduce, .run = self.run, .first = self.first, .leaves = half);
    return lower + tw_join(map_and_reduce, upper);
}

TW_TASK(run_forked, { struct mapreduce *run; })
{
    self.run->workers = tw_workers();
    self.run->sum =
        tw_call(map_and_reduce, .run = self.run, .first = 0, .leaves = self.run->leaves);
}

int mapreduce_fork(const struct tw_options *options, struct mapreduce *run)
{
    return tw_run_with(options, run_forked, .run = run);
}

uint64_t mapreduce_bound_ns(uint64_t latency_ns, uint64_t leaves, uint64_t work_ns,
                            unsigned workers)
{
    return latency_ns + leaves * work_ns / workers;
}

// SPDX-License-Identifier: Apache-2.0
// Updates of counters in memory: plain ones; those of a reducer's view that is looked up at every
// update, as programs write it, so that compilers find out that it stays the same; and with
// something opaque between two updates, so that they cannot. Size: updates.
//
// They go to eight counters in turn. With a single one the plain program would measure a trick:
// processors keep a memory operand in a register while its address is the same expression, which
// no program that does anything between two updates can profit from.
#include "cases.h"

enum { COUNTERS = 8 };

struct counters {
    uint64_t of[COUNTERS];
};

static struct counters both(struct counters a, struct counters b)
{
    for (int i = 0; i < COUNTERS; i++)
        a.of[i] += b.of[i];
    return a;
}

TW_REDUCER(struct counters, count, {{0}}, both(a, b))

static uint64_t sum_of(const struct counters *counters)
{
    uint64_t sum = 0;
    for (int i = 0; i < COUNTERS; i++)
        sum += counters->of[i];
    return sum;
}

// An update that the compiler has to make in memory, each one.
static inline void update(struct counters *counters, long i)
{
    *(volatile uint64_t *)&counters->of[i % COUNTERS] += (uint64_t)i;
}

#define SOMETHING_OPAQUE() __asm__ __volatile__("" ::: "memory")

TW_TASK(update_plain, {
    long n;
    struct counters *counters;
})
{
    for (long i = 0; i < self.n; i++)
        update(self.counters, i);
}

TW_TASK(update_view, {
    long n;
    struct counters *counters;
})
{
    tw_reducer(count) reducer;
    tw_reducer_open(count, &reducer);
    for (long i = 0; i < self.n; i++)
        update(tw_view(count, &reducer), i);
    *self.counters = tw_reducer_close(count, &reducer);
}

TW_TASK(update_opaque, {
    long n;
    struct counters *counters;
})
{
    tw_reducer(count) reducer;
    tw_reducer_open(count, &reducer);
    for (long i = 0; i < self.n; i++) {
        update(tw_view(count, &reducer), i);
        SOMETHING_OPAQUE();
    }
    *self.counters = tw_reducer_close(count, &reducer);
}

static struct twb_answer run_plain(const struct twb_job *job)
{
    struct counters counters = {{0}};
    double start = twb_seconds();
    twb_require(tw_run(update_plain, .n = job->size, .counters = &counters));
    return (struct twb_answer){twb_seconds() - start, sum_of(&counters)};
}

static struct twb_answer run_view(const struct twb_job *job)
{
    struct counters counters = {{0}};
    double start = twb_seconds();
    twb_require(tw_run(update_view, .n = job->size, .counters = &counters));
    return (struct twb_answer){twb_seconds() - start, sum_of(&counters)};
}

static struct twb_answer run_opaque(const struct twb_job *job)
{
    struct counters counters = {{0}};
    double start = twb_seconds();
    twb_require(tw_run(update_opaque, .n = job->size, .counters = &counters));
    return (struct twb_answer){twb_seconds() - start, sum_of(&counters)};
}

const struct twb_case twb_reducer_cases[] = {
    {"update_plain", run_plain},
    {"update_view", run_view},
    {"update_opaque", run_opaque},
    {NULL, NULL},
};

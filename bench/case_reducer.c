// SPDX-License-Identifier: Apache-2.0
// Updates of counters in memory: plain ones, those of a reducer's view that was looked up once, and
// of a view looked up at every update. Size: updates.
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

// Keeps the compiler from holding counters or addresses in registers, in all three alike.
#define ELSEWHERE() __asm__ __volatile__("" ::: "memory")

TW_TASK(update_plain, {
    long n;
    struct counters *counters;
})
{
    for (long i = 0; i < self.n; i++) {
        self.counters->of[i % COUNTERS] += (uint64_t)i;
        ELSEWHERE();
    }
}

TW_TASK(update_once, {
    long n;
    struct counters *counters;
})
{
    tw_reducer(count) reducer;
    tw_reducer_open(count, &reducer);
    struct counters *view = tw_view(count, &reducer);
    for (long i = 0; i < self.n; i++) {
        view->of[i % COUNTERS] += (uint64_t)i;
        ELSEWHERE();
    }
    *self.counters = tw_reducer_close(count, &reducer);
}

TW_TASK(update_each, {
    long n;
    struct counters *counters;
})
{
    tw_reducer(count) reducer;
    tw_reducer_open(count, &reducer);
    for (long i = 0; i < self.n; i++) {
        tw_view(count, &reducer)->of[i % COUNTERS] += (uint64_t)i;
        ELSEWHERE();
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

static struct twb_answer run_once(const struct twb_job *job)
{
    struct counters counters = {{0}};
    double start = twb_seconds();
    twb_require(tw_run(update_once, .n = job->size, .counters = &counters));
    return (struct twb_answer){twb_seconds() - start, sum_of(&counters)};
}

static struct twb_answer run_each(const struct twb_job *job)
{
    struct counters counters = {{0}};
    double start = twb_seconds();
    twb_require(tw_run(update_each, .n = job->size, .counters = &counters));
    return (struct twb_answer){twb_seconds() - start, sum_of(&counters)};
}

const struct twb_case twb_reducer_cases[] = {
    {"update_plain", run_plain},
    {"update_once", run_once},
    {"update_each", run_each},
    {NULL, NULL},
};

// SPDX-License-Identifier: Apache-2.0
// Updates of a sum in memory: a plain one, a reducer's view looked up once, and looked up at every
// update. Size: updates.
#include "cases.h"

TW_SUM(uint64_t, total)

// Keeps the compiler from holding the sum in a register, in all three alike: updates are those of a
// program that does something else in between.
#define ELSEWHERE() __asm__ __volatile__("" ::: "memory")

TW_TASK(update_plain, {
    long n;
    uint64_t *sum;
})
{
    for (long i = 0; i < self.n; i++) {
        *self.sum += (uint64_t)i;
        ELSEWHERE();
    }
}

TW_TASK(update_once, {
    long n;
    uint64_t *sum;
})
{
    tw_reducer(total) reducer;
    tw_reducer_open(total, &reducer);
    uint64_t *view = tw_view(total, &reducer);
    for (long i = 0; i < self.n; i++) {
        *view += (uint64_t)i;
        ELSEWHERE();
    }
    *self.sum = tw_reducer_close(total, &reducer);
}

TW_TASK(update_each, {
    long n;
    uint64_t *sum;
})
{
    tw_reducer(total) reducer;
    tw_reducer_open(total, &reducer);
    for (long i = 0; i < self.n; i++) {
        *tw_view(total, &reducer) += (uint64_t)i;
        ELSEWHERE();
    }
    *self.sum = tw_reducer_close(total, &reducer);
}

static struct twb_answer run_plain(const struct twb_job *job)
{
    uint64_t sum = 0;
    double start = twb_seconds();
    twb_require(tw_run(update_plain, .n = job->size, .sum = &sum));
    return (struct twb_answer){twb_seconds() - start, sum};
}

static struct twb_answer run_once(const struct twb_job *job)
{
    uint64_t sum = 0;
    double start = twb_seconds();
    twb_require(tw_run(update_once, .n = job->size, .sum = &sum));
    return (struct twb_answer){twb_seconds() - start, sum};
}

static struct twb_answer run_each(const struct twb_job *job)
{
    uint64_t sum = 0;
    double start = twb_seconds();
    twb_require(tw_run(update_each, .n = job->size, .sum = &sum));
    return (struct twb_answer){twb_seconds() - start, sum};
}

const struct twb_case twb_reducer_cases[] = {
    {"update_plain", run_plain},
    {"update_once", run_once},
    {"update_each", run_each},
    {NULL, NULL},
};

// SPDX-License-Identifier: Apache-2.0
// Fibonacci with a task for every call and no cut-off: fork/join, async/finish, and the plain
// recursion of real calls by which they are judged. Size: n.
#include "bare_fib.h"
#include "cases.h"

static struct twb_answer run_plain(const struct twb_job *job)
{
    double start = twb_seconds();
    uint64_t value = fib_recursive((unsigned)job->size);
    return (struct twb_answer){twb_seconds() - start, value};
}

static struct twb_answer run_fork(const struct twb_job *job)
{
    uint64_t value = 0;
    double start = twb_seconds();
    twb_require(fib_fork(NULL, (unsigned)job->size, &value));
    return (struct twb_answer){twb_seconds() - start, value};
}

static struct twb_answer run_async(const struct twb_job *job)
{
    uint64_t value = 0;
    double start = twb_seconds();
    twb_require(fib_async(NULL, (unsigned)job->size, &value));
    return (struct twb_answer){twb_seconds() - start, value};
}

const struct twb_case twb_fib_cases[] = {
    {"fib_plain", run_plain},
    {"fib_fork", run_fork},
    {"fib_async", run_async},
    {NULL, NULL},
};

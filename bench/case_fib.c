// SPDX-License-Identifier: Apache-2.0
// Fibonacci with a task for every call and no cut-off: fork/join, async/finish, and the plain
// recursion of real calls by which they are judged. Size: n.
#include <stdio.h>
#include <stdlib.h>

#include "apps/fib/fib.h"
#include "cases.h"

struct tw_options twb_options(const struct twb_job *job)
{
    struct tw_options options;
    tw_options_init(&options, NULL, 0);
    options.workers = job->workers;
    return options;
}

void twb_require(int error)
{
    if (error == 0)
        return;
    fprintf(stderr, "serve: %s\n", tw_strerror(error));
    exit(1);
}

static struct twb_answer run_plain(const struct twb_job *job)
{
    double start = twb_seconds();
    uint64_t value = fib_recursive((unsigned)job->size);
    return (struct twb_answer){twb_seconds() - start, value};
}

static struct twb_answer run_fork(const struct twb_job *job)
{
    struct tw_options options = twb_options(job);
    uint64_t value = 0;
    double start = twb_seconds();
    twb_require(fib_fork(&options, (unsigned)job->size, &value));
    return (struct twb_answer){twb_seconds() - start, value};
}

static struct twb_answer run_async(const struct twb_job *job)
{
    struct tw_options options = twb_options(job);
    uint64_t value = 0;
    double start = twb_seconds();
    twb_require(fib_async(&options, (unsigned)job->size, &value));
    return (struct twb_answer){twb_seconds() - start, value};
}

const struct twb_case twb_fib_cases[] = {
    {"fib_plain", run_plain},
    {"fib_fork", run_fork},
    {"fib_async", run_async},
    {NULL, NULL},
};

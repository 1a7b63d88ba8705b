// SPDX-License-Identifier: Apache-2.0
// Switching stacks with nothing around it. Size: how often; the value is in seconds for all.
//
// switch        from one stack to another and back, each a switch
// bare_fiber    a computation begins on a stack that was used before, and ends: two switches
#include "cases.h"
#include "src/base/context.h"

enum { STACK = 64 * 1024 };

struct pair {
    struct twi_context here, there;
};

static char stack[STACK] __attribute__((aligned(64)));

static void return_always(void *argument)
{
    struct pair *pair = argument;
    for (;;)
        twi_context_switch(&pair->there, &pair->here);
}

static struct twb_answer run_switch(const struct twb_job *job)
{
    struct pair pair;
    twi_context_make(&pair.there, stack, stack + STACK, return_always, &pair);
    double start = twb_seconds();
    for (long i = 0; i < job->size / 2; i++)
        twi_context_switch(&pair.here, &pair.there);
    return (struct twb_answer){twb_seconds() - start, 0};
}

static struct twb_answer run_bare_fiber(const struct twb_job *job)
{
    struct pair pair;
    double start = twb_seconds();
    for (long i = 0; i < job->size; i++) {
        twi_context_make(&pair.there, stack, stack + STACK, return_always, &pair);
        twi_context_switch(&pair.here, &pair.there);
    }
    return (struct twb_answer){twb_seconds() - start, 0};
}

const struct twb_case twb_switch_cases[] = {
    {"switch", run_switch},
    {"bare_fiber", run_bare_fiber},
    {NULL, NULL},
};

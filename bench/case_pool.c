// SPDX-License-Identifier: Apache-2.0
// What a pool costs beside its work: `startup` makes one for an empty task and ends it, in seconds;
// `idle` is the share of one core it uses while its only task sleeps for <size> ms.
#include "cases.h"
#include "probe.h"

TW_TASK(nothing, { int unused; })
{
    (void)self;
}

TW_TASK(sleeper, {
    long ms;
    double *share;
})
{
    *self.share = twb_idle_share(self.ms);
}

static struct tw_options options_of(const struct twb_job *job)
{
    struct tw_options options;
    tw_options_init(&options, NULL, 0);
    options.workers = job->workers;
    return options;
}

static struct twb_answer run_startup(const struct twb_job *job)
{
    struct tw_options options = options_of(job);
    double start = twb_seconds();
    twb_require(tw_run_with(&options, nothing, .unused = 0));
    return (struct twb_answer){twb_seconds() - start, 0};
}

static struct twb_answer run_idle(const struct twb_job *job)
{
    struct tw_options options = options_of(job);
    double share = 0;
    twb_require(tw_run_with(&options, sleeper, .ms = job->size, .share = &share));
    return (struct twb_answer){share, 0};
}

const struct twb_case twb_pool_cases[] = {
    {"startup", run_startup},
    {"idle", run_idle},
    {NULL, NULL},
};

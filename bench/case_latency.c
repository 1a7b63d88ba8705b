// SPDX-License-Identifier: Apache-2.0
// How soon a task is taken by another worker (probe.h). Size: how many tasks are offered; the
// value is the median in seconds.
//
// steal_hot         the thief searches when the task is forked
// wake_cold         it sleeps
// hidden_search     it searches, but is given another task first, so that the probe, which was
//                   forked behind it, stays private to an owner that computes and never looks
// hidden_freed      the same, but it is busy until then; time counts from when it is free
// hidden_asleep     as hidden_search, but it sleeps
#include <stdlib.h>

#include "cases.h"
#include "probe.h"

#define BUSY_SECONDS 200e-6

TW_FUNCTION(int, probe_task, { struct twb_probe *probe; })
{
    twb_probe_start(self.probe);
    return 0;
}

TW_FUNCTION(int, short_task, { int nothing; })
{
    return self.nothing;
}

// Keeps its worker busy, then offers the probe as if just then.
TW_FUNCTION(int, busy_task, {
    struct twb_probe *probe;
    unsigned *begun;
})
{
    __atomic_store_n(self.begun, 1, __ATOMIC_RELEASE);
    twb_spin(BUSY_SECONDS);
    if (__atomic_load_n(&self.probe->started, __ATOMIC_RELAXED) == 0)
        self.probe->offered = twb_now();
    return 0;
}

static void offer(struct twb_probe *probe)
{
    twb_probe_arm(probe);
    tw_forked(probe_task) forked = tw_fork(probe_task, .probe = probe);
    twb_probe_await(probe);
    tw_join(probe_task, forked);
}

static void offer_behind_another(struct twb_probe *probe)
{
    tw_forked(short_task) first = tw_fork(short_task, .nothing = 0);
    twb_probe_arm(probe);
    tw_forked(probe_task) forked = tw_fork(probe_task, .probe = probe);
    twb_probe_await(probe);
    tw_join(probe_task, forked);
    tw_join(short_task, first);
}

static void offer_to_busy(struct twb_probe *probe)
{
    unsigned begun = 0;
    twb_probe_arm(probe);
    tw_forked(busy_task) busy = tw_fork(busy_task, .probe = probe, .begun = &begun);
    uint64_t end = twb_now() + (uint64_t)(TWB_NEVER_SECONDS / twb_tick());
    while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) == 0 && twb_now() < end)
        twb_relax();
    tw_forked(short_task) first = tw_fork(short_task, .nothing = 0);
    tw_forked(probe_task) forked = tw_fork(probe_task, .probe = probe);
    twb_probe_await(probe);
    tw_join(probe_task, forked);
    tw_join(short_task, first);
    tw_join(busy_task, busy);
}

typedef double driver_fn(twb_offer *offer, long count);

TW_TASK(measure, {
    driver_fn *driver;
    twb_offer *offer;
    long count;
    double *median;
})
{
    *self.median = self.driver(self.offer, self.count);
}

static struct twb_answer run(const struct twb_job *job, driver_fn *driver, twb_offer *offered)
{
    double median = 0;
    twb_require(
        tw_run(measure, .driver = driver, .offer = offered, .count = job->size, .median = &median));
    return (struct twb_answer){median, 0};
}

static struct twb_answer run_steal_hot(const struct twb_job *job)
{
    return run(job, twb_steal_hot, offer);
}

static struct twb_answer run_wake_cold(const struct twb_job *job)
{
    return run(job, twb_wake_cold, offer);
}

static struct twb_answer run_hidden_search(const struct twb_job *job)
{
    return run(job, twb_steal_hot, offer_behind_another);
}

static struct twb_answer run_hidden_freed(const struct twb_job *job)
{
    return run(job, twb_steal_hot, offer_to_busy);
}

static struct twb_answer run_hidden_asleep(const struct twb_job *job)
{
    return run(job, twb_wake_cold, offer_behind_another);
}

const struct twb_case twb_latency_cases[] = {
    {"steal_hot", run_steal_hot},         {"wake_cold", run_wake_cold},
    {"hidden_search", run_hidden_search}, {"hidden_freed", run_hidden_freed},
    {"hidden_asleep", run_hidden_asleep}, {NULL, NULL},
};

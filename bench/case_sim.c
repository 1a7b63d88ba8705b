// SPDX-License-Identifier: Apache-2.0
// What the simulator costs. The same traffic (messages.h) is `messages`, in seconds;
// `messages_event`, in seconds for each event; `messages_bytes`, in bytes for each actor.
// `hold:<pending events>` is the queue alone, <size> events in seconds.
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "messages.h"
#include "sim/hold.h"
#include "sim/traffic.h"

struct measured {
    double seconds;
    struct sim_traffic_counts counts; // while it was measured
    size_t bytes;
};

static struct measured measure(const struct sim_traffic_shape *shape, long rounds)
{
    struct measured measured;
    struct sim_traffic *traffic = sim_traffic_create(shape);
    if (traffic == NULL)
        twb_require(TW_ENOMEM);
    sim_traffic_run(traffic, 1);
    struct sim_traffic_counts before = sim_traffic_count(traffic);
    double begun = twb_seconds();
    sim_traffic_run(traffic, (uint32_t)rounds);
    measured.seconds = twb_seconds() - begun;
    measured.counts = sim_traffic_count(traffic);
    measured.counts.sum -= before.sum;
    measured.counts.events -= before.events;
    measured.bytes = sim_traffic_bytes(traffic);
    sim_traffic_destroy(traffic);
    return measured;
}

static struct twb_answer run_messages(const struct twb_job *job)
{
    struct sim_traffic_shape shape = twb_messages_read(job->parameters);
    struct measured measured = measure(&shape, job->size);
    return (struct twb_answer){measured.seconds, measured.counts.sum};
}

static struct twb_answer run_messages_event(const struct twb_job *job)
{
    struct sim_traffic_shape shape = twb_messages_read(job->parameters);
    struct measured measured = measure(&shape, job->size);
    double each = measured.seconds / (double)measured.counts.events;
    return (struct twb_answer){each, measured.counts.sum};
}

static struct twb_answer run_messages_bytes(const struct twb_job *job)
{
    struct sim_traffic_shape shape = twb_messages_read(job->parameters);
    struct measured measured = measure(&shape, job->size);
    double each = (double)measured.bytes / sim_traffic_actors(&shape);
    return (struct twb_answer){each, measured.counts.sum};
}

static struct twb_answer run_hold(const struct twb_job *job)
{
    long pending = strtol(job->parameters, NULL, 10);
    if (pending < 1 || pending > 100000000) {
        fprintf(stderr, "serve: not a number of events: '%s'\n", job->parameters);
        exit(2);
    }
    struct sim_hold *hold = sim_hold_create((uint32_t)pending);
    if (hold == NULL)
        twb_require(TW_ENOMEM);
    sim_hold_run(hold, (uint64_t)pending); // to its steady state
    double begun = twb_seconds();
    uint64_t in_order = sim_hold_run(hold, (uint64_t)job->size);
    double seconds = twb_seconds() - begun;
    sim_hold_destroy(hold);
    return (struct twb_answer){seconds, in_order};
}

const struct twb_case twb_sim_cases[] = {
    {"messages", run_messages},
    {"messages_event", run_messages_event},
    {"messages_bytes", run_messages_bytes},
    {"hold", run_hold},
    {NULL, NULL},
};

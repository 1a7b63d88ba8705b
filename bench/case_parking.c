// SPDX-License-Identifier: Apache-2.0
// What a wait costs. Size: how many; the value is in seconds for all, or in bytes for each.
//
// yield             two tasks yield to each other
// pass_value        two tasks pass a number back and forth, through a new future each time
// spawn_parking     tasks in groups of ten, each suspends once and is released
// parked_bytes      memory of a task that waits for a future
// await_bytes       memory of a task that starts when its future is there
#include <stdbool.h>
#include <stdlib.h>

#include "cases.h"
#include "leaves.h"

enum { GROUP = 10 };

TW_FUTURE(uint64_t, number)

// ---- two in turn ----

TW_TASK(yield_often, {
    long count;
    uint64_t *yields;
})
{
    for (long i = 0; i < self.count; i++)
        tw_yield();
    __atomic_fetch_add(self.yields, (uint64_t)self.count, __ATOMIC_RELAXED);
}

TW_TASK(yield_both, {
    long count;
    uint64_t *yields;
})
{
    tw_finish {
        tw_async(yield_often, .count = self.count / 2, .yields = self.yields);
        tw_async(yield_often, .count = self.count / 2, .yields = self.yields);
    }
}

static struct twb_answer run_yield(const struct twb_job *job)
{
    uint64_t yields = 0;
    double start = twb_seconds();
    twb_require(tw_run(yield_both, .count = job->size, .yields = &yields));
    return (struct twb_answer){twb_seconds() - start, yields};
}

struct exchange {
    long rounds;
    uint64_t value;
    tw_future(number) ping[2], pong[2]; // of this round and of the next
};

static void renew(struct exchange *exchange, long round)
{
    exchange->ping[round % 2] = (tw_future(number))TW_FUTURE_INIT;
    exchange->pong[round % 2] = (tw_future(number))TW_FUTURE_INIT;
}

TW_TASK(send_back, { struct exchange *exchange; })
{
    for (long i = 0; i < self.exchange->rounds; i++) {
        uint64_t value = tw_await(number, &self.exchange->ping[i % 2]);
        tw_promise(number, &self.exchange->pong[i % 2], value + 1);
    }
}

TW_TASK(send_forth, { struct exchange *exchange; })
{
    uint64_t value = 0;
    for (long i = 0; i < self.exchange->rounds; i++) {
        renew(self.exchange, i + 1);
        tw_promise(number, &self.exchange->ping[i % 2], value + 1);
        value = tw_await(number, &self.exchange->pong[i % 2]);
    }
    self.exchange->value = value;
}

TW_TASK(exchange_values, { struct exchange *exchange; })
{
    tw_finish {
        tw_async(send_forth, .exchange = self.exchange);
        tw_async(send_back, .exchange = self.exchange);
    }
}

static struct twb_answer run_pass_value(const struct twb_job *job)
{
    struct exchange exchange = {.rounds = job->size / 2};
    renew(&exchange, 0);
    double start = twb_seconds();
    twb_require(tw_run(exchange_values, .exchange = &exchange));
    return (struct twb_answer){twb_seconds() - start, exchange.value};
}

// ---- many that wait ----

// One task more than futures: the last to arrive finds all others waiting, and releases them.
struct crowd {
    long size;
    uint64_t arrived, left;
    double resident; // when all waited, if asked for
    bool weigh;
    tw_future(number) * promise;
};

TW_TASK(wait_once, { struct crowd *crowd; })
{
    struct crowd *crowd = self.crowd;
    uint64_t place = __atomic_fetch_add(&crowd->arrived, 1, __ATOMIC_ACQ_REL);
    if (place < (uint64_t)crowd->size) {
        uint64_t value = tw_await(number, &crowd->promise[place]);
        __atomic_fetch_add(&crowd->left, value, __ATOMIC_RELAXED);
        return;
    }
    if (crowd->weigh)
        crowd->resident = twb_resident_bytes();
    for (long i = 0; i < crowd->size; i++)
        tw_promise(number, &crowd->promise[i], 1);
}

TW_TASK(gather, {
    struct crowd *crowd;
    long groups;
})
{
    for (long group = 0; group < self.groups; group++) {
        self.crowd->arrived = 0;
        for (long i = 0; i < self.crowd->size; i++)
            self.crowd->promise[i] = (tw_future(number))TW_FUTURE_INIT;
        tw_finish {
            for (long i = 0; i <= self.crowd->size; i++)
                tw_async(wait_once, .crowd = self.crowd);
        }
    }
}

static void run_crowd(struct crowd *crowd, long groups)
{
    crowd->promise = calloc((size_t)crowd->size, sizeof *crowd->promise);
    if (crowd->promise == NULL)
        abort();
    twb_require(tw_run(gather, .crowd = crowd, .groups = groups));
    free(crowd->promise);
}

static struct twb_answer run_spawn_parking(const struct twb_job *job)
{
    struct crowd crowd = {.size = GROUP};
    double start = twb_seconds();
    run_crowd(&crowd, job->size / GROUP);
    return (struct twb_answer){twb_seconds() - start, crowd.left};
}

static struct twb_answer run_parked_bytes(const struct twb_job *job)
{
    struct crowd crowd = {.size = job->size, .weigh = true};
    double before = twb_resident_bytes();
    run_crowd(&crowd, 1);
    return (struct twb_answer){(crowd.resident - before) / (double)job->size, crowd.left};
}

TW_TASK(count_one, { uint64_t *started; })
{
    __atomic_fetch_add(self.started, 1, __ATOMIC_RELAXED);
}

TW_TASK(await_many, {
    long count;
    uint64_t *started;
    double *resident;
})
{
    tw_future(number) promise = TW_FUTURE_INIT;
    tw_finish {
        for (long i = 0; i < self.count; i++)
            tw_async_await(count_one, (&promise.event), .started = self.started);
        *self.resident = twb_resident_bytes();
        tw_promise(number, &promise, 1);
    }
}

static struct twb_answer run_await_bytes(const struct twb_job *job)
{
    uint64_t started = 0;
    double before = twb_resident_bytes(), during = 0;
    twb_require(tw_run(await_many, .count = job->size, .started = &started, .resident = &during));
    return (struct twb_answer){(during - before) / (double)job->size, started};
}

const struct twb_case twb_parking_cases[] = {
    {"yield", run_yield},
    {"pass_value", run_pass_value},
    {"spawn_parking", run_spawn_parking},
    {"parked_bytes", run_parked_bytes},
    {"await_bytes", run_await_bytes},
    {NULL, NULL},
};

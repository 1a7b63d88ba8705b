// SPDX-License-Identifier: Apache-2.0
// The load, and what comes of it without tasks.
#include "apps/drift/drift.h"

#include <stdlib.h>

#include <twill/runtime.h>

#include "apps/busy.h"
#include "apps/scramble.h"

// Parts of one: of the ring 2^32, which wraps as such numbers do, of costs 2^16.
#define ONE 65536
#define FLOOR (ONE / 10)         // of a cost, which no hill is needed for
#define TOP_FIRST 0x40000000u    // where the top is, a quarter of the ring ...
#define TOP_OPPOSITE 0x80000000u // ... and how far away a jump brings it
#define CHAIN_START 1

static uint32_t top_of(const struct drift *drift, unsigned iteration)
{
    switch (drift->load) {
    case DRIFT_STAYS:
        break;
    case DRIFT_DRIFTS:
        return TOP_FIRST + iteration * drift->speed;
    case DRIFT_JUMPS:
        return iteration + 1 >= drift->jump ? TOP_FIRST + TOP_OPPOSITE : TOP_FIRST;
    }
    return TOP_FIRST;
}

// A triangle as high as the skew, and so wide that its mean over the ring is one.
static uint64_t hill(const struct drift *drift, uint32_t task, unsigned iteration)
{
    uint32_t at = (uint32_t)(((uint64_t)task << 32) / drift->tasks);
    uint32_t away = at - top_of(drift, iteration);
    uint64_t fallen = (uint64_t)(away < -away ? away : -away) * drift->skew;
    if (drift->skew == 1)
        return ONE;
    return fallen >> 32 ? 0 : ((UINT64_C(1) << 32) - fallen) * drift->skew / ONE;
}

uint64_t drift_rounds(const struct drift *drift, uint32_t task, unsigned iteration)
{
    uint64_t cost = FLOOR + (ONE - FLOOR) * hill(drift, task, iteration) / ONE;
    uint64_t factor =
        ONE / 2 + scramble((drift->seed << 32) + task + 1) % ONE; // a half to one and a half
    return drift->mean_rounds * (cost * factor / ONE) / ONE;
}

uint64_t drift_found(uint32_t task, unsigned iteration, uint64_t value)
{
    return scramble(value + scramble((uint64_t)iteration << 32 | task));
}

uint64_t drift_work(const struct drift *drift, uint32_t task, unsigned iteration)
{
    return drift_found(task, iteration,
                       busy_work(CHAIN_START, drift_rounds(drift, task, iteration)));
}

void drift_sequential(const struct drift *drift, uint64_t *answer)
{
    for (unsigned iteration = 0; iteration < drift->iterations; iteration++) {
        answer[iteration] = 0;
        for (uint32_t task = 0; task < drift->tasks; task++)
            answer[iteration] += drift_work(drift, task, iteration);
    }
}

// ---- the oracle ----

struct station {
    uint64_t rounds;
    uint32_t task;
};

static int compare(const void *a, const void *b)
{
    const struct station *one = a, *other = b;
    return (one->rounds > other->rounds) - (one->rounds < other->rounds);
}

// Along the chain, from task to task in the order of their costs.
static uint64_t walk(const struct drift *drift, unsigned iteration, struct station *stations)
{
    uint64_t value = CHAIN_START, rounds = 0, sum = 0;
    for (uint32_t task = 0; task < drift->tasks; task++)
        stations[task] = (struct station){drift_rounds(drift, task, iteration), task};
    qsort(stations, drift->tasks, sizeof *stations, compare);
    for (uint32_t i = 0; i < drift->tasks; i++) {
        value = busy_work(value, stations[i].rounds - rounds);
        rounds = stations[i].rounds;
        sum += drift_found(stations[i].task, iteration, value);
    }
    return sum;
}

int drift_oracle(const struct drift *drift, uint64_t *answer)
{
    struct station *stations = malloc(drift->tasks * sizeof *stations);
    if (!stations)
        return TW_ENOMEM;
    for (unsigned iteration = 0; iteration < drift->iterations; iteration++)
        answer[iteration] = walk(drift, iteration, stations);
    free(stations);
    return 0;
}

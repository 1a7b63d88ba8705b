// SPDX-License-Identifier: Apache-2.0
// Busy work, and how long it takes.
#include "apps/busy.h"

#include "apps/app.h"

#define TRIAL_ROUNDS 100000
#define TRIALS 5

uint64_t busy_work(uint64_t value, uint64_t rounds)
{
    while (rounds-- > 0)
        value = (value ^ (value >> 31)) * 0x9e3779b97f4a7c15u + 1;
    return value;
}

// The shortest of several trials: whatever else the machine does makes one longer.
uint64_t busy_rounds(uint64_t ns)
{
    static volatile uint64_t kept; // or there would be nothing to compute
    uint64_t shortest = UINT64_MAX;
    for (unsigned i = 0; i < TRIALS; i++) {
        uint64_t start = app_now_ns();
        kept = busy_work(kept, TRIAL_ROUNDS);
        uint64_t taken = app_now_ns() - start;
        if (taken < shortest)
            shortest = taken;
    }
    return (uint64_t)((double)ns * TRIAL_ROUNDS / (double)(shortest ? shortest : 1));
}

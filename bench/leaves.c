// SPDX-License-Identifier: Apache-2.0
// See leaves.h.
#include "leaves.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "serve.h"

enum { LOOPS_OTHERWISE = 500, BLOCKED_US = 500000, CALIBRATIONS = 20, CALIBRATION_ROUNDS = 200000 };

long twb_setting(const char *variable, long otherwise)
{
    const char *text = getenv(variable);
    return text ? strtol(text, NULL, 10) : otherwise;
}

uint64_t twb_loops_of(long ns)
{
    return (uint64_t)ns * (uint64_t)twb_setting("TWB_LOOPS", LOOPS_OTHERWISE) / 1000;
}

static uint64_t rounds_of(long us)
{
    return twb_loops_of(us * 1000);
}

struct twb_tree twb_tree_timer(long wait_us)
{
    return (struct twb_tree){TWB_LEAVES, rounds_of(TWB_US), wait_us};
}

struct twb_tree twb_tree_work(long wait_us)
{
    return (struct twb_tree){TWB_LEAVES_WORK, rounds_of(TWB_US_WORK), wait_us};
}

struct twb_tree twb_tree_tcp(void)
{
    return (struct twb_tree){twb_setting("TWB_LEAVES", TWB_LEAVES), rounds_of(TWB_US), 0};
}

struct twb_tree twb_tree_blocking(long wait_us)
{
    return (struct twb_tree){BLOCKED_US / wait_us, rounds_of(TWB_US), wait_us};
}

uint64_t twb_leaf(long leaf, uint64_t rounds)
{
    uint64_t x = (uint64_t)leaf + 1;
    for (uint64_t i = 0; i < rounds; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return x;
}

uint64_t twb_leaves_sum(const struct twb_tree *tree)
{
    uint64_t sum = 0;
    for (long leaf = 0; leaf < tree->leaves; leaf++)
        sum += twb_leaf(leaf, tree->rounds);
    return sum;
}

// The shortest of several: what disturbs makes them longer only.
long twb_loops_per_us(void)
{
    static volatile uint64_t kept;
    double best = 1;
    for (int i = 0; i < CALIBRATIONS; i++) {
        double start = twb_seconds();
        kept = twb_leaf(i, CALIBRATION_ROUNDS);
        double seconds = twb_seconds() - start;
        if (seconds < best)
            best = seconds;
    }
    (void)kept;
    return (long)(CALIBRATION_ROUNDS / (best * 1e6)) + 1;
}

double twb_resident_bytes(void)
{
    long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "re");
    if (statm == NULL)
        return 0;
    if (fscanf(statm, "%*d %ld", &pages) != 1)
        pages = 0;
    fclose(statm);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

// SPDX-License-Identifier: Apache-2.0
// Waits of the stress tests: one that lasts too long ends the program and says what it waited for.
#ifndef TEST_PATIENCE_H
#define TEST_PATIENCE_H

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/os.h"

#define PATIENCE_NS (60 * (uint64_t)1000000000)

// When a wait that begins now has lasted too long.
static inline uint64_t patience_until(void)
{
    return twi_now_ns() + PATIENCE_NS;
}

// In the loop of a wait: lets others run.
static inline void patience_yield(uint64_t until_ns, const char *what, long got, long wanted)
{
    sched_yield();
    if (twi_now_ns() < until_ns)
        return;
    fprintf(stderr, "waited too long for %s: %ld, wanted %ld\n", what, got, wanted);
    abort();
}

#endif

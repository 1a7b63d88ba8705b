// SPDX-License-Identifier: Apache-2.0
// Sleeping tasks (include/twill/io.h).
#include <twill/io.h>

#include "sched/wait.h"

// Only its alarm ends the wait, or a cancellation.
static int enlist(struct twi_wait *wait)
{
    return twi_wait_arm(wait);
}

int tw_sleep_until(uint64_t deadline_ns)
{
    (void)twi_fiber_here(NULL);
    struct twi_wait wait = {.what = "timer", .deadline_ns = deadline_ns, .enlist = enlist};
    enum twi_waits how = twi_wait_for(&wait);
    return how == TWI_LATE ? 0 : twi_wait_error(how);
}

int tw_sleep(uint64_t ns)
{
    uint64_t now = twi_now_ns();
    return tw_sleep_until(ns < TW_NEVER - now ? now + ns : TW_NEVER);
}

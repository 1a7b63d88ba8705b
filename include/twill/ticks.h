// SPDX-License-Identifier: Apache-2.0
// A clock that costs little: the processor's own counter where it has one for all cores, else
// nanoseconds. What its unit is has to be measured. On virtual machines reading it is not cheap.
#ifndef TWILL_TICKS_H
#define TWILL_TICKS_H

#include <stdint.h>

#include <twill/runtime.h>

TWI_INLINE uint64_t twi_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return tw_now_ns();
#endif
}

#endif

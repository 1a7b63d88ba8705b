// SPDX-License-Identifier: Apache-2.0
// How long the communication worker of a place means to sleep, for workers that find something to
// do. It sleeps for long when all of them are idle: then it is to be called.
//
// Edges:
//  [Z5] full fences: it says that it sleeps and then looks whether workers are idle; a worker says
//       that it is not and then looks whether that one sleeps. Not both miss each other, or others
//       would not see for a tenth of a second that there are tasks here.
#ifndef TWI_REPOSE_H
#define TWI_REPOSE_H

#include <twill/atomic.h>

// By the communication worker, before it looks whether workers are idle.
static inline void twi_repose_begin(uint64_t *until_ns)
{
    TWI_STORE(until_ns, UINT64_MAX, TWI_RELAXED); // before [Z5]
    TWI_FENCE(TWI_SEQ_CST);                       // [Z5] sleeps for long, then look
}

// When it is to end, 0: it has.
static inline void twi_repose_until(uint64_t *until_ns, uint64_t end_ns)
{
    TWI_STORE(until_ns, end_ns, TWI_RELAXED); // hint: who reads an earlier one calls for nothing
}

// Whether it lasts longer than that. By a worker that is not idle any more.
static inline int twi_repose_lasts(const uint64_t *until_ns, uint64_t end_ns)
{
    TWI_FENCE(TWI_SEQ_CST);                          // [Z5] not idle, then look
    return TWI_LOAD(until_ns, TWI_RELAXED) > end_ns; // after [Z5]
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Failing and cancelling, for the whole pool.
#ifndef TWI_SCHED_ATTEMPT_H
#define TWI_SCHED_ATTEMPT_H

#include "core/attempt.h"
#include "sched/sched.h"

// Sets the private fields that do not depend on where the block is.
void twi_attempt_init(struct tw_attempt *attempt);

// The first error counts; the attempt is cancelled. Any thread.
void twi_attempt_fail(struct twi_pool *pool, struct tw_attempt *attempt,
                      const struct tw_outcome *why);

// Cancels it, with TW_ECANCELED or TW_ETIMEDOUT. Any thread.
void twi_attempt_cancel(struct twi_pool *pool, struct tw_attempt *attempt, int error);

// The attempt is over: how.
struct tw_outcome twi_attempt_outcome(struct twi_pool *pool, struct tw_attempt *attempt);

// The attempt that a piece from elsewhere is in.
struct tw_attempt *twi_attempt_of_piece(struct twi_pool *pool, const struct twi_found *found);

// The innermost that is an attempt, not only a value: this one, one around it, or the run's.
struct tw_attempt *twi_attempt_innermost(struct twi_pool *pool, struct tw_attempt *attempt);

// Whether the attempt, or one around it, or the run was cancelled.
int twi_pool_cancelled(struct twi_pool *pool, const struct tw_attempt *attempt);

// In slow paths of the fiber's owner: whether what it runs was cancelled.
int twi_heed(struct tw_fiber *f);

#endif

// SPDX-License-Identifier: Apache-2.0
// Failing and cancelling. The rules are in core/attempt.h; here is what concerns the whole pool.
#include "sched/attempt.h"

#include "sched/wait.h"

#include "base/os.h"

static void call_everyone(struct twi_pool *pool)
{
    for (unsigned i = 0; i < pool->count; i++) {
        struct tw_fiber *f = TWI_LOAD(&pool->workers[i].active, TWI_SEQ_CST); // [C2]
        if (f)
            twi_attention_call(f);
    }
}

// Under the lock. 1: it was not cancelled before.
static int mark_cancelled(struct twi_pool *pool, struct tw_attempt *attempt)
{
    if (TWI_LOAD(&attempt->cancelled, TWI_RELAXED)) // relaxed: under the lock
        return 0;
    TWI_STORE(&attempt->cancelled, 1u, TWI_RELEASE);         // [C1]
    TWI_FETCH_ADD(&pool->attempts.cancels, 1u, TWI_SEQ_CST); // [C2]
    return 1;
}

// Without `why`: cancelled, or out of time, as `error` says.
static void cancel(struct twi_pool *pool, struct tw_attempt *attempt, int error,
                   const struct tw_outcome *why)
{
    twi_lock_take(&pool->attempts.lock);
    struct tw_outcome *first = &attempt->first;
    if (why && (!first->error || !*first->task)) // an error tells more than a cancellation
        *first = *why;
    else if (!first->error)
        first->error = error;
    int is_news = mark_cancelled(pool, attempt);
    twi_lock_drop(&pool->attempts.lock);
    if (!is_news)
        return;
    twi_membarrier(); // [C1] [C2] [Y2]
    call_everyone(pool);
    twi_waits_cancel(pool);
    const struct twi_outside *outside = TWI_LOAD(&pool->outside, TWI_ACQUIRE); // [O2]
    if (outside) // other places are to know
        outside->idle(pool);
}

void twi_attempt_init(struct tw_attempt *attempt)
{
    attempt->first = twi_outcome_none();
    attempt->alarm = (struct tw_alarm){.deadline_ns = TW_NEVER};
    TWI_STORE(&attempt->cancelled, 0u, TWI_RELAXED); // relaxed: not yet shared
}

void twi_attempt_fail(struct twi_pool *pool, struct tw_attempt *attempt,
                      const struct tw_outcome *why)
{
    cancel(pool, attempt, why->error, why);
}

void twi_attempt_cancel(struct twi_pool *pool, struct tw_attempt *attempt, int error)
{
    cancel(pool, attempt, error, NULL);
}

struct tw_outcome twi_attempt_outcome(struct twi_pool *pool, struct tw_attempt *attempt)
{
    twi_lock_take(&pool->attempts.lock);
    struct tw_outcome outcome = attempt->first;
    if (TWI_LOAD(&attempt->cancelled, TWI_RELAXED))              // relaxed: under the lock
        TWI_FETCH_SUB(&pool->attempts.cancels, 1u, TWI_RELAXED); // hint: more harms nobody
    twi_lock_drop(&pool->attempts.lock);
    return outcome;
}

struct tw_attempt *twi_attempt_of_piece(struct twi_pool *pool, const struct twi_found *found)
{
    if (found->detached)
        return found->detached->attempt;
    if (TWI_LOAD(&pool->attempts.open, TWI_RELAXED) == 0) // relaxed: [D2] brings the piece's own
        return NULL;
    return twi_attempt_at(twi_fiber_of_slot(&pool->arena, found->piece), found->piece);
}

struct tw_attempt *twi_attempt_innermost(struct twi_pool *pool, struct tw_attempt *attempt)
{
    while (attempt && attempt->key)
        attempt = attempt->outer;
    return attempt ? attempt : &pool->attempts.root;
}

int twi_pool_cancelled(struct twi_pool *pool, const struct tw_attempt *attempt)
{
    if (TWI_LOAD(&pool->attempts.cancels, TWI_RELAXED) == 0) // [C2]
        return 0;
    return twi_attempt_cancelled(attempt) || twi_attempt_cancelled(&pool->attempts.root);
}

int twi_heed(struct tw_fiber *f)
{
    if (!twi_attention_called(f))
        return 0;
    twi_attention_heed(f);
    struct twi_pool *pool = twi_worker_here()->pool;
    if (!twi_pool_cancelled(pool, twi_attempt_current(twi_fiber_of(f))))
        return 0;
    twi_attention_call(f); // until the attempt is over
    return 1;
}

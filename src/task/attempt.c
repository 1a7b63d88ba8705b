// SPDX-License-Identifier: Apache-2.0
// Attempts and given values, as programs use them (include/twill/attempt.h).
#include <string.h>

#include "base/os.h"
#include "core/alarm.h"
#include "sched/attempt.h"
#include "sched/wait.h"

static struct twi_fiber *fiber_here(void)
{
    return twi_fiber_of(twi_fiber_here(NULL));
}

static struct tw_attempt *innermost(struct twi_pool *pool, struct twi_fiber *fiber)
{
    return twi_attempt_innermost(pool, twi_attempt_current(fiber));
}

static void start_alarm(struct twi_pool *pool, struct tw_attempt *attempt)
{
    uint64_t now = twi_now_ns();
    if (attempt->timeout_ns >= TW_NEVER - now)
        return;
    attempt->alarm.deadline_ns = now + attempt->timeout_ns;
    int error = twi_alarm_start(&attempt->alarm);
    if (error) {
        struct tw_outcome outcome = twi_outcome_none();
        outcome.error = error;
        twi_attempt_fail(pool, attempt, &outcome);
    }
}

// It may ring just now; then the attempt is cancelled a moment longer.
static void stop_alarm(struct tw_alarm *alarm)
{
    if (!alarm->alarms || twi_alarm_take_back(alarm))
        return;
    while (TWI_LOAD(&alarm->ringing, TWI_ACQUIRE)) // [Q2]
        sched_yield();
}

struct tw_attempt *tw_attempt_begin(struct tw_attempt *attempt)
{
    struct twi_fiber *fiber = fiber_here();
    struct twi_pool *pool = twi_worker_here()->pool;
    twi_attempt_init(attempt);
    attempt->fiber = &fiber->deque;
    attempt->base = TWI_LOAD_OWN(&fiber->deque.head);
    TWI_FETCH_ADD(&pool->attempts.open, 1u, TWI_RELAXED); // relaxed: [D2] brings it with a task
    twi_attempt_push(fiber, attempt);
    if (attempt->timeout_ns)
        start_alarm(pool, attempt);
    return attempt;
}

// Nothing inside is left; only its alarm may still know of it.
void tw_attempt_end(struct tw_attempt *attempt)
{
    struct twi_fiber *fiber = twi_fiber_of(attempt->fiber);
    struct twi_pool *pool = twi_worker_here()->pool;
    if (fiber->attempts != attempt)
        tw_misuse("an attempt was ended that is not the innermost of its task", "");
    stop_alarm(&attempt->alarm);
    twi_attempt_pop(fiber, attempt);
    struct tw_outcome outcome = twi_attempt_outcome(pool, attempt);
    if (!outcome.error && twi_pool_cancelled(pool, attempt->outer))
        outcome.error = TW_ECANCELED; // by what is around it, so perhaps not all was run
    TWI_FETCH_SUB(&pool->attempts.open, 1u, TWI_RELAXED); // hint: more harms nobody
    if (attempt->outcome)
        *attempt->outcome = outcome;
    else if (*outcome.task || outcome.error == TW_ETIMEDOUT)
        twi_attempt_fail(pool, innermost(pool, fiber), &outcome);
}

// Bodies are functions of the macros' making: twi_text_probe, twi_body_probe, twi_each_probe.
static const char *task_name(const char *function)
{
    static const char *const made[] = {"twi_text_", "twi_body_", "twi_each_"};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (strncmp(function, made[i], strlen(made[i])) == 0)
            return function + strlen(made[i]);
    return function;
}

void tw_attempt_fail(int error, const char *function, const struct tw_task_type *site,
                     const char *file, unsigned line)
{
    struct twi_fiber *fiber = fiber_here();
    struct twi_pool *pool = twi_worker_here()->pool;
    struct tw_outcome why = {.error = error,
                             .task = task_name(function),
                             .spawn_file = site ? site->file : "",
                             .spawn_line = site ? site->line : 0,
                             .failed_file = file,
                             .failed_line = line,
                             .place = pool->place};
    if (!error)
        tw_misuse("tw_fail was given 0, which is no error", why.task);
    twi_attempt_fail(pool, innermost(pool, fiber), &why);
}

void tw_cancel(void)
{
    struct twi_fiber *fiber = fiber_here();
    struct twi_pool *pool = twi_worker_here()->pool;
    twi_attempt_cancel(pool, innermost(pool, fiber), TW_ECANCELED);
}

int tw_cancelled(void)
{
    struct twi_worker *w = twi_worker_maybe();
    return w && twi_pool_cancelled(w->pool, twi_attempt_current(twi_fiber_of(w->active)));
}

void *tw_local_get(const struct tw_local *key)
{
    struct twi_worker *w = twi_worker_maybe();
    if (!w)
        return NULL;
    const struct tw_attempt *attempt = twi_attempt_current(twi_fiber_of(w->active));
    while (attempt && attempt->key != key)
        attempt = attempt->outer;
    return attempt ? attempt->value : NULL;
}

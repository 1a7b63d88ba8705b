// SPDX-License-Identifier: Apache-2.0
// attempt.h in the sequential elision: open attempts of the thread are a list, deadlines are looked
// at where a task would start.
#ifndef TWILL_SERIAL_ATTEMPT_H
#define TWILL_SERIAL_ATTEMPT_H
#ifdef TWILL_SERIAL

#include <string.h>
#include <time.h>

#include <twill/attempt.h>

static inline uint64_t tw_now_ns(void)
{
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC); // C11 has no better one
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline struct tw_attempt *tw_attempt_begin(struct tw_attempt *attempt)
{
    attempt->outer = twi_serial_innermost;
    attempt->cancelled = 0;
    attempt->first = twi_outcome_none();
    attempt->alarm.deadline_ns = 0;
    if (attempt->timeout_ns &&
        __builtin_add_overflow(tw_now_ns(), attempt->timeout_ns, &attempt->alarm.deadline_ns))
        attempt->alarm.deadline_ns = UINT64_MAX;
    twi_serial_innermost = attempt;
    return attempt;
}

static inline struct tw_attempt *twi_serial_attempt(void)
{
    struct tw_attempt *attempt = twi_serial_innermost;
    while (attempt && attempt->key)
        attempt = attempt->outer;
    return attempt;
}

static inline void twi_serial_fail(struct tw_attempt *attempt, const struct tw_outcome *why)
{
    if (!attempt)
        return;
    attempt->cancelled = 1;
    if (!attempt->first.error || !*attempt->first.task)
        attempt->first = *why;
}

static inline void tw_attempt_fail(int error, const char *function, const struct tw_task_type *site,
                                   const char *file, unsigned line)
{
    struct tw_outcome why = {error, function, "", 0, file, line, 0};
    (void)site;
    if (!error)
        __builtin_trap(); // 0 is no error
    if (strncmp(function, "twi_body_", 9) == 0 || strncmp(function, "twi_each_", 9) == 0)
        why.task += 9;
    twi_serial_fail(twi_serial_attempt(), &why);
}

static inline void tw_cancel(void)
{
    struct tw_attempt *attempt = twi_serial_attempt();
    if (!attempt)
        return;
    attempt->cancelled = 1;
    if (!attempt->first.error)
        attempt->first.error = TW_ECANCELED;
}

static inline int tw_cancelled(void)
{
    for (struct tw_attempt *a = twi_serial_innermost; a; a = a->outer) {
        if (!a->cancelled && a->alarm.deadline_ns && tw_now_ns() >= a->alarm.deadline_ns) {
            a->cancelled = 1;
            a->first.error = a->first.error ? a->first.error : TW_ETIMEDOUT;
        }
        if (a->cancelled)
            return 1;
    }
    return 0;
}

static inline void tw_attempt_end(struct tw_attempt *attempt)
{
    struct tw_outcome outcome = attempt->first;
    twi_serial_innermost = attempt->outer;
    if (!outcome.error && tw_cancelled())
        outcome.error = TW_ECANCELED;
    if (attempt->outcome)
        *attempt->outcome = outcome;
    else if (*outcome.task || outcome.error == TW_ETIMEDOUT)
        twi_serial_fail(twi_serial_attempt(), &outcome);
}

static inline void *tw_local_get(const struct tw_local *key)
{
    struct tw_attempt *attempt = twi_serial_innermost;
    while (attempt && attempt->key != key)
        attempt = attempt->outer;
    return attempt ? attempt->value : NULL;
}

#endif
#endif

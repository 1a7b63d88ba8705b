// SPDX-License-Identifier: Apache-2.0
// Deadlines of attempts: a list, the earliest first, and a thread that sleeps until then.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "base/os.h"
#include "sched/attempt.h"

static struct twi_pool *pool_of(struct twi_timer *timer)
{
    return (struct twi_pool *)((char *)timer - offsetof(struct twi_pool, timer));
}

static void unlink_attempt(struct twi_timer *timer, struct tw_attempt *attempt)
{
    if (attempt->earlier)
        attempt->earlier->later = attempt->later;
    else
        timer->first = attempt->later;
    if (attempt->later)
        attempt->later->earlier = attempt->earlier;
    else
        timer->last = attempt->earlier;
    attempt->deadline_ns = 0;
}

// From the end: later deadlines come later, as a rule.
static void link_attempt(struct twi_timer *timer, struct tw_attempt *attempt)
{
    struct tw_attempt *before = timer->last, *after = NULL;
    while (before && before->deadline_ns > attempt->deadline_ns) {
        after = before;
        before = before->earlier;
    }
    attempt->earlier = before;
    attempt->later = after;
    if (after)
        after->earlier = attempt;
    else
        timer->last = attempt;
    if (before)
        before->later = attempt;
    else
        timer->first = attempt;
}

static void wait_until(struct twi_timer *timer, uint64_t ns)
{
    struct timespec at = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    pthread_cond_timedwait(&timer->changed, &timer->mutex, &at);
}

static void *timer_main(void *argument)
{
    struct twi_timer *timer = argument;
    pthread_mutex_lock(&timer->mutex);
    while (!timer->stop) {
        struct tw_attempt *first = timer->first;
        if (!first) {
            pthread_cond_wait(&timer->changed, &timer->mutex);
        } else if (twi_now_ns() < first->deadline_ns) {
            wait_until(timer, first->deadline_ns);
        } else {
            unlink_attempt(timer, first);
            twi_attempt_cancel(pool_of(timer), first, TW_ETIMEDOUT);
        }
    }
    pthread_mutex_unlock(&timer->mutex);
    return NULL;
}

// Signals are for the program's own threads.
static int start(struct twi_timer *timer)
{
    const struct twi_pool *pool = pool_of(timer);
    pthread_attr_t attributes;
    sigset_t all, before;
    pthread_attr_init(&attributes);
    if (pool->mask)
        pthread_attr_setaffinity_np(&attributes, pool->mask_size, pool->mask);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    timer->started = pthread_create(&timer->thread, &attributes, timer_main, timer) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return timer->started ? 0 : TW_EAGAIN;
}

int twi_timer_add(struct twi_timer *timer, struct tw_attempt *attempt)
{
    pthread_mutex_lock(&timer->mutex);
    int error = timer->started ? 0 : start(timer);
    if (!error) {
        link_attempt(timer, attempt);
        if (timer->first == attempt)
            pthread_cond_signal(&timer->changed);
    } else {
        attempt->deadline_ns = 0;
    }
    pthread_mutex_unlock(&timer->mutex);
    return error;
}

void twi_timer_remove(struct twi_timer *timer, struct tw_attempt *attempt)
{
    pthread_mutex_lock(&timer->mutex);
    if (attempt->deadline_ns)
        unlink_attempt(timer, attempt);
    pthread_mutex_unlock(&timer->mutex);
}

void twi_timer_init(struct twi_timer *timer)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&timer->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&timer->mutex, NULL);
}

void twi_timer_end(struct twi_timer *timer)
{
    if (timer->started) {
        pthread_mutex_lock(&timer->mutex);
        timer->stop = 1;
        pthread_cond_signal(&timer->changed);
        pthread_mutex_unlock(&timer->mutex);
        pthread_join(timer->thread, NULL);
    }
    pthread_cond_destroy(&timer->changed);
    pthread_mutex_destroy(&timer->mutex);
}

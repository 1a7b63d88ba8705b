// SPDX-License-Identifier: Apache-2.0
// A pool that outlives a run: threads of the program hand it jobs and wait for them, or call them
// off. Each worker keeps a buffer of its own, made and freed by hooks.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <twill/twill.h>

#ifdef TWILL_SERIAL // pools belong to the library

int main(void)
{
    puts("only with the library");
    return 77;
}

#else

enum { CLIENTS = 3, REQUESTS = 10 };

static struct tw_pool *pool;
static void *buffer[TW_WORKERS_MAX];

static void make_buffer(void *size, unsigned worker)
{
    buffer[worker] = malloc(*(size_t *)size);
}

static void free_buffer(void *size, unsigned worker)
{
    (void)size;
    free(buffer[worker]);
}

TW_REDUCE(uint64_t, sum_of_squares, i, 0, a + b, {})
{
    return (uint64_t)(i * i);
}

TW_TASK(answer, {
    int64_t n;
    uint64_t *out;
})
{
    if (self.n < 0)
        tw_fail(TW_EINVAL);
    else
        *self.out = tw_reduce(sum_of_squares, tw_range(0, self.n));
}

// Works until it is told to stop, and says how the time is going.
TW_TASK(log_time, { uint64_t *last; })
{
    *self.last = tw_now_ns();
}

TW_TASK(watch, { uint64_t *last; })
{
    while (!tw_cancelled()) {
        tw_finish {
            tw_async_idle(log_time, .last = self.last); // when nothing else is to be done
        }
    }
    tw_finish {
        tw_async_urgent(log_time, .last = self.last); // dropped: the job is cancelled
    }
}

static void *client(void *number)
{
    for (int64_t i = 0; i < REQUESTS; i++) {
        struct tw_job job;
        uint64_t out = 0;
        int64_t n = i == 5 ? -1 : 1000 * i;
        if (tw_submit(pool, &job, answer, .n = n, .out = &out) != 0)
            return NULL;
        int error = tw_job_wait(&job);
        if (error != (n < 0 ? TW_EINVAL : 0))
            return NULL;
        if (error)
            printf("request %d of a client: %s\n", (int)i, tw_strerror(error));
    }
    return number;
}

int main(void)
{
    pthread_t thread[CLIENTS];
    struct tw_options options;
    size_t size = 4096;
    int served = 0;
    if (tw_options_init(&options, NULL, 0) != 0)
        return 1;
    options.hooks = (struct tw_hooks){make_buffer, free_buffer, &size};
    if (tw_pool_start(&pool, &options) != 0)
        return 1;
    struct tw_job watching;
    uint64_t last = 0;
    if (tw_submit(pool, &watching, watch, .last = &last) != 0)
        return 1;
    for (int i = 0; i < CLIENTS; i++)
        if (pthread_create(&thread[i], NULL, client, &served) != 0)
            return 1;
    for (int i = 0; i < CLIENTS; i++) {
        void *good;
        pthread_join(thread[i], &good);
        served += good != NULL;
    }
    tw_job_cancel(&watching);
    int watched = tw_job_wait(&watching) == TW_ECANCELED && tw_job_done(&watching);
    printf("%d clients served\n", served);
    return tw_pool_stop(pool) || served != CLIENTS || !watched;
}

#endif

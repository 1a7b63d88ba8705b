// SPDX-License-Identifier: Apache-2.0
// Every fiber that waits, of every pool: what for, since when, where it was spawned, how much stack
// it uses. A wait that can be cancelled is held still while it is looked at; of others the words
// that are read may be a moment old, but what they point to is constant.
//
// A signal's handler may do next to nothing: it rings a bell, and a thread that waits for it lists.
#include "sched/dump.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/thread.h"
#include "sched/wait.h"

static struct {
    pthread_mutex_t mutex; // all but the bell
    struct twi_pool *first;
    unsigned asked; // pools that want the signal
    pthread_t thread;
    struct sigaction before;
    int bell; // made once: a handler may run when it has just been taken away
    int stop;
} dump = {.mutex = PTHREAD_MUTEX_INITIALIZER};

// ---- pools ----

void twi_dump_add(struct twi_pool *pool)
{
    pthread_mutex_lock(&dump.mutex);
    pool->dump_next = dump.first;
    dump.first = pool;
    pthread_mutex_unlock(&dump.mutex);
}

void twi_dump_remove(struct twi_pool *pool)
{
    pthread_mutex_lock(&dump.mutex);
    struct twi_pool **place = &dump.first;
    while (*place && *place != pool)
        place = &(*place)->dump_next;
    if (*place)
        *place = pool->dump_next;
    pthread_mutex_unlock(&dump.mutex);
}

void twi_dump_hold(void)
{
    pthread_mutex_lock(&dump.mutex);
}

void twi_dump_release(void)
{
    pthread_mutex_unlock(&dump.mutex);
}

// ---- one fiber ----

struct listing {
    int fd;
    uint64_t now_ns;
    unsigned count;
    int error;
};

static void put(struct listing *listing, const char *text, int length)
{
    while (length > 0 && !listing->error) {
        ssize_t written = write(listing->fd, text, (size_t)length);
        listing->error = written <= 0;
        text += written;
        length -= (int)written;
    }
}

static void describe(struct listing *listing, struct twi_fiber *fiber, const char *what)
{
    char line[512];
    const struct tw_task_type *type = TWI_LOAD(&fiber->type, TWI_RELAXED); // hint
    const void *on = TWI_LOAD(&fiber->waits_for.on, TWI_RELAXED);          // hint
    uint64_t since = TWI_LOAD(&fiber->waits_for.since_ns, TWI_RELAXED);    // hint
    uint64_t waited = since < listing->now_ns ? listing->now_ns - since : 0;
    char object[32] = "";
    if (on)
        snprintf(object, sizeof object, " %p", on);
    int length =
        snprintf(line, sizeof line,
                 "  %s (spawned at %s:%u) waits for %s%s since %.3f s, stack at most %zu KiB\n",
                 type ? type->name : "?", type ? type->file : "?", type ? type->line : 0, what,
                 object, (double)waited * 1e-9, twi_fiber_depth(fiber) / 1024);
    put(listing, line, length < (int)sizeof line ? length : (int)sizeof line - 1);
    listing->count++;
}

// At a stream a process says only which, for it waits there too often to look at a clock.
static void list_process(struct listing *listing, struct twi_fiber *fiber, uintptr_t stream)
{
    char line[512];
    const struct tw_task_type *type = TWI_LOAD(&fiber->type, TWI_RELAXED); // hint
    int length = snprintf(line, sizeof line, "  %s waits for stream %p, stack at most %zu KiB\n",
                          type ? type->name : "?", (void *)(stream & ~(uintptr_t)1),
                          twi_fiber_depth(fiber) / 1024);
    put(listing, line, length < (int)sizeof line ? length : (int)sizeof line - 1);
    listing->count++;
}

static void list_fiber(struct listing *listing, struct twi_fiber *fiber)
{
    uint64_t ticket = twi_waits_hold(&fiber->waits);
    const char *what = TWI_LOAD(&fiber->waits_for.what, TWI_RELAXED); // hint
    uintptr_t stream = TWI_LOAD(&fiber->wanted, TWI_RELAXED);         // hint
    if (what)
        describe(listing, fiber, what);
    else if (stream)
        list_process(listing, fiber, stream);
    if (ticket)
        twi_waits_release(&fiber->waits, ticket, TWI_WAITING);
}

static void list_pool(struct listing *listing, struct twi_pool *pool)
{
    char line[160];
    size_t made = twi_arena_made(&pool->arena);
    put(listing, line,
        snprintf(line, sizeof line, "twill: pool %p, %u workers, %zu stacks\n", (void *)pool,
                 pool->count, made));
    for (size_t n = 0; n < made; n++)
        list_fiber(listing, twi_arena_fiber(&pool->arena, n));
}

int tw_dump_tasks(int fd)
{
    struct listing listing = {.fd = fd, .now_ns = twi_now_ns()};
    pthread_mutex_lock(&dump.mutex);
    for (struct twi_pool *pool = dump.first; pool; pool = pool->dump_next)
        list_pool(&listing, pool);
    pthread_mutex_unlock(&dump.mutex);
    return listing.error ? TW_EIO : (int)listing.count;
}

size_t twi_stack_peak(struct twi_pool *pool)
{
    size_t peak = 0, made = twi_arena_made(&pool->arena);
    for (size_t n = 0; n < made; n++) {
        size_t depth = twi_fiber_depth(twi_arena_fiber(&pool->arena, n));
        if (depth > peak)
            peak = depth;
    }
    return peak;
}

size_t tw_stack_peak(void)
{
    struct twi_worker *w = twi_worker_maybe();
    return w ? twi_stack_peak(w->pool) : 0;
}

// ---- the signal ----

static void on_signal(int number)
{
    (void)number;
    twi_bell_ring(dump.bell);
}

static void *list_when_rung(void *argument)
{
    struct pollfd bell = {dump.bell, POLLIN, 0};
    (void)argument;
    for (;;) {
        if (poll(&bell, 1, -1) < 1)
            continue;
        twi_bell_still(dump.bell);
        pthread_mutex_lock(&dump.mutex);
        int stop = dump.stop;
        pthread_mutex_unlock(&dump.mutex);
        if (stop)
            return NULL;
        tw_dump_tasks(STDERR_FILENO);
    }
}

// Under the mutex.
static int start(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    dump.stop = 0;
    if (dump.bell <= 0)
        dump.bell = twi_bell_make();
    if (dump.bell < 0)
        return TW_EAGAIN;
    if (!twi_thread_start(&dump.thread, &(struct twi_thread){.main = list_when_rung}))
        return TW_EAGAIN;
    sigaction(SIGUSR1, &action, &dump.before);
    return 0;
}

int twi_dump_begin(void)
{
    pthread_mutex_lock(&dump.mutex);
    int error = dump.asked ? 0 : start();
    dump.asked += !error;
    pthread_mutex_unlock(&dump.mutex);
    return error;
}

void twi_dump_end(void)
{
    pthread_mutex_lock(&dump.mutex);
    int last = --dump.asked == 0;
    if (last) {
        sigaction(SIGUSR1, &dump.before, NULL);
        dump.stop = 1;
        twi_bell_ring(dump.bell);
    }
    pthread_mutex_unlock(&dump.mutex);
    if (last)
        pthread_join(dump.thread, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Futures (the real src/task/future.c): nobody waits for ever, who waits sees the value, and the
// future is not touched once it may be freed. A fiber that parks spins until it is readied.
#include <sched.h>
#define sched_yield() ((void)0)

#include "fibers.h"

#include "task/future.c"

#include "internal.h" // mc.running: which thread calls

enum { VALUE = 5, FREED = 77 };

static struct tw_future future;
static struct twi_pool pool;
static struct twi_worker workers[3];
static uint32_t readied[FIBERS]; // stands for the mailbox
static uint32_t value;           // plain: the promised

// ---- what the real code calls ----

struct twi_worker *twi_worker_here(void)
{
    return &workers[mc.running];
}

struct twi_worker *twi_worker_maybe(void)
{
    return &workers[mc.running];
}

struct tw_fiber *tw_fiber_current(void)
{
    return &fibers[mc.running].fiber.deque;
}

void twi_ready(struct tw_fiber *fiber)
{
    int i = 0;
    while (&fibers[i].fiber.deque != fiber)
        i++;
    TWI_STORE(&readied[i], 1u, TWI_RELEASE);
}

void twi_ready_in(struct twi_pool *of, struct tw_fiber *fiber)
{
    (void)of;
    twi_ready(fiber);
}

// Once it is in the list a task goes on in the same way, however it came there.
void twi_park(void (*publish)(void *), void *argument)
{
    uint32_t *mine = &readied[mc.running];
    publish(argument);
    model_forget((uint64_t)mc.running);
    while (!TWI_LOAD(mine, TWI_ACQUIRE))
        TWI_PAUSE();
    TWI_STORE(mine, 0u, TWI_RELAXED);
}

static void not_here(void)
{
    model_assert_failed("not reached", __FILE__, __LINE__, "a stub was called");
}

void tw_misuse(const char *what, const char *task)
{
    (void)what, (void)task;
    not_here();
    __builtin_unreachable();
}

void twi_announce_in(struct twi_pool *in)
{
    (void)in;
    not_here();
}

struct twi_detached *twi_detach_here(struct tw_fiber *f, const struct tw_task_type *type)
{
    static struct twi_detached task;
    (void)f, (void)type;
    return &task;
}

void *tw_spill(const void *args, size_t size, size_t align)
{
    (void)args, (void)size, (void)align;
    return NULL;
}

// ---- programs ----

static void setup(void)
{
    fibers_reset();
    memset(&future, 0, sizeof future);
    memset(workers, 0, sizeof workers);
    memset(readied, 0, sizeof readied);
    value = 0;
    for (int i = 0; i < 3; i++)
        workers[i].pool = &pool;
    model_name(&future.guard, "guard");
    model_name(&future.state, "state");
    model_name(&future.error, "error");
    model_name(&future.first, "first");
    model_name(&future.last, "last");
    model_name(&value, "value");
}

static void promise(void)
{
    if (tw_future_claim(&future))
        return;
    TWI_WRITE(value, VALUE);
    tw_future_set(&future, 0);
}

static void await(void)
{
    model_assert(tw_future_wait(&future) == 0, "an error came from nowhere");
    model_assert(TWI_READ(value) == VALUE, "the value is not there");
}

static void promise_and_two_wait(int id)
{
    if (id == 0)
        promise();
    else
        await();
}

static void two_promise(int id)
{
    if (id < 2)
        promise();
    else
        await();
}

static void wait_and_free(int id)
{
    if (id == 0) {
        promise();
        return;
    }
    await();
    TWI_STORE(&future.guard, (uint32_t)FREED, TWI_RELAXED);
    TWI_STORE(&future.state, (uint32_t)FREED, TWI_RELAXED);
}

static void look_and_read(int id)
{
    if (id == 0)
        promise();
    else if (tw_future_ready(&future))
        model_assert(TWI_READ(value) == VALUE, "the value is not there");
}

static void check_nothing(void)
{
}

static void check_freed(void)
{
    model_assert(future.guard == FREED && future.state == FREED,
                 "a future was touched that had been freed");
}

#define PROGRAM(test, count, after)                                                                \
    {                                                                                              \
        .name = #test, .threads = count, .setup = setup, .thread = test, .check = after,           \
        .ghost = &ghost, .ghost_size = sizeof ghost,                                               \
    }

static const struct model_program programs[] = {
    PROGRAM(promise_and_two_wait, 3, check_nothing),
    PROGRAM(two_promise, 3, check_nothing),
    PROGRAM(wait_and_free, 2, check_freed),
    PROGRAM(look_and_read, 2, check_nothing),
};

int main(int argc, char **argv)
{
    return model_main(programs, sizeof programs / sizeof *programs, argc, argv);
}

// SPDX-License-Identifier: Apache-2.0
// Futures (the real src/task/future.c): nobody waits for ever, who waits sees the value, and the
// future is not touched once it may be freed. A fiber that parks spins until it is readied.
#include "waits.h"

#include "task/future.c"

enum { VALUE = 5, FREED = 77 };

static struct tw_future future, second;
static uint32_t value; // plain: the promised

static void not_here(void)
{
    model_assert_failed("not reached", __FILE__, __LINE__, "a stub was called");
}

void twi_yield(void)
{
    not_here();
}

void twi_pended_start(struct twi_pended *pended)
{
    (void)pended;
    not_here();
}

struct twi_pended *twi_pended_make(struct tw_fiber *f, const struct tw_task_type *type,
                                   const void *args, struct tw_future *const *futures,
                                   unsigned count)
{
    (void)f, (void)type, (void)args, (void)futures, (void)count;
    not_here();
    return NULL;
}

// ---- programs ----

static void setup(void)
{
    waits_reset();
    memset(&future, 0, sizeof future);
    memset(&second, 0, sizeof second);
    value = 0;
    model_name(&future.line.guard, "guard");
    model_name(&second.line.guard, "second.guard");
    model_name(&second.state, "second.state");
    model_name(&future.state, "state");
    model_name(&future.error, "error");
    model_name(&future.line.first, "first");
    model_name(&future.line.last, "last");
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
    TWI_STORE(&future.line.guard, (uint32_t)FREED, TWI_RELAXED);
    TWI_STORE(&future.state, (uint32_t)FREED, TWI_RELAXED);
}

static void look_and_read(int id)
{
    if (id == 0)
        promise();
    else if (tw_future_ready(&future))
        model_assert(TWI_READ(value) == VALUE, "the value is not there");
}

// ---- waits that end in another way ----

// By what decided it, and then it is gone from the line.
static void await_either(int error)
{
    int how = tw_future_wait_until(&future, error == TW_ETIMEDOUT ? 2 : TW_NEVER);
    model_assert(how == 0 || how == error, "the wait ended with %d", how);
    if (how == 0)
        model_assert(TWI_READ(value) == VALUE, "the value is not there");
}

static void cancel_and_promise(int id)
{
    if (id == 0)
        await_either(TW_ECANCELED);
    else if (id == 1)
        cancel_all_waits();
    else
        promise();
}

static void cancel_alone(int id)
{
    if (id == 0)
        await_either(TW_ECANCELED);
    else
        cancel_all_waits();
}

static void time_and_promise(int id)
{
    if (id == 0)
        await_either(TW_ETIMEDOUT);
    else if (id == 1)
        ring_first_wait();
    else
        promise();
}

static void any_of_two(int id)
{
    struct tw_future *const both[] = {&future, &second};
    if (id == 0) {
        int which = tw_await_any(both, 2, TW_NEVER);
        model_assert(which == 0 || which == 1, "none of them: %d", which);
        model_assert(both[which]->state == TWI_FUTURE_SET, "number %d is not set", which);
    } else if (tw_future_claim(both[id - 1]) == 0) {
        tw_future_set(both[id - 1], 0);
    }
}

static void check_left(void)
{
    model_assert(!future.line.first && !future.line.last, "someone still stands in the line");
    model_assert(!second.line.first && !second.line.last, "someone still stands in the line");
}

static void check_nothing(void)
{
}

static void check_freed(void)
{
    model_assert(future.line.guard == FREED && future.state == FREED,
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
    PROGRAM(cancel_alone, 2, check_left),
    PROGRAM(cancel_and_promise, 3, check_left),
    PROGRAM(time_and_promise, 3, check_left),
    PROGRAM(any_of_two, 3, check_left),
};

int main(int argc, char **argv)
{
    return model_main(programs, sizeof programs / sizeof *programs, argc, argv);
}

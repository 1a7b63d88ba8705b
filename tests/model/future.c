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

void twi_yield(struct twi_worker *worker)
{
    (void)worker;
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

// Fiber 0, or 2, waits already: the programs are about how that ends.
static struct twi_waiter parked;

static void park_before(int i)
{
    struct twi_fiber *fiber = &fibers[i].fiber;
    uint64_t ticket = TWI_WAITS_MASK + 1;
    fiber->waits = ticket | TWI_WAITING;
    parked = (struct twi_waiter){
        .line = &future.line, .word = &fiber->waits, .ticket = ticket, .fiber = &fiber->deque};
    future.line.first = future.line.last = &parked;
}

static void setup_one_waits(void)
{
    setup();
    park_before(0);
}

static void setup_another_waits(void)
{
    setup();
    park_before(2);
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

// The second comes while the promise is made.
static void promise_and_two_wait(int id)
{
    if (id == 0)
        promise();
    else
        await();
}

static void check_both_woken(void)
{
    model_assert(readied[2], "the one that waited longest was not woken");
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

// What ends the wait readies the fiber, once.
static void cancel_and_promise(int id)
{
    if (id == 0)
        cancel_all_waits();
    else
        promise();
}

static void check_one_woken(void)
{
    enum twi_waits how = twi_waits_state(fibers[0].fiber.waits);
    model_assert(how == TWI_DONE || how == TWI_CANCELLED, "the wait ended with %d", (int)how);
    model_assert(readied[0], "nobody made it ready");
}

static void cancel_alone(int id)
{
    if (id == 0)
        await_either(TW_ECANCELED);
    else
        cancel_all_waits();
}

static void time_alone(int id)
{
    if (id == 0)
        await_either(TW_ETIMEDOUT);
    else
        ring_when_set();
}

// Someone holds the fiber for a moment, to look at it.
static void look_and_promise(int id)
{
    if (id == 0)
        twi_waits_cancel(&wait_pool);
    else
        promise();
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

#define PROGRAM_FROM(before, test, count, after)                                                   \
    {                                                                                              \
        .name = #test, .threads = count, .setup = before, .thread = test, .check = after,          \
        .ghost = &ghost, .ghost_size = sizeof ghost,                                               \
    }
#define PROGRAM(test, count, after) PROGRAM_FROM(setup, test, count, after)

static const struct model_program programs[] = {
    PROGRAM_FROM(setup_another_waits, promise_and_two_wait, 2, check_both_woken),
    PROGRAM(two_promise, 3, check_nothing),
    PROGRAM(wait_and_free, 2, check_freed),
    PROGRAM(look_and_read, 2, check_nothing),
    PROGRAM(cancel_alone, 2, check_left),
    PROGRAM_FROM(setup_one_waits, cancel_and_promise, 2, check_one_woken),
    PROGRAM_FROM(setup_one_waits, look_and_promise, 2, check_one_woken),
    PROGRAM(time_alone, 2, check_left),
    PROGRAM(time_and_promise, 3, check_left),
    PROGRAM(any_of_two, 3, check_left),
};

int main(int argc, char **argv)
{
    return model_main(programs, sizeof programs / sizeof *programs, argc, argv);
}

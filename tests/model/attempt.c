// SPDX-License-Identifier: Apache-2.0
// Cancelling (the real src/sched/attempt.c and src/core/attempt.h): a fiber that is called is never
// lost sight of, and a stolen task knows the attempt it is in.
#include <sched.h>
#define sched_yield() ((void)0)

#include "fibers.h"

#include "sched/attempt.c"

#include "internal.h" // mc.running: which thread calls

static struct twi_pool pool;
static struct twi_worker workers[2];
static struct tw_attempt outside, inside;
static struct tw_fiber *const f = &fibers[0].fiber.deque;
static uint32_t noticed; // by the owner, who reads it alone

void twi_waits_cancel(struct twi_pool *of)
{
    (void)of;
}

// ---- what the real code calls ----

struct twi_worker *twi_worker_here(void)
{
    return &workers[mc.running];
}

struct twi_fiber *twi_fiber_of_slot(const struct twi_arena *arena, const struct tw_slot *slot)
{
    (void)arena, (void)slot;
    return &fibers[0].fiber;
}

void tw_spill_free(void *spilled)
{
    (void)spilled;
}

struct tw_slot *tw_slot_pushed(struct tw_fiber *fiber, struct tw_slot *slot)
{
    (void)fiber;
    return slot + 1;
}

// ---- set-ups ----

static void setup(void)
{
    fibers_reset();
    memset(&pool, 0, sizeof pool);
    memset(workers, 0, sizeof workers);
    twi_attempt_init(&outside);
    twi_attempt_init(&inside);
    pool.count = 1;
    pool.workers = workers;
    workers[0].pool = workers[1].pool = &pool;
    noticed = 0;
    fibers[0].fiber.stack_soft = (const char *)fibers;
    f->stack_soft = fibers[0].fiber.stack_soft;
    outside.base = fibers[0].slots;
    fibers[0].fiber.attempts = &outside;
    pool.attempts.open = 1;
    model_name(&f->stack_soft, "stack_soft");
    model_name(&outside.cancelled, "cancelled");
    model_name(&pool.attempts.cancels, "cancels");
    model_name(&pool.attempts.lock, "pool lock");
    model_name(&fibers[0].fiber.attempt_lock, "attempt lock");
    model_name(&fibers[0].fiber.attempts, "attempts");
    model_name(&workers[0].active, "active");
}

// The fiber runs and was called before, for nothing.
static void setup_called(void)
{
    setup();
    workers[0].active = f;
    f->stack_soft = TWI_ATTENTION;
}

// ---- programs ----

static void cancel_and_heed(int id)
{
    if (id == 0)
        noticed = (uint32_t)twi_heed(f);
    else
        twi_attempt_cancel(&pool, &outside, TW_ECANCELED);
}

static void cancel_and_arrive(int id)
{
    if (id == 0)
        twi_attention_arrive(f, &workers[0].active, &pool.attempts.cancels);
    else
        twi_attempt_cancel(&pool, &outside, TW_ECANCELED);
}

static void check_called(void)
{
    model_assert(noticed || f->stack_soft == TWI_ATTENTION, "the fiber will not look");
    model_assert(twi_attempt_cancelled(&outside), "not cancelled");
}

// The owner spawns a task in the outer attempt and opens another one while a thief takes the task.
static void steal_and_open(int id)
{
    if (id == 0) {
        twi_push_async(f, TWI_LOAD_OWN(&f->head), &types[0], &scopes[0]);
        twi_deque_share(f);
        inside.base = TWI_LOAD_OWN(&f->head);
        twi_attempt_push(&fibers[0].fiber, &inside);
        twi_attempt_pop(&fibers[0].fiber, &inside);
        return;
    }
    struct twi_found found = {NULL, NULL, NULL};
    if (twi_deque_steal(f, &found.piece) == TWI_STEAL_GOT)
        model_assert(twi_attempt_of_piece(&pool, &found) == &outside, "in another attempt");
}

static void check_nothing(void)
{
}

#define PROGRAM(test, before, after)                                                               \
    {                                                                                              \
        .name = #test, .threads = 2, .setup = before, .thread = test, .check = after,              \
        .ghost = &ghost, .ghost_size = sizeof ghost,                                               \
    }

static const struct model_program programs[] = {
    PROGRAM(cancel_and_heed, setup_called, check_called),
    PROGRAM(cancel_and_arrive, setup, check_called),
    PROGRAM(steal_and_open, setup, check_nothing),
};

int main(int argc, char **argv)
{
    return model_main(programs, sizeof programs / sizeof *programs, argc, argv);
}

// SPDX-License-Identifier: Apache-2.0
// The deque: include/twill/inline.h and src/core/deque.h, an owner against thieves that steal or
// nudge. Each task runs once, and who runs it sees what was pushed.
#include "runtime.h"

static struct tw_fiber *const deque = &fibers[0].fiber.deque;
static struct tw_slot *const slots = fibers[0].slots;

// ---- the owner ----

static void push(int i)
{
    twi_push_async(deque, TWI_LOAD_OWN(&deque->head), &types[i], &scopes[i]);
}

static void push_first(int count)
{
    for (int i = 0; i < count; i++)
        push(i);
}

// A slot now is the caller's.
static void run(struct tw_slot *slot)
{
    const struct tw_task_type *type = TWI_READ(slot->type);
    long i = type - types;
    model_assert(TWI_READ(slot->scope) == &scopes[i], "type and scope of different tasks");
    note_run(i);
}

// The topmost task, unless it was stolen.
static int pop(void)
{
    struct tw_slot *slot = TWI_LOAD_OWN(&deque->head) - 1;
    if (slot < slots)
        return 0;
    if (twi_take_private(deque, slot) || twi_deque_reclaim(deque, slot)) {
        run(slot);
        return 1;
    }
    TWI_STORE(&deque->head, slot + 1, TWI_RELEASE);
    return 0;
}

static void pop_all(void)
{
    while (pop())
        ;
}

// ---- thieves ----

static void steal(void)
{
    struct tw_slot *taken;
    if (twi_deque_steal(deque, &taken) == TWI_STEAL_GOT)
        run(taken);
}

static void nudge(void)
{
    struct tw_slot *taken = twi_deque_nudge(deque, 1);
    if (taken)
        run(taken);
}

// ---- programs ----

static void share_steal_steal(int id)
{
    if (id == 0) {
        push_first(2);
        twi_deque_share(deque);
        push(2);
        twi_deque_share(deque);
        pop_all();
    } else {
        steal();
        steal();
    }
}

static void pop_nudge(int id)
{
    if (id == 0) {
        push_first(2);
        pop_all();
    } else {
        nudge();
    }
}

// All of it is wanted, and shared at once.
static void nudge_for_all(int id)
{
    if (id == 0) {
        push_first(2);
        pop_all();
    } else {
        struct tw_slot *taken = twi_deque_nudge(deque, 2);
        if (taken) {
            run(taken);
            steal();
        }
    }
}

// A slot that is used again while a thief nudges.
static void pop_push_nudge(int id)
{
    if (id == 0) {
        push(0);
        if (pop())
            push(1);
        else
            note_run(1);
        pop_all();
    } else {
        nudge();
        nudge();
    }
}

static void nudge_and_steal(int id)
{
    if (id == 0) {
        push_first(3);
        pop_all();
    } else if (id == 1) {
        nudge();
    } else {
        steal();
    }
}

static void two_nudges(int id)
{
    if (id == 0) {
        push_first(2);
        pop_all();
    } else {
        nudge();
    }
}

// The owner parks, so that all it has can be stolen, and goes on later.
static void park_nudge_steal(int id)
{
    if (id == 0) {
        push_first(2);
        unsigned shared = twi_deque_share_all(deque);
        model_assert(shared <= 2, "%u of 2 shared", shared);
        pop_all();
    } else if (id == 1) {
        nudge();
    } else {
        steal();
    }
}

// What is parked with is there for thieves, whatever a nudge does meanwhile.
static void park_leaves_all(int id)
{
    if (id == 0) {
        push_first(3);
        unsigned shared = twi_deque_share_all(deque);
        struct tw_slot *taken;
        for (unsigned i = 0; i < shared; i++) {
            enum twi_steal answer = twi_deque_steal(deque, &taken);
            model_assert(answer == TWI_STEAL_GOT, "%u shared, %u there", shared, i);
            run(taken);
        }
    } else {
        nudge();
    }
}

// A worker in need asks; the next push answers (src/task/task.c).
static void request(int id)
{
    if (id == 0) {
        push_first(3);
        pop_all();
    } else if (id == 1) {
        if (TWI_LOAD(&deque->limit, TWI_RELAXED))
            TWI_STORE(&deque->limit, (struct tw_slot *)NULL, TWI_RELAXED);
        steal();
    } else {
        steal();
        nudge();
    }
}

// A fork that is stolen, joined, and whose slot is used for another one.
static void fork_and_join(int i)
{
    struct tw_slot *slot = TWI_LOAD_OWN(&deque->head);
    TWI_WRITE(slot->scope, &scopes[i]);
    twi_push_fork(deque, slot, &types[i]);
    twi_deque_share(deque);
    if (twi_take_private(deque, slot) || twi_deque_reclaim(deque, slot)) {
        run(slot);
        return;
    }
    TWI_STORE(&deque->head, slot + 1, TWI_RELEASE);
    while (!twi_fork_finished(slot))
        TWI_PAUSE();
    model_assert(TWI_READ(outcome[i]) == (uint32_t)i + 1, "a result before its time");
    twi_fork_forget(slot);
    twi_deque_reset(deque, slot);
}

static void steal_fork(void)
{
    struct tw_slot *taken;
    if (twi_deque_steal(deque, &taken) != TWI_STEAL_GOT)
        return;
    run(taken);
    twi_fork_finish(taken, NULL);
}

static void slot_again(int id)
{
    if (id == 0) {
        fork_and_join(0);
        fork_and_join(1);
    } else {
        steal_fork();
        steal_fork();
    }
}

static void slot_again_two_thieves(int id)
{
    if (id == 0) {
        fork_and_join(0);
        fork_and_join(1);
    } else {
        steal_fork();
    }
}

static void slot_again_nudge(int id)
{
    if (id == 0) {
        fork_and_join(0);
        fork_and_join(1);
    } else if (id == 1) {
        steal_fork();
    } else {
        struct tw_slot *taken = twi_deque_nudge(deque, 1);
        if (taken) {
            run(taken);
            twi_fork_finish(taken, NULL);
        }
    }
}

static void ran_two(void)
{
    check_ran(2);
}

static void ran_three(void)
{
    check_ran(3);
}

#define PROGRAM(test, count, after)                                                                \
    {                                                                                              \
        .name = #test, .threads = count, .setup = runtime_reset, .thread = test, .check = after,   \
        .ghost = &ghost, .ghost_size = sizeof ghost,                                               \
    }

static const struct model_program programs[] = {
    PROGRAM(share_steal_steal, 3, ran_three), PROGRAM(pop_nudge, 2, ran_two),
    PROGRAM(pop_push_nudge, 2, ran_two),      PROGRAM(nudge_and_steal, 3, ran_three),
    PROGRAM(two_nudges, 3, ran_two),          PROGRAM(park_nudge_steal, 3, ran_two),
    PROGRAM(park_leaves_all, 2, ran_three),   PROGRAM(request, 3, ran_three),
    PROGRAM(slot_again, 2, ran_two),          PROGRAM(slot_again_two_thieves, 3, ran_two),
    PROGRAM(slot_again_nudge, 3, ran_two),    PROGRAM(nudge_for_all, 2, ran_two),
};

int main(int argc, char **argv)
{
    return model_main(programs, sizeof programs / sizeof *programs, argc, argv);
}

// SPDX-License-Identifier: Apache-2.0
// Joins and finishes: the real task.c and loop.c, with an owner (T0) whose tasks are taken by
// thieves that run at most one each. A fiber that parks spins here until it is readied.
#include "runtime.h"

enum { LEAVES = 2, LEFT = 3 }; // task LEAVES spawns task LEFT and does not wait for it

static struct tw_scope block;
static struct tw_fiber *const deque = &fibers[0].fiber.deque;

// ---- tasks ----

static void push_async(struct tw_fiber *f, int i)
{
    struct tw_slot *slot = TWI_LOAD_OWN(&f->head);
    memcpy(slot->payload, &i, sizeof i);
    twi_push_async(f, slot, &types[i], f->scope);
}

static void run_task(struct tw_fiber *f, struct tw_slot *head, const void *args, void *result)
{
    (void)head;
    int i;
    memcpy(&i, args, sizeof i);
    note_run(i);
    if (i == LEAVES && result) {
        push_async(f, LEFT);
        twi_deque_share(f);
    }
    if (result)
        memcpy(result, &i, sizeof i);
}

// The first `forks` tasks are functions.
static void reset(int forks)
{
    runtime_reset();
    memset(&block, 0, sizeof block);
    for (int i = 0; i < TASKS; i++) {
        size_t result = i < forks ? sizeof i : 0;
        types[i] = (struct tw_task_type){"task",        __FILE__, __LINE__, _Alignof(int),
                                         _Alignof(int), sizeof i, result,   run_task};
    }
    model_name(&block.pending, "pending");
}

static void setup_asyncs(void)
{
    reset(0);
}

static void setup_forks(void)
{
    reset(LEFT);
}

// ---- the owner ----

static struct tw_slot *fork_task(int i)
{
    struct tw_slot *handle = TWI_LOAD_OWN(&deque->head);
    memcpy(handle->payload, &i, sizeof i);
    twi_push_fork(deque, handle, &types[i]);
    return handle;
}

static void join_task(int i, struct tw_slot *handle)
{
    int value = -1;
    tw_task_join(&types[i], handle, &value);
    model_assert(TWI_READ(outcome[i]) == (uint32_t)i + 1, "joined before task %d ran", i);
    model_assert(value == i, "the result of task %d is %d", i, value);
}

static void open_block(void)
{
    twi_scope_open(&block, deque, TWI_LOAD_OWN(&deque->head));
}

// Everything in the block is done afterwards, and nobody looks at its scope any more.
static void close_block(int first, int count)
{
    tw_scope_end(&block);
    for (int i = first; i < first + count; i++)
        model_assert(TWI_READ(outcome[i]) == (uint32_t)i + 1, "the block ended before task %d", i);
    TWI_WRITE(block.pending, (int64_t)0);
    model_assert(TWI_LOAD_OWN(&deque->head) == fibers[0].slots, "slots are left");
    model_assert(!fibers[0].fiber.holes, "%u holes are left", fibers[0].fiber.holes);
}

// ---- thieves ----

static void run_stolen(int id, struct tw_slot *slot)
{
    (void)TWI_READ(slot->type);
    struct twi_found found = {NULL, slot, NULL};
    run_piece(&fibers[id].fiber, &found);
    if (workers[id].handed)
        twi_ready(&workers[id].handed->deque);
}

static void steal(int id)
{
    struct tw_slot *taken;
    if (twi_deque_steal(deque, &taken) == TWI_STEAL_GOT)
        run_stolen(id, taken);
}

static void nudge(int id)
{
    struct tw_slot *taken = twi_deque_nudge(deque, 1);
    if (taken)
        run_stolen(id, taken);
}

// ---- programs ----

static void finish(int id)
{
    if (id > 0) {
        steal(id);
        return;
    }
    open_block();
    push_async(deque, 0);
    push_async(deque, 1);
    twi_deque_share(deque);
    close_block(0, 2);
}

static void finish_nudged(int id)
{
    if (id == 1) {
        nudge(id);
    } else if (id == 2) {
        steal(id);
    } else {
        open_block();
        push_async(deque, 0);
        push_async(deque, 1);
        close_block(0, 2);
    }
}

static void finish_twice(int id)
{
    if (id > 0) {
        steal(id);
        return;
    }
    for (int i = 0; i < 2; i++) {
        open_block();
        push_async(deque, i);
        twi_deque_share(deque);
        close_block(i, 1);
        TWI_STORE(&block.pending, (int64_t)0, TWI_RELAXED);
    }
}

static void join_topmost(int id)
{
    if (id > 0) {
        steal(id);
        return;
    }
    open_block();
    struct tw_slot *a = fork_task(0);
    twi_deque_share(deque);
    join_task(0, a);
    struct tw_slot *b = fork_task(1);
    twi_deque_share(deque);
    join_task(1, b);
    close_block(0, 2);
}

static void join_topmost_nudged(int id)
{
    if (id > 0) {
        nudge(id);
        return;
    }
    open_block();
    struct tw_slot *a = fork_task(0);
    struct tw_slot *b = fork_task(1);
    join_task(1, b);
    join_task(0, a);
    close_block(0, 2);
}

// In the order of forking: the first slot is below the second.
static void join_below_stolen(int id)
{
    if (id > 0) {
        steal(id);
        return;
    }
    open_block();
    struct tw_slot *a = fork_task(0);
    struct tw_slot *b = fork_task(1);
    twi_deque_share(deque);
    join_task(0, a);
    twi_deque_share(deque);
    join_task(1, b);
    close_block(0, 2);
}

static void join_below_nudged(int id)
{
    if (id == 1) {
        nudge(id);
    } else if (id == 2) {
        steal(id);
    } else {
        open_block();
        struct tw_slot *a = fork_task(0);
        struct tw_slot *b = fork_task(1);
        join_task(0, a);
        join_task(1, b);
        close_block(0, 2);
    }
}

// A joined fork below an async: its slot is a hole that counts as a piece when it is stolen.
static void hole_stolen(int id)
{
    if (id > 0) {
        steal(id);
        return;
    }
    open_block();
    struct tw_slot *a = fork_task(0);
    push_async(deque, LEFT);
    join_task(0, a);
    (void)twi_deque_share_all(deque);
    close_block(LEFT, 1);
}

// The stolen function returns with a task of its own left in the thief's deque.
static void leftovers(int id)
{
    if (id == 1) {
        steal(id);
        return;
    }
    open_block();
    struct tw_slot *a = fork_task(LEAVES);
    twi_deque_share(deque);
    join_task(LEAVES, a);
    close_block(LEAVES, 2);
}

static void leftovers_stolen(int id)
{
    if (id == 2) {
        struct tw_slot *taken;
        if (twi_deque_steal(&fibers[1].fiber.deque, &taken) == TWI_STEAL_GOT)
            run_stolen(id, taken);
    } else {
        leftovers(id);
    }
}

static void ran_two(void)
{
    check_ran(2);
}

#define PROGRAM(test, count, before, after)                                                        \
    {                                                                                              \
        .name = #test, .threads = count, .setup = before, .thread = test, .check = after,          \
        .ghost = &ghost, .ghost_size = sizeof ghost,                                               \
    }

static const struct model_program programs[] = {
    PROGRAM(finish, 3, setup_asyncs, ran_two),
    PROGRAM(finish_nudged, 3, setup_asyncs, ran_two),
    PROGRAM(finish_twice, 2, setup_asyncs, ran_two),
    PROGRAM(join_topmost, 2, setup_forks, ran_two),
    PROGRAM(join_topmost_nudged, 2, setup_forks, ran_two),
    PROGRAM(join_below_stolen, 3, setup_forks, ran_two),
    PROGRAM(join_below_nudged, 3, setup_forks, ran_two),
    PROGRAM(hole_stolen, 2, setup_forks, NULL),
    PROGRAM(leftovers, 2, setup_forks, NULL),
    PROGRAM(leftovers_stolen, 3, setup_forks, NULL),
};

int main(int argc, char **argv)
{
    return model_main(programs, sizeof programs / sizeof *programs, argc, argv);
}

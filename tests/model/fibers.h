// SPDX-License-Identifier: Apache-2.0
// What the programs about deques share: fibers of few slots, and tasks that know their number and
// count their runs in ghost memory.
#ifndef MODEL_FIBERS_H
#define MODEL_FIBERS_H

#include <string.h>

#include "core/deque.h"
#include "core/fiber.h"
#include "core/scope.h"

enum { FIBERS = 4, SLOTS = 3, TASKS = 4 };

// At addresses such as core/fiber.c chooses: mailboxes and thieves know part of them.
struct small_fiber {
    char stack[1280 - offsetof(struct twi_fiber, mail)]; // twi_fiber_offset
    struct twi_fiber fiber;
    struct tw_slot slots[SLOTS];
} __attribute__((aligned(1 << TWI_FIBER_SHIFT)));

static struct small_fiber fibers[FIBERS];
static struct tw_task_type types[TASKS] __attribute__((unused));
static struct tw_scope scopes[TASKS] __attribute__((unused)); // task i is pushed with scope i
static uint32_t outcome[TASKS]; // plain memory: written by who runs task i

static struct {
    unsigned char runs[TASKS];
    unsigned char ready; // a fiber waits to go on
} ghost;

static void fibers_reset(void)
{
    memset(outcome, 0, sizeof outcome);
    for (int i = 0; i < FIBERS; i++) {
        struct twi_fiber *fiber = &fibers[i].fiber;
        memset(fiber, 0, sizeof *fiber);
        memset(fibers[i].slots, 0, sizeof fibers[i].slots);
        fiber->slots = fibers[i].slots;
        fiber->bound = fibers[i].slots + SLOTS;
        fiber->deque.head = fiber->slots;
        fiber->deque.limit = fiber->bound;
        fiber->deque.word = twi_word(twi_low(fiber->slots), twi_low(fiber->slots));
        model_name(&fiber->deque.head, "head[%d]", i);
        model_name(&fiber->deque.limit, "limit[%d]", i);
        model_name(&fiber->deque.word, "word[%d]", i);
        model_name(&fiber->deque.nudge_lock, "nudge_lock[%d]", i);
        for (int k = 0; k < SLOTS; k++) {
            model_name(&fibers[i].slots[k].type, "slot[%d][%d].type", i, k);
            model_name(&fibers[i].slots[k].scope, "slot[%d][%d].scope", i, k);
            model_name(&fibers[i].slots[k].state, "slot[%d][%d].state", i, k);
        }
    }
    for (int i = 0; i < TASKS; i++)
        model_name(&outcome[i], "outcome[%d]", i);
}

// Task i is run, by whoever calls this.
static void note_run(long i)
{
    model_assert(i >= 0 && i < TASKS, "a slot holds no task");
    ghost.runs[i]++;
    model_assert(ghost.runs[i] == 1, "task %ld ran %d times", i, ghost.runs[i]);
    TWI_WRITE(outcome[i], (uint32_t)i + 1);
}

static void check_ran(long count)
{
    for (long i = 0; i < count; i++)
        model_assert(ghost.runs[i] == 1, "task %ld ran %d times", i, ghost.runs[i]);
}

#endif

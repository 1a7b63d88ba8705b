// SPDX-License-Identifier: Apache-2.0
// Between the files of this layer: tasks outside any deque, and slots that were joined too early.
#ifndef TWI_TASK_H
#define TWI_TASK_H

#include "core/bag.h"
#include "core/deque.h"
#include "core/scope.h"
#include "sched/attempt.h"

// A task on the heap, of no scope yet; its payload is still to be filled. NULL: no memory.
struct twi_detached *twi_detach(const struct tw_task_type *type);

// The same of the innermost open scope and attempt; there is memory for it, or the program ends.
struct twi_detached *twi_detach_here(struct tw_fiber *f, const struct tw_task_type *type);

// Lets a worker's loop start a task of the fiber's innermost scope, on a fiber of its own.
void twi_put_in_bag(struct tw_fiber *f, struct twi_detached *task, int priority);

// Puts in what was left to the machine. 0, or TW_EINVAL.
int twi_options_settle(struct tw_options *options);

// Runs the task in `slot`, which is the caller's own, on another stack; the caller goes on when a
// worker is free for it. `attempt` is the innermost it is in.
struct twi_detached *twi_run_elsewhere(struct tw_fiber *f, const struct tw_slot *slot,
                                       struct tw_attempt *attempt);

// Waits for a fork that another fiber has; what it left behind becomes part of `scope`.
void twi_join_elsewhere(struct tw_fiber *f, struct tw_slot *slot, struct tw_scope *scope);

// Gives back joined slots at the top of the deque.
void twi_holes_collapse(struct tw_fiber *f);

// Of the `stolen` slots from `base` on, how many are pieces of their scope.
int64_t twi_holes_discount(struct tw_fiber *f, struct tw_slot *base, int64_t stolen);

#endif

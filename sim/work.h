// SPDX-License-Identifier: Apache-2.0
// What is simulated: tasks with costs, each of which may spawn others.
//
// A task is a few bytes that may travel from place to place. Its cost is known when it starts, what
// it spawns when it ends; running a task really searches its part of a tree, so the answer of a
// simulation is checked like that of a run.
#ifndef SIM_WORK_H
#define SIM_WORK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { SIM_TASK_MOST = 64 }; // bytes of a task

// What tasks are handed to. `spawn` copies the task.
struct sim_spawner {
    void (*spawn)(struct sim_spawner *spawner, const void *task);
};

// What all tasks of a run counted, in sum.
struct sim_answer {
    uint64_t tasks;
    uint64_t nodes;  // of a tree; else the same as tasks
    uint64_t result; // nodes, solutions, or whatever the work checks
};

struct sim_work {
    const char *name;
    size_t task_size;
    // The first tasks of place `place` out of `places`.
    void (*seed)(const struct sim_work *work, uint32_t place, uint32_t places,
                 struct sim_spawner *spawner);
    // Nanoseconds that the task takes, at least 1. May note something in the task.
    uint64_t (*cost)(const struct sim_work *work, void *task);
    // Does it: spawns its children, adds to the answer.
    void (*run)(const struct sim_work *work, const void *task, struct sim_spawner *spawner,
                struct sim_answer *answer);
    // 1: the answer is right; 0: wrong; -1: nobody knows.
    int (*check)(const struct sim_work *work, const struct sim_answer *answer);
    // Sum of all costs when it is known without a run, else 0.
    uint64_t (*total_ns)(const struct sim_work *work);
    void (*destroy)(struct sim_work *work);
};

#endif

// SPDX-License-Identifier: Apache-2.0
// A collection of tasks by what each of them costs, for programs that run it again and again.
//
// Among the tasks that a program creates are null ones, which turn out to have nothing to do, and
// of which only the number is kept. A task's index is its place among all.
#ifndef SIM_COSTS_H
#define SIM_COSTS_H

#include <stddef.h>
#include <stdint.h>

#include "sim/works.h"

enum { SIM_COSTS_MOST = 1 << 30 };

struct sim_costs {
    const char *name;
    uint32_t tasks; // that are not null
    uint64_t *cost_ns;
    uint64_t *index; // ascending
    uint64_t all;    // null ones included
    uint64_t sum_ns, longest_ns;
    uint32_t room;
};

// A list to be filled, task by task, by whoever knows the costs; what is in it is freed by
// sim_costs_free. `index` is above that of the task before. 0, or -1: no memory.
void sim_costs_init(struct sim_costs *costs, const char *name);
int sim_costs_add(struct sim_costs *costs, uint64_t index, uint64_t cost_ns);
void sim_costs_free(struct sim_costs *costs);

// These make a list, and end with -1 and what is wrong in `message` if they cannot.

// By what it is called: one of sim_costs_names, else a file.
int sim_costs_open(struct sim_costs *costs, const char *name, char *message, size_t size);

// Hartree-Fock on chains of beryllium atoms: NULL ends the names. 1, or 0: there is no such name.
extern const char *const sim_costs_names[];
int sim_costs_named(struct sim_costs *costs, const char *name, char *message, size_t size);

// A file has a task on each line: what it costs, in nanoseconds, with its index before that or
// without. A line "all N" says how many there are with null ones. # begins a comment.
int sim_costs_parse(struct sim_costs *costs, const char *source, const char *text, char *message,
                    size_t size);

// As in the simulation of `tasks`, without spawns and placement.
int sim_costs_spread(struct sim_costs *costs, const struct sim_spread *spread, char *message,
                     size_t size);

#endif

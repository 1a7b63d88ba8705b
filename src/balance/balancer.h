// SPDX-License-Identifier: Apache-2.0
// Persistence-based balancers: where tasks start in the next iteration, from how long they took in
// the last. "Work Stealing and Persistence-based Load Balancers", section 5; docs/balancers.md.
//
// They are pure: no clock, no memory but what the caller gives, no tasks and no fabric. What moves
// while a plan is made are picks, which say where a task is and how long it takes; what comes out
// are moves, by which a task goes directly from its donor to its receiver. A balancer comes in two
// forms with the same results: in pieces (donate.h, central.h, branch.h), for places that each hold
// their own part and send picks to each other as bytes, and as a whole (this file), for all cores
// of a model in one process.
//
// All loads together are below 2^63 ns, 290 years of one core.
#ifndef TWI_BALANCER_H
#define TWI_BALANCER_H

#include <stddef.h>
#include <stdint.h>

// A task that its owner gives away. Flat: it travels as it is.
struct twi_pick {
    uint32_t owner, index; // the task is that core's, and has this index there
    uint32_t bin;
};

// Task `index` of the donor starts at the receiver, which is another core.
struct twi_move {
    uint32_t donor, index, receiver;
};

enum { TWI_FAN_MOST = 64 };

struct twi_balance_rules {
    // Factors of the average load, in millionths. At least 1,000,000.
    uint32_t keep; // C: a core gives away what it has above
    uint32_t fill; // D: a core of the tree that has as much gets nothing on the way up
    uint32_t fan;  // children of a node of the tree: 2 to TWI_FAN_MOST
};

#define TWI_BALANCE_RULES ((struct twi_balance_rules){1003000, 1003000, 3}) // the paper's

// All cores and their tasks, which stand one core after the other.
struct twi_layout {
    uint32_t cores;
    const uint32_t *first;       // of each core, its first task; one more, the number of tasks
    const uint64_t *duration_ns; // of each task
};

struct twi_plan {
    struct twi_move *moves; // room for one for each task
    uint32_t count;         // of moves
    uint32_t donated;       // picks; some come back to their owner
};

struct twi_balancer {
    const char *name;
    const char *summary;
    // Bytes of memory that plan() needs for this layout; it is aligned as malloc aligns.
    size_t (*size)(const struct twi_layout *layout, const struct twi_balance_rules *rules);
    // Fills in the plan, whose moves are given.
    void (*plan)(const struct twi_layout *layout, const struct twi_balance_rules *rules,
                 void *memory, struct twi_plan *plan);
};

extern const struct twi_balancer twi_persist_central, twi_persist_tree;

// NULL ends them.
extern const struct twi_balancer *const twi_balancers[];

#endif

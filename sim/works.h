// SPDX-License-Identifier: Apache-2.0
// The kinds of work that are simulated. Each is made from its settings; NULL, with what is wrong in
// `message`, if they make no sense or memory is out. A work is constant once it is made, so that
// simulations may share it, and is taken down by its destroy().
#ifndef SIM_WORKS_H
#define SIM_WORKS_H

#include "apps/uts/uts.h"
#include "sim/placement.h"
#include "sim/work.h"

#define SIM_NODE_MOST_NS 10000000 // what a node of a tree costs, at most

// An unbalanced tree, searched while it is simulated. The answer's result are its leaves.
struct sim_uts {
    const char *tree;                 // one of uts_named_trees; NULL: as `parameters` say
    struct uts_parameters parameters; // of a tree that has no name
    uint64_t node_ns;
    uint32_t chunk; // siblings of a task, at most; 0: 8
};
struct sim_work *sim_work_uts(const struct sim_uts *settings, char *message, size_t size);

// Queens on a board of n by n, a task for each that is placed in the first rows. Below, a task
// searches to the end. The answer's result are the solutions.
struct sim_nqueens {
    uint32_t n;
    uint32_t cutoff; // rows whose queens are tasks
    uint64_t node_ns;
};
enum { SIM_NQUEENS_CUTOFF = 6 };
struct sim_work *sim_work_nqueens(const struct sim_nqueens *settings, char *message, size_t size);

#define SIM_COST_MOST_NS UINT64_C(1000000000000) // a mean, or a recorded cost, at most

// How costs are spread around their mean.
enum sim_distribution {
    SIM_CONSTANT,
    SIM_UNIFORM, // from 1 to twice the mean
    SIM_EXPONENTIAL,
    SIM_PARETO,  // of shape 2, from half the mean to a thousand means
    SIM_BIMODAL, // nine of ten cost half the mean, the tenth five and a half
};
extern const char *const sim_distribution_names[]; // NULL ends them

// Tasks whose costs come from a distribution. The answer's result is the sum of their costs.
struct sim_spread {
    uint64_t tasks; // at the start
    enum sim_distribution distribution;
    uint64_t mean_ns;
    uint64_t seed;
    enum sim_placement placement;
    uint32_t fanout; // each task spawns so many ...
    uint32_t depth;  // ... if it is less than so deep; 0: none spawns
};
struct sim_work *sim_work_spread(const struct sim_spread *settings, char *message, size_t size);

// What task `index` costs; tasks that others spawn have indexes above those of their spawners.
uint64_t sim_spread_cost(const struct sim_spread *settings, uint64_t index);

// Tasks whose costs stand in a file, a whole number of nanoseconds a line; # begins a comment. The
// answer's result is the sum of their costs.
struct sim_recorded {
    const char *path;
    uint64_t seed; // of random places
    enum sim_placement placement;
};
struct sim_work *sim_work_recorded(const struct sim_recorded *settings, char *message, size_t size);

#endif

// SPDX-License-Identifier: Apache-2.0
// The four experiments of Vrba, Espeland, Halvorsen and Griwodz on where a task goes on that
// waited ("A simple improvement of the work-stealing scheduling algorithm"): what is run, and
// nothing of how. All of them are cells of scatter-gather: a central task and n others, so many
// rounds, in each of which everyone gets a message, works for a while and answers.
//
// Whoever can run a cell can run the experiments: that is struct twb_runner. experiment_real.c is
// the one that runs them on this machine's processors; a simulated machine would be another.
#ifndef TWB_EXPERIMENTS_H
#define TWB_EXPERIMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include <twill/runtime.h>

struct twb_cell {
    long tasks; // beside the central one
    long work_ns;
    long rounds;
};

struct twb_experiment {
    const char *title;   // the speed-up against what
    const long *tasks;   // ends with 0
    const long *work_ns; // ends with 0
    long rounds;         // 0: as many as make 50 s of work
    double scale;        // of the rounds, so that it takes about two minutes on two processors
};

#define TWB_EXPERIMENTS 4
#define TWB_CELLS_MAX 64

// By its number in the paper, from 1 to 4.
const struct twb_experiment *twb_experiment_find(unsigned number);

// Its cells, every number of tasks with every work; scale 1 is the paper's number of rounds. Cells
// that have less than one round left are left out. Returns how many there are.
size_t twb_experiment_cells(const struct twb_experiment *experiment, double scale,
                            struct twb_cell cells[TWB_CELLS_MAX]);

// The policies that are compared. In these numbers findings speak of them.
enum { TWB_CUR, TWB_LAST, TWB_AUTO, TWB_POLICIES };
struct twb_policy {
    const char *name;
    enum tw_wake wake;
};
extern const struct twb_policy twb_policies[TWB_POLICIES];

// What came of running a cell once.
struct twb_cell_run {
    double seconds;     // of all rounds, when every task had been started
    double tries_per_s; // looks at other workers' queues meanwhile, of all workers together
};

// A machine: real or not. run() gives false when the cell could not be run, or its answer was
// wrong. It is called by one thread at a time.
struct twb_runner {
    const char *name;
    unsigned workers; // at most
    bool (*run)(void *context, const struct twb_cell *cell, unsigned workers, enum tw_wake wake,
                struct twb_cell_run *result);
    void *context;
};

// This machine (experiment_real.c). Measures how long its loop takes.
struct twb_runner twb_runner_real(unsigned workers);

#endif

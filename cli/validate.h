// SPDX-License-Identifier: Apache-2.0
// Real runs beside simulations of the same: how far these are from the truth, and whether they tell
// which policy is better.
#ifndef CLI_VALIDATE_H
#define CLI_VALIDATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/samples.h"
#include "sim/run.h"

enum { VALIDATE_SIZES_MOST = 8, VALIDATE_CELLS_MOST = 512 };

struct validate_work {
    const char *name;          // in tables
    const char *words[8];      // after `twill run`
    const char *tree;          // of UTS; NULL: queens
    uint32_t depth;            // of that, instead of its own; 0: its own
    uint32_t n;                // of these
    struct samples sequential; // seconds of the plain program
    uint64_t nodes;            // as the simulator counts them
    uint64_t node_ns;          // follows from these two
};

// One work with one policy at so many places.
struct validate_cell {
    struct validate_work *work;
    const struct twi_machine *policy;
    uint32_t places;
    struct samples real, simulated; // seconds
};

struct validation {
    // What is asked for.
    const char *name; // of the command, in complaints
    const char *mpi;
    struct twi_sim_machine machine; // of no places: this one is calibrated first
    bool quick, quiet;
    unsigned rounds;
    uint32_t places[VALIDATE_SIZES_MOST];
    size_t sizes;
    // What is found.
    struct validate_work *work; // the last has no name
    struct validate_cell cell[VALIDATE_CELLS_MOST];
    size_t cells;
    struct samples errors;  // of each cell: |simulated / real - 1|
    unsigned pairs, agreed; // of policies that differ, and of those ranked the same
    unsigned done, count;   // runs and simulations, for who shows progress
};

#define VALIDATE_ERROR_MOST 0.15

// Calibrates, runs, simulates and judges. False: it was said what is wrong.
bool validate(struct validation *v);

// simulated / real - 1, of the medians.
double validate_error(const struct validate_cell *cell);
// The cells of one work and number of places differ only in their policies: 1 or -1 when `a` is
// really slower or faster than `b`, each time it was run, or of many runs in too many for chance; 0
// when that cannot be told.
int validate_order(const struct validate_cell *a, const struct validate_cell *b);

// ---- validate_report.c ----
void validate_print(const struct validation *v, FILE *file);
void validate_json(const struct validation *v, FILE *file);

#endif

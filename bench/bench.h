// SPDX-License-Identifier: Apache-2.0
// `twill bench`: the suites.
#ifndef TWB_BENCH_H
#define TWB_BENCH_H

#include "harness.h"

// A part of a suite that can be asked for by --only.
struct twb_section {
    const char *name; // NULL ends a table
    const char *help;
    void (*run)(struct twb_bench *bench);
};

struct twb_suite {
    const char *name;
    const char *help;
    const char *const *peers; // ends with NULL
    const struct twb_goal *goals;
    const struct twb_section *sections;
    bool experiments; // it has those of experiments.h
};

extern const struct twb_suite twb_forkjoin;     // forkjoin.c
extern const struct twb_suite twb_tasks;        // tasks.c
extern const struct twb_suite twb_waiting;      // waiting.c
extern const struct twb_suite twb_networks;     // networks.c
extern const struct twb_suite twb_sim;          // sim.c
extern const struct twb_suite twb_places_suite; // places.c
extern const struct twb_suite twb_collections;  // collections.c

// argv[0] is the word after `twill bench`. Returns the exit status: 0 when it measured, whatever it
// found; 1 when an answer was wrong or the report could not be written; 2 when asked wrongly.
int twb_main(int argc, char **argv);

#endif

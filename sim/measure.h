// SPDX-License-Identifier: Apache-2.0
// Measures the machine that this runs on, for machine files: `twill sim calibrate` starts processes
// that call one of these each.
//
// All samples are nanoseconds, but where the name of a measure says otherwise. docs/simulator.md
// has the table of what is measured.
#ifndef SIM_MEASURE_H
#define SIM_MEASURE_H

#include <stddef.h>
#include <stdint.h>

// Where samples go, one call for each.
struct sim_notes {
    void (*note)(struct sim_notes *notes, const char *name, double value);
};

struct tw_options;

// What needs one process: a node, a task, a worker's wake-up, a task handed to another worker. So
// often. 0, or TW_E...
int sim_measure_alone(struct sim_notes *notes, unsigned samples);

// What needs the fabric between two places of this host. Called at both; place 0 notes. 0, or
// TW_E... with a message.
int sim_measure_pair(struct sim_notes *notes, const char *mpi, unsigned samples, char *message,
                     size_t size);

// Beginning and end of the first run of this process, collective: place 0 notes it as `name`. 0, or
// TW_E...
int sim_measure_start(struct sim_notes *notes, const struct tw_options *options, const char *name);

#endif

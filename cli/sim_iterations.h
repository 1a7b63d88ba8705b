// SPDX-License-Identifier: Apache-2.0
// What `twill sim iterate` found, as text or JSON.
#ifndef CLI_SIM_ITERATIONS_H
#define CLI_SIM_ITERATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/iterate.h"

struct sim_iterated {
    struct sim_iterate settings;
    struct sim_iteration *iterations;
    int count;
};

struct sim_iterations {
    struct sim_iterated *runs;
    size_t count;
    struct twi_sim_machine machine; // of all
};

void sim_iterations_print(const struct sim_iterations *all, bool json);

#endif

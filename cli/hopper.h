// SPDX-License-Identifier: Apache-2.0
// Runs of HF-Be256 on a simulated Hopper, as the paper on persistence-based balancing had them:
// what several of its tables and figures are about. Each is made when it is first asked for.
#ifndef CLI_HOPPER_H
#define CLI_HOPPER_H

#include "sim/iterate.h"

enum { HOPPER_SIZES = 3, HOPPER_ITERATIONS = 5 };
extern const uint32_t hopper_sizes[HOPPER_SIZES]; // cores

// The schemes that the paper compares in these runs.
enum { HOPPER_SCHEMES = 3 };
extern const enum sim_scheme hopper_schemes[HOPPER_SCHEMES];

struct hopper;
struct reproduction;

// That of the reproduction, made when it is first asked for. NULL: it cannot be, for the reason
// that stderr was told.
struct hopper *hopper_of(struct reproduction *reproduction);
void hopper_free(struct hopper *hopper); // NULL is fine

// The iterations of a run, from 0 to HOPPER_ITERATIONS. NULL: no memory, which stderr was told.
const struct sim_iteration *hopper_run(struct hopper *hopper, enum sim_scheme scheme, int size);

const struct sim_costs *hopper_costs(const struct hopper *hopper);

// Seconds of all cores together in the best iteration without null tasks, of any scheme at any
// size: what the paper calls an efficiency of 1. 0: no memory.
double hopper_best(struct hopper *hopper);

// The paper's efficiency, by that.
double hopper_efficiency(const struct sim_iteration *iteration, int size, double best);

#endif

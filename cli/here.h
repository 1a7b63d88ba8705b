// SPDX-License-Identifier: Apache-2.0
// Runs of the applications of the paper on persistence-based balancing on this machine, sized to
// it: what its figures 5 to 9 are about. Those of a problem are made when one of them is first
// asked for, by `twill run` in processes of its own: rounds in which all schemes at all sizes take
// turns.
#ifndef CLI_HERE_H
#define CLI_HERE_H

#include <stdbool.h>

#include "cli/run_table.h"

enum { HERE_PROBLEMS = 3, HERE_SIZES = 3, HERE_SCHEMES = 4 };
enum here_scheme { HERE_STEAL_ALL, HERE_STEAL, HERE_RETENTIVE, HERE_PERSIST };
extern const char *const here_schemes[HERE_SCHEMES]; // as `--balance` calls them

// The column with the time of an iteration as the paper has it: of its tasks, without that of
// balancing between two iterations.
#define HERE_SECONDS "process_seconds"

struct here;
struct reproduction;

// That of the reproduction, made when it is first asked for. NULL: no memory, which stderr was
// told.
struct here *here_of(struct reproduction *reproduction);
void here_free(struct here *here); // NULL is fine

const char *here_problem(int problem);
// Some sizes are not to be had here: two workers without two processors, places without MPI.
bool here_has(const struct here *here, int size);
const char *here_size(int size); // "2 places x 1 worker"
unsigned here_cores(int size);
unsigned here_iterations(const struct here *here);

// The table of a run, with as many rows as there are iterations; of several rounds the medians.
// NULL: a run failed, which stderr was told.
const struct run_table *here_run(struct here *here, int problem, int size, enum here_scheme scheme);

// Seconds of all cores together in the best iteration of any scheme at any size: what the paper
// calls an efficiency of 1. 0: a run failed.
double here_best(struct here *here, int problem);

#endif

// SPDX-License-Identifier: Apache-2.0
// The serving side of a benchmark: a process that runs one case whenever it is told to.
//
//     <program> <case> <workers> <size>      started once per series by the harness (lanes.h)
//     stdin   "go\n"                         run the case once
//     stdout  "<value> <check>\n"            what was measured and the answer it computed
//
// The value is in seconds unless the case says otherwise; the check is a number the harness knows
// beforehand. A case that needs more than a size has it in its name, after a colon. End of input
// ends the process. `<program> --version` tells what it was built of.
// Because every runtime serves like this, the harness can interleave their runs one by one. C and
// C++ peers use this file; others speak the protocol.
#ifndef TWB_SERVE_H
#define TWB_SERVE_H

#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

struct twb_job {
    unsigned workers;
    long size;
    const char *parameters; // what follows the case's name and a colon; or ""
};

struct twb_answer {
    double value;
    uint64_t check;
};

struct twb_case {
    const char *name; // NULL ends a table
    struct twb_answer (*run)(const struct twb_job *job);
};

// The case of a table that `name` asks for, parameters and all; or NULL.
const struct twb_case *twb_find_case(const struct twb_case *cases, const char *name);

// Arguments: case, workers, size; or --version, answered with `about`. Returns the exit status.
int twb_serve(const struct twb_case *cases, const char *about, int argc, char **argv);

static inline double twb_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#ifdef __cplusplus
}
#endif
#endif

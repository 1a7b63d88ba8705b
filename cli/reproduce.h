// SPDX-License-Identifier: Apache-2.0
// `twill reproduce`: what papers print, computed anew and put beside it.
#ifndef CLI_REPRODUCE_H
#define CLI_REPRODUCE_H

#include <stdbool.h>

struct here;
struct hopper;
struct json;

struct reproduction {
    struct json *json;     // NULL: text on stdout
    const char *output;    // folder for plots; NULL: none are wanted
    bool differs;          // a verdict was against us, or against the paper
    struct hopper *hopper; // runs on a simulated machine (hopper.h)
    struct here *here;     // runs on this one (here.h): so many iterations and rounds, this MPI
    unsigned iterations, rounds;
    const char *mpi;
};

// One table or figure of a paper.
struct reproduce_section {
    const char *name;
    const char *summary;
    // Computes it, prints it with the paper's numbers and a verdict. False: it could not.
    bool (*run)(struct reproduction *reproduction);
};

// Prints something that the paper says or shows, and whether it is so here.
void reproduce_claim(struct reproduction *reproduction, const char *claim, bool holds);
// The same, with a reason that is printed when it is not.
void reproduce_judge(struct reproduction *reproduction, const char *claim, bool holds,
                     const char *reason, ...) __attribute__((format(printf, 4, 5)));

// Opens the section's object and its array of rows in JSON, or prints a title; goes on to its array
// of claims; closes both.
void reproduce_rows(struct reproduction *reproduction, const char *name, const char *title);
void reproduce_claims(struct reproduction *reproduction);
void reproduce_close(struct reproduction *reproduction);

extern const struct reproduce_section reproduce_table1, reproduce_table2, reproduce_table3,
    reproduce_figure5, reproduce_figure6, reproduce_figure7, reproduce_figure8, reproduce_figure9,
    reproduce_figure7_sim, reproduce_figure10;

#endif

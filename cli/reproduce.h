// SPDX-License-Identifier: Apache-2.0
// `twill reproduce`: what papers print, computed anew and put beside it.
#ifndef CLI_REPRODUCE_H
#define CLI_REPRODUCE_H

#include <stdbool.h>

struct json;

struct reproduction {
    struct json *json; // NULL: text on stdout
    bool differs;      // a verdict was against us, or against the paper
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

extern const struct reproduce_section reproduce_table1, reproduce_table2, reproduce_table3;

#endif

// SPDX-License-Identifier: Apache-2.0
// The case `scatter` of the suite networks: a central task and n others, each with a channel from
// it and a channel back to it. C, C++ and Rust lanes link this file; Go has it in its own words.
//
//     scatter:<n>:<work in ns>, its size is the rounds
//
// In a round the central task sends a number to each of the others, in order, and then receives
// from each of them, in order, what twb_leaf makes of it: a loop as long as the work (leaves.h).
// The numbers are 0 to n - 1, and round r begins with r mod n, so that one of another round shows.
//
// A run makes the network, goes one round that is not measured, after which every task waits at
// its channel, then measures its rounds by the central task's clock, and ends the network. It
// answers with the sum of what came back while it measured.
#ifndef TWB_SCATTER_H
#define TWB_SCATTER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct twb_scatter {
    long tasks; // beside the central one
    long rounds;
    uint64_t loops; // of the loop of a leaf, for each message
};

// By the parameters of the case's name, "<n>:<work in ns>", and by TWB_LOOPS. Other words end the
// process.
struct twb_scatter twb_scatter_read(const char *parameters, long rounds);
// The name of the case with its parameters.
void twb_scatter_name(char *name, size_t room, long tasks, long work_ns);
// What a run answers.
uint64_t twb_scatter_sum(const struct twb_scatter *scatter);

// The number for the first task in a round, and the one for the next task.
static inline uint64_t twb_scatter_first(const struct twb_scatter *scatter, long round)
{
    return (uint64_t)(round % scatter->tasks);
}

static inline uint64_t twb_scatter_next(const struct twb_scatter *scatter, uint64_t number)
{
    return number + 1 < (uint64_t)scatter->tasks ? number + 1 : 0;
}

#ifdef __cplusplus
}
#endif
#endif

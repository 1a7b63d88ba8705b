// SPDX-License-Identifier: Apache-2.0
// Programs that are started at places, through a launcher, once for each run.
//
// A lane of the suite places is served by a process of this command (case_placed.c), which starts
// the launcher whenever it is asked, and reads what place 0 prints: JSON in which it looks for a
// number and for `"verified": true`. Nothing is left running between two runs.
#ifndef TWB_PLACED_H
#define TWB_PLACED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A run that takes longer has hung: it is ended, and its answer is wrong.
#define TWB_PLACED_SECONDS 200

struct twb_placed {
    const char *mpi;     // "openmpi", "mpich", or "none": no launcher
    unsigned places;     // with "none": one
    bool tcp;            // MPI talks TCP, on one host too
    const char *number;  // the key of what is measured
    const char *words;   // the program's arguments, with blanks between them
    const char *program; // its path; NULL: this command
    bool optional;       // it need not tell the number; not written
};

// The served case that stands for it.
#define TWB_PLACED_TEXT 1024
void twb_placed_write(const struct twb_placed *placed, char text[TWB_PLACED_TEXT]);
// Back again, from what follows the first colon; `text` is cut into pieces. False: it is none.
bool twb_placed_read(struct twb_placed *placed, char *text);

// Runs it once. False: it ended badly, not at all, or said nothing of the number.
bool twb_placed_run(const struct twb_placed *placed, double *value);

// ---- at_places.c ----
// `twill bench --at-places NAME ...`: what the suite starts at places beside `twill run`. Prints
// JSON at place 0. Returns the exit status.
int twb_at_places(int argc, char **argv);

#endif

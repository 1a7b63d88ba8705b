// SPDX-License-Identifier: Apache-2.0
// Starting this very command at several places, through an MPI launcher.
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

// Whether a launcher has started this process.
bool launch_is_done(void);

// The words that start places: what stands before the program's own.
#define LAUNCH_WORDS_MAX 16
struct launch_line {
    const char *word[LAUNCH_WORDS_MAX]; // word[0] is the launcher
    size_t words;
    char count[16];
};

// For so many places of any program; `mpi` is the setting of that name. False: no launcher is here.
bool launch_line_make(struct launch_line *line, unsigned places, const char *mpi);

// Becomes the launcher of `places` of this command, whose main() got `argv`; `mpi` is the setting
// of that name. Returns only when that cannot be, having said why, beginning with `name`.
void launch_places(const char *name, unsigned places, const char *mpi, char **argv);

#endif

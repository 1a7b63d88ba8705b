// SPDX-License-Identifier: Apache-2.0
// Starting this very command at several places, through an MPI launcher.
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H

#include <stdbool.h>

// Whether a launcher has started this process.
bool launch_is_done(void);

// Becomes the launcher of `places` of this command, whose main() got `argv`; `mpi` is the setting
// of that name. Knows that `twill run` has an option --progress. Returns only when that cannot be, having said why, beginning with `name`.
void launch_places(const char *name, unsigned places, const char *mpi, char **argv);

#endif

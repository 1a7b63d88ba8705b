// SPDX-License-Identifier: Apache-2.0
// Starting this very command at several places, through an MPI launcher.
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H

#include <stdbool.h>

// Whether a launcher has started this process.
bool launch_is_done(void);

// The launcher for that setting `mpi`; NULL: none is here.
const char *launch_name(const char *mpi);

// Becomes the launcher of `places` of this command, whose main() got `argv` for `twill run`. Where
// stderr is a terminal they get --progress, since the launcher hides that from them. Returns only
// when that cannot be, having said why, beginning with `name`.
void launch_places(const char *name, unsigned places, const char *mpi, char **argv);

#endif

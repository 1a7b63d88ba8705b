// SPDX-License-Identifier: Apache-2.0
// The part of `twill demo` that runs at two places.
#ifndef CLI_DEMO_PLACES_H
#define CLI_DEMO_PLACES_H

// Searches the tree at two places of `workers` each, so often, and prints the best and who took
// tasks from whom; or a sentence that says why not. `sequential` is the time to compare with.
void demo_places(const char *tree, const char *mpi, unsigned workers, int rounds,
                 double sequential);

#endif

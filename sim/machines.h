// SPDX-License-Identifier: Apache-2.0
// The machine files that are built in: machines/*.machine, in a source that CMake writes.
#ifndef SIM_MACHINES_H
#define SIM_MACHINES_H

// NULL ends the names. A text has the number of its name.
extern const char *const sim_machine_builtin_names[];
extern const char *const sim_machine_builtin_texts[];

#endif

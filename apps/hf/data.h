// SPDX-License-Identifier: Apache-2.0
// The molecules and bases that are built in: apps/hf/data/*, in sources that CMake writes.
#ifndef APPS_HF_DATA_H
#define APPS_HF_DATA_H

// NULL ends the names. A text has the number of its name.
extern const char *const hf_molecule_builtin_names[];
extern const char *const hf_molecule_builtin_texts[];
extern const char *const hf_basis_builtin_names[];
extern const char *const hf_basis_builtin_texts[];

#endif

// SPDX-License-Identifier: Apache-2.0
// Molecules, bases, and what both together are: the functions that a calculation is about.
//
// All lengths are in bohr, all energies in hartree; files of molecules are in angstrom. A function
// is a sum of s Gaussians around one point; docs/hf.md has the formats of the files.
#ifndef APPS_HF_SYSTEM_H
#define APPS_HF_SYSTEM_H

#include <stddef.h>

#define HF_FUNCTIONS_MAX 16384
#define HF_PRIMITIVES_MAX 20           // of one function
#define HF_ANGSTROM 1.8897261246257702 // in bohr

struct hf_atom {
    unsigned charge; // of the nucleus
    double at[3];
};

struct hf_molecule {
    size_t atoms;
    struct hf_atom *atom;
};

// factor * exp(-exponent r^2)
struct hf_primitive {
    double exponent, factor;
};

// One function of an element: its primitives, `at` from the nucleus.
struct hf_shell {
    unsigned charge;
    double at[3];
    size_t first, count;
};

struct hf_basis {
    size_t shells, primitives;
    struct hf_shell *shell;
    struct hf_primitive *primitive; // functions are normalised
};

struct hf_function {
    size_t atom; // whose it is
    double at[3];
    size_t first, count; // primitives
};

struct hf_system {
    size_t atoms, functions, pairs; // pairs of electrons
    struct hf_atom *atom;
    struct hf_function *function;
    struct hf_primitive *primitive; // the basis's: functions of equal atoms share them
};

// What these refuse they explain in `message`: the file, the line and the reason. 0 or -1; after
// that there is nothing to free.

// `name` is a molecule that is built in, or else a file.
int hf_molecule_open(struct hf_molecule *molecule, const char *name, char *message, size_t size);
int hf_molecule_parse(struct hf_molecule *molecule, const char *source, const char *text,
                      char *message, size_t size);
// Beryllium atoms in a row, 4 bohr apart.
int hf_molecule_chain(struct hf_molecule *molecule, size_t atoms, char *message, size_t size);
void hf_molecule_free(struct hf_molecule *molecule);

int hf_basis_open(struct hf_basis *basis, const char *name, char *message, size_t size);
int hf_basis_parse(struct hf_basis *basis, const char *source, const char *text, char *message,
                   size_t size);
void hf_basis_free(struct hf_basis *basis);

// `charge` is the molecule's. Molecule and basis may be freed afterwards.
int hf_system_make(struct hf_system *system, const struct hf_molecule *molecule,
                   const struct hf_basis *basis, int charge, char *message, size_t size);
void hf_system_free(struct hf_system *system);

// The repulsion of the nuclei.
double hf_system_repulsion(const struct hf_system *system);

// 0: there is no such element up to argon.
unsigned hf_element_charge(const char *symbol);
const char *hf_element_symbol(unsigned charge);

#endif

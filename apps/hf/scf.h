// SPDX-License-Identifier: Apache-2.0
// The self-consistent field of closed shells: densities and Fock matrices in turn, until each gives
// the other.
#ifndef APPS_HF_SCF_H
#define APPS_HF_SCF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hf_system;
struct hf_tiles;
struct linear;

struct hf_iteration {
    double energy;  // of the molecule, with the density that the iteration began with
    double error;   // how far from self-consistent that density is
    double seconds; // of the Fock build
};

struct hf_scf {
    // in
    const struct hf_system *system;
    const struct linear *linear;
    size_t tile;
    unsigned iterations_max;
    bool goes_on; // builds the same again when it has converged, up to iterations_max
    // Fills `fock` with the two-electron part for this density. 0 or a TW_E... code, which ends it.
    int (*build)(void *builder, const struct hf_tiles *density, struct hf_tiles *fock);
    void *builder;
    struct hf_iteration *iteration; // room for iterations_max
    // out
    unsigned iterations;
    bool converged;
    double energy;
};

// 0; TW_ENOMEM; TW_EINVAL: the functions depend on each other, or a matrix cannot be diagonalised;
// or what build returned. Suspends if `build` does.
int hf_scf_run(struct hf_scf *scf);

#endif

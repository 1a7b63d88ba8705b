// SPDX-License-Identifier: Apache-2.0
// What a task of the Fock build computes: the repulsion of the pairs of four tiles.
#ifndef APPS_HF_QUARTET_H
#define APPS_HF_QUARTET_H

#include <stddef.h>

struct hf_screen;

// Tiles of matrices: screen->tile rows of as many doubles. Where they come from and go to is the
// caller's: matrices of this place or copies of another's. The Fock tiles may be the same one.
struct hf_operands {
    const double *density_kl, *density_jl;
    double *fock_ij, *fock_ik;
};

// For each integral g = (ij|kl) that survives F_ij += g D_kl and F_ik -= g D_jl / 2. Does not
// suspend; several threads may do it at once if each has Fock tiles of its own.
void hf_quartet(const struct hf_screen *screen, size_t i, size_t j, size_t k, size_t l,
                const struct hf_operands *operands);

#endif

// SPDX-License-Identifier: Apache-2.0
// Direct inversion in the iterative subspace (Pulay): the Fock matrix that the last ones promise.
#ifndef APPS_HF_DIIS_H
#define APPS_HF_DIIS_H

#include <stdbool.h>
#include <stddef.h>

struct linear;

#define HF_DIIS_MAX 8 // matrices that are kept at most

struct hf_diis {
    size_t size; // numbers in a matrix
    size_t most; // kept
    size_t count, next;
    double *fock, *error; // HF_DIIS_MAX each
};

// `freedom` is the dimension of the space in which errors are: where it is small, more of them than
// one above it would leave the equations without a definite answer. False: no memory.
bool hf_diis_make(struct hf_diis *diis, size_t size, size_t freedom);
void hf_diis_free(struct hf_diis *diis);

// Keeps `fock` and its error, and replaces `fock` by the combination of all that are kept whose
// error is least. Where that has no answer it is left alone, and the older ones are forgotten.
// 0 or TW_ENOMEM.
int hf_diis_step(struct hf_diis *diis, const struct linear *linear, double *fock,
                 const double *error);

#endif

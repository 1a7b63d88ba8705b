// SPDX-License-Identifier: Apache-2.0
// Direct inversion in the iterative subspace (Pulay): the Fock matrix that the last ones promise.
#ifndef APPS_HF_DIIS_H
#define APPS_HF_DIIS_H

#include <stdbool.h>
#include <stddef.h>

struct linear;

#define HF_DIIS_MAX 8 // matrices that are kept

struct hf_diis {
    size_t size; // numbers in a matrix
    size_t count, next;
    double *fock, *error; // HF_DIIS_MAX each
};

bool hf_diis_make(struct hf_diis *diis, size_t size); // false: no memory
void hf_diis_free(struct hf_diis *diis);

// Keeps `fock` and its error, and replaces `fock` by the combination of all that are kept whose
// error is least. Where that has no answer it is left alone, and the older ones are forgotten.
// 0 or TW_ENOMEM.
int hf_diis_step(struct hf_diis *diis, const struct linear *linear, double *fock,
                 const double *error);

#endif

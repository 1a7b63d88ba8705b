// SPDX-License-Identifier: Apache-2.0
// Linear algebra of dense matrices by LAPACK and BLAS, which are loaded at run time: no program of
// ours needs them to be built or to be started.
//
// Matrices are Fortran's: column after column, without gaps. Everything runs on the calling thread
// alone, also by OpenBLAS, whose own threads would take the workers' processors. Calls do not
// suspend and may come from several threads at once.
#ifndef APPS_LINEAR_H
#define APPS_LINEAR_H

#include <stdbool.h>
#include <stddef.h>

struct linear {
    const char *library; // what was loaded
    void *handle;
    void (*dsyevd)(const char *, const char *, const int *, double *, const int *, double *,
                   double *, const int *, int *, const int *, int *, size_t, size_t);
    void (*dgesv)(const int *, const int *, double *, const int *, int *, double *, const int *,
                  int *);
    void (*dgemm)(const char *, const char *, const int *, const int *, const int *, const double *,
                  const double *, const int *, const double *, const int *, const double *,
                  double *, const int *, size_t, size_t);
};

// Loads the first of these that is there, or of the usual ones where `libraries` is NULL (a NULL
// ends them). False: none is; `message` says what to install.
bool linear_open(struct linear *linear, const char *const *libraries, char *message, size_t size);
void linear_close(struct linear *linear);

// The eigenvectors of the symmetric matrix `a` in place of it, a column each, and their values in
// ascending order. 0, TW_ENOMEM, or TW_EINVAL: there was no convergence, or a number is none.
int linear_eigen(const struct linear *linear, size_t n, double *a, double *values);

// Solves a x = b for one b, in place; `a` is destroyed. 0, TW_ENOMEM, or TW_EINVAL: singular.
int linear_solve(const struct linear *linear, size_t n, double *a, double *b);

// c = scale * a * b, where `a` is m by k, or its transpose is ('T' instead of 'N'); b likewise k by
// n.
void linear_multiply(const struct linear *linear, char turn_a, char turn_b, size_t m, size_t n,
                     size_t k, double scale, const double *a, const double *b, double *c);

#endif

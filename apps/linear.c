// SPDX-License-Identifier: Apache-2.0
// See linear.h. OpenBLAS holds both libraries and is many times as fast as the reference ones.
#include "apps/linear.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <twill/runtime.h>

static const char *const usual[] = {"libopenblas.so.0", "liblapack.so.3", NULL};

// Fortran's names. A library finds what it needs itself, so that liblapack gives us BLAS as well.
static bool find_symbols(struct linear *linear)
{
    *(void **)&linear->dsyevd = dlsym(linear->handle, "dsyevd_");
    *(void **)&linear->dgesv = dlsym(linear->handle, "dgesv_");
    *(void **)&linear->dgemm = dlsym(linear->handle, "dgemm_");
    return linear->dsyevd && linear->dgesv && linear->dgemm;
}

// OpenBLAS may as well stand behind the name of the reference library.
static void stay_on_this_thread(const struct linear *linear)
{
    void (*set_threads)(int);
    *(void **)&set_threads = dlsym(linear->handle, "openblas_set_num_threads");
    if (set_threads)
        set_threads(1);
}

bool linear_open(struct linear *linear, const char *const *libraries, char *message, size_t size)
{
    if (!libraries)
        libraries = usual;
    for (size_t i = 0; libraries[i]; i++) {
        linear->library = libraries[i];
        linear->handle = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
        if (!linear->handle)
            continue;
        if (find_symbols(linear)) {
            stay_on_this_thread(linear);
            return true;
        }
        dlclose(linear->handle);
    }
    int used = snprintf(message, size, "LAPACK is not installed: looked for");
    for (size_t i = 0; libraries[i] && used >= 0 && (size_t)used < size; i++)
        used += snprintf(message + used, size - (size_t)used, "%s %s", i ? "," : "", libraries[i]);
    if (used >= 0 && (size_t)used < size)
        snprintf(message + used, size - (size_t)used,
                 "; on Debian 'apt-get install libopenblas0-pthread' brings it");
    return false;
}

void linear_close(struct linear *linear)
{
    dlclose(linear->handle);
}

int linear_eigen(const struct linear *linear, size_t n, double *a, double *values)
{
    int order = (int)n, ask = -1, work_count, index_count, failed = 0;
    double work_wanted;
    linear->dsyevd("V", "U", &order, a, &order, values, &work_wanted, &ask, &index_count, &ask,
                   &failed, 1, 1);
    work_count = (int)work_wanted;
    double *work = malloc((size_t)work_count * sizeof *work);
    int *index = malloc((size_t)index_count * sizeof *index);
    if (work && index)
        linear->dsyevd("V", "U", &order, a, &order, values, work, &work_count, index, &index_count,
                       &failed, 1, 1);
    int error = !work || !index ? TW_ENOMEM : failed ? TW_EINVAL : 0;
    free(work);
    free(index);
    return error;
}

int linear_solve(const struct linear *linear, size_t n, double *a, double *b)
{
    int order = (int)n, one = 1, failed = 0;
    int *pivots = malloc(n * sizeof *pivots);
    if (!pivots)
        return TW_ENOMEM;
    linear->dgesv(&order, &one, a, &order, pivots, b, &order, &failed);
    free(pivots);
    return failed ? TW_EINVAL : 0;
}

void linear_multiply(const struct linear *linear, char turn_a, char turn_b, size_t m, size_t n,
                     size_t k, double scale, const double *a, const double *b, double *c)
{
    int rows = (int)m, columns = (int)n, inner = (int)k;
    double nothing = 0;
    linear->dgemm(&turn_a, &turn_b, &rows, &columns, &inner, &scale, a,
                  turn_a == 'N' ? &rows : &inner, b, turn_b == 'N' ? &inner : &columns, &nothing, c,
                  &rows, 1, 1);
}

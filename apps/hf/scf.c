// SPDX-License-Identifier: Apache-2.0
// See scf.h. All matrices are symmetric but for the orbitals, so that it does not matter whether
// they stand row by row or column by column.
#include "apps/hf/scf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twill/runtime.h>

#include "apps/app.h"
#include "apps/hf/diis.h"
#include "apps/hf/integral.h"
#include "apps/hf/system.h"
#include "apps/hf/tiles.h"
#include "apps/linear.h"

#define CONVERGED 1e-7     // the largest element of the error; the energy's is its square
#define OVERLAP_LEAST 1e-8 // eigenvalue of the overlap; below, functions depend on each other

// Orbitals without electrons are lifted by this much while the error is large: the mixture of
// occupied and empty ones that the core's guess begins with makes long chains swing otherwise.
#define SHIFT 0.3
#define SHIFTED_ABOVE 0.05

struct field {
    const struct hf_scf *scf;
    size_t n;
    // Each n by n: overlap, its inverse root, what one electron alone feels, the Fock matrix, the
    // density, three for what lies between. And the values that belong to eigenvectors.
    double *overlap, *root, *core, *fock, *density, *a, *b, *c, *values;
    struct hf_tiles density_tiles, fock_tiles;
    struct hf_diis diis;
    double repulsion;
};

static void release(struct field *field)
{
    hf_diis_free(&field->diis);
    hf_tiles_free(&field->density_tiles);
    hf_tiles_free(&field->fock_tiles);
    free(field->overlap);
}

static int allocate(struct field *field)
{
    size_t n = field->n, size = n * n;
    field->overlap = malloc((8 * size + n) * sizeof *field->overlap);
    size_t pairs = field->scf->system->pairs;
    bool made = hf_diis_make(&field->diis, size, pairs * (n - pairs));
    made = hf_tiles_make(&field->density_tiles, n, field->scf->tile) && made;
    made = hf_tiles_make(&field->fock_tiles, n, field->scf->tile) && made;
    if (!made || !field->overlap) {
        release(field);
        return TW_ENOMEM;
    }
    double **matrices[] = {&field->root, &field->core, &field->fock, &field->density,
                           &field->a,    &field->b,    &field->c,    &field->values};
    for (size_t i = 0; i < 8; i++)
        *matrices[i] = field->overlap + (i + 1) * size;
    return 0;
}

static void multiply(const struct field *field, const double *a, const double *b, double *c)
{
    linear_multiply(field->scf->linear, 'N', 'N', field->n, field->n, field->n, 1, a, b, c);
}

// What depends on the functions alone; or what would if there were nothing but the atom of each.
static void fill_integrals(struct field *field, bool alone)
{
    const struct hf_system *system = field->scf->system;
    for (size_t i = 0; i < field->n; i++)
        for (size_t j = 0; j <= i; j++) {
            size_t at = i * field->n + j, mirrored = j * field->n + i;
            double overlap = 0, core = 0;
            if (!alone || system->function[i].atom == system->function[j].atom) {
                overlap = hf_overlap(system, i, j);
                core = hf_kinetic(system, i, j) +
                       (alone ? hf_attraction_own : hf_attraction)(system, i, j);
            }
            field->overlap[at] = field->overlap[mirrored] = overlap;
            field->core[at] = field->core[mirrored] = core;
        }
}

// root = S^(-1/2): the eigenvectors U with each column over the fourth root of its value, times the
// transpose of the same.
static int find_root(struct field *field)
{
    size_t n = field->n;
    memcpy(field->a, field->overlap, n * n * sizeof *field->a);
    int error = linear_eigen(field->scf->linear, n, field->a, field->values);
    if (error)
        return error;
    if (field->values[0] < OVERLAP_LEAST)
        return TW_EINVAL;
    for (size_t column = 0; column < n; column++) {
        double scale = pow(field->values[column], -0.25);
        for (size_t row = 0; row < n; row++)
            field->a[column * n + row] *= scale;
    }
    linear_multiply(field->scf->linear, 'N', 'T', n, n, n, 1, field->a, field->a, field->root);
    return 0;
}

// fock += SHIFT (S - SDS / 2), where D is the density before.
static void shift(struct field *field)
{
    multiply(field, field->overlap, field->density, field->a);
    multiply(field, field->a, field->overlap, field->b);
    for (size_t i = 0; i < field->n * field->n; i++)
        field->fock[i] += SHIFT * (field->overlap[i] - field->b[i] / 2);
}

// The density of the lowest orbitals of a Fock matrix: F C = S C e through C = root C'.
static int find_density(struct field *field)
{
    multiply(field, field->root, field->fock, field->b);
    multiply(field, field->b, field->root, field->a);
    int error = linear_eigen(field->scf->linear, field->n, field->a, field->values);
    if (error)
        return error;
    multiply(field, field->root, field->a, field->c);
    linear_multiply(field->scf->linear, 'N', 'T', field->n, field->n, field->scf->system->pairs, 2,
                    field->c, field->c, field->density);
    return 0;
}

// fock = core + what the builder makes of the density, the same on both sides of the diagonal.
static int find_fock(struct field *field)
{
    size_t n = field->n;
    hf_tiles_load(&field->density_tiles, field->density);
    int error = field->scf->build(field->scf->builder, &field->density_tiles, &field->fock_tiles);
    hf_tiles_store(&field->fock_tiles, field->a);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            field->fock[i * n + j] =
                field->core[i * n + j] + (field->a[i * n + j] + field->a[j * n + i]) / 2;
    return error;
}

static double energy_of(const struct field *field)
{
    double sum = 0;
    for (size_t i = 0; i < field->n * field->n; i++)
        sum += field->density[i] * (field->core[i] + field->fock[i]);
    return field->repulsion + sum / 2;
}

// FDS - SDF in the basis of the root, left in `a`: zero when density and Fock matrix fit. Its
// largest element.
static double find_error(struct field *field)
{
    size_t n = field->n;
    double largest = 0;
    multiply(field, field->fock, field->density, field->a);
    multiply(field, field->a, field->overlap, field->b);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            field->a[i * n + j] = field->b[i * n + j] - field->b[j * n + i];
    multiply(field, field->root, field->a, field->b);
    multiply(field, field->b, field->root, field->a);
    for (size_t i = 0; i < n * n; i++)
        largest = fmax(largest, fabs(field->a[i]));
    return largest;
}

// With the density that is there; one that fits stays.
static int iterate(struct field *field, struct hf_iteration *iteration)
{
    uint64_t start = app_now_ns();
    int error = find_fock(field);
    if (error)
        return error;
    iteration->seconds = (double)(app_now_ns() - start) / 1e9;
    iteration->energy = energy_of(field);
    iteration->error = find_error(field);
    if (field->scf->converged)
        return 0;
    error = hf_diis_step(&field->diis, field->scf->linear, field->fock, field->a);
    if (!error && iteration->error > SHIFTED_ABOVE)
        shift(field);
    return error;
}

// Whether every atom alone has closed shells, as far as a sum of charges can tell.
static bool atoms_are_closed(const struct hf_system *system)
{
    for (size_t i = 0; i < system->atoms; i++)
        if (system->atom[i].charge % 2 != 0)
            return false;
    return true;
}

// The orbitals of bare nuclei, each atom's by itself where that can be: those of all together would
// put the electrons of a long chain in its middle.
static int guess(struct field *field)
{
    bool alone = atoms_are_closed(field->scf->system);
    fill_integrals(field, alone);
    int error = find_root(field);
    if (error)
        return error;
    memcpy(field->fock, field->core, field->n * field->n * sizeof *field->fock);
    error = find_density(field);
    if (error || !alone)
        return error;
    fill_integrals(field, false);
    return find_root(field);
}

static int run(struct field *field, struct hf_scf *scf)
{
    field->repulsion = hf_system_repulsion(scf->system);
    int error = guess(field);
    while (!error && (!scf->converged || scf->goes_on) && scf->iterations < scf->iterations_max) {
        struct hf_iteration *iteration = &scf->iteration[scf->iterations];
        error = scf->iterations && !scf->converged ? find_density(field) : 0;
        if (!error)
            error = iterate(field, iteration);
        scf->iterations++;
        scf->energy = iteration->energy;
        scf->converged |= iteration->error < CONVERGED;
    }
    return error;
}

int hf_scf_run(struct hf_scf *scf)
{
    struct field field = {.scf = scf, .n = scf->system->functions};
    scf->iterations = 0;
    scf->converged = false;
    scf->energy = 0;
    int error = allocate(&field);
    if (error)
        return error;
    error = run(&field, scf);
    release(&field);
    return error;
}

// SPDX-License-Identifier: Apache-2.0
// Functions of a molecule's atoms, and its electrons.
#include "apps/hf/system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How many functions the basis has for an element.
static size_t shells_of(const struct hf_basis *basis, unsigned charge)
{
    size_t count = 0;
    for (size_t i = 0; i < basis->shells; i++)
        count += basis->shell[i].charge == charge;
    return count;
}

// 0: it cannot be done, as `message` says.
static size_t count_functions(const struct hf_molecule *molecule, const struct hf_basis *basis,
                              char *message, size_t size)
{
    size_t functions = 0;
    for (size_t i = 0; i < molecule->atoms; i++) {
        size_t more = shells_of(basis, molecule->atom[i].charge);
        if (more == 0) {
            snprintf(message, size, "the basis has no functions for %s",
                     hf_element_symbol(molecule->atom[i].charge));
            return 0;
        }
        functions += more;
    }
    if (functions <= HF_FUNCTIONS_MAX)
        return functions;
    snprintf(message, size, "%zu functions, but at most %d are possible", functions,
             HF_FUNCTIONS_MAX);
    return 0;
}

static int count_pairs(const struct hf_molecule *molecule, int charge, size_t functions,
                       size_t *pairs, char *message, size_t size)
{
    long electrons = -(long)charge;
    for (size_t i = 0; i < molecule->atoms; i++)
        electrons += molecule->atom[i].charge;
    if (electrons < 2 || electrons % 2 != 0) {
        snprintf(message, size,
                 "with charge %d there are %ld electrons: closed shells need an even number, 2 at "
                 "least",
                 charge, electrons);
        return -1;
    }
    *pairs = (size_t)electrons / 2;
    if (*pairs <= functions)
        return 0;
    snprintf(message, size, "%ld electrons do not fit into %zu functions", electrons, functions);
    return -1;
}

static void place_functions(struct hf_system *system, const struct hf_basis *basis)
{
    struct hf_function *next = system->function;
    for (size_t i = 0; i < system->atoms; i++)
        for (size_t j = 0; j < basis->shells; j++) {
            const struct hf_shell *shell = &basis->shell[j];
            if (shell->charge != system->atom[i].charge)
                continue;
            for (int axis = 0; axis < 3; axis++)
                next->at[axis] = system->atom[i].at[axis] + shell->at[axis];
            next->atom = i;
            next->first = shell->first;
            next++->count = shell->count;
        }
}

int hf_system_make(struct hf_system *system, const struct hf_molecule *molecule,
                   const struct hf_basis *basis, int charge, char *message, size_t size)
{
    size_t functions = count_functions(molecule, basis, message, size), pairs;
    if (functions == 0 || count_pairs(molecule, charge, functions, &pairs, message, size) != 0)
        return -1;
    *system = (struct hf_system){
        .atoms = molecule->atoms,
        .functions = functions,
        .pairs = pairs,
        .atom = malloc(molecule->atoms * sizeof *system->atom),
        .function = malloc(functions * sizeof *system->function),
        .primitive = malloc(basis->primitives * sizeof *system->primitive),
    };
    if (!system->atom || !system->function || !system->primitive) {
        hf_system_free(system);
        snprintf(message, size, "no memory for %zu functions", functions);
        return -1;
    }
    memcpy(system->atom, molecule->atom, molecule->atoms * sizeof *system->atom);
    memcpy(system->primitive, basis->primitive, basis->primitives * sizeof *system->primitive);
    place_functions(system, basis);
    return 0;
}

void hf_system_free(struct hf_system *system)
{
    free(system->atom);
    free(system->function);
    free(system->primitive);
}

double hf_system_repulsion(const struct hf_system *system)
{
    double energy = 0;
    for (size_t i = 0; i < system->atoms; i++)
        for (size_t j = 0; j < i; j++) {
            const double *a = system->atom[i].at, *b = system->atom[j].at;
            double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
            energy += system->atom[i].charge * system->atom[j].charge / sqrt(x * x + y * y + z * z);
        }
    return energy;
}

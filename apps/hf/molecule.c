// SPDX-License-Identifier: Apache-2.0
// Molecules: chains, and files in the format xyz.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/hf/data.h"
#include "apps/hf/system.h"
#include "apps/lines.h"

#define CHAIN_STEP 4.0
#define ATOMS_MAX 4096
#define NEAREST 1e-3 // atoms that are closer are taken to be the same one written twice

static const char *const symbols[] = {
    "H",  "He", "Li", "Be", "B",  "C", "N", "O",  "F",
    "Ne", "Na", "Mg", "Al", "Si", "P", "S", "Cl", "Ar",
};
enum { SYMBOLS = sizeof symbols / sizeof symbols[0] };

unsigned hf_element_charge(const char *symbol)
{
    for (unsigned i = 0; i < SYMBOLS; i++)
        if (strcmp(symbols[i], symbol) == 0)
            return i + 1;
    return 0;
}

const char *hf_element_symbol(unsigned charge)
{
    return symbols[charge - 1];
}

static int allocate(struct hf_molecule *molecule, size_t atoms, char *message, size_t size)
{
    molecule->atoms = atoms;
    molecule->atom = calloc(atoms, sizeof *molecule->atom);
    if (molecule->atom)
        return 0;
    snprintf(message, size, "no memory for %zu atoms", atoms);
    return -1;
}

int hf_molecule_chain(struct hf_molecule *molecule, size_t atoms, char *message, size_t size)
{
    if (allocate(molecule, atoms, message, size) != 0)
        return -1;
    for (size_t i = 0; i < atoms; i++)
        molecule->atom[i] = (struct hf_atom){.charge = 4, .at = {CHAIN_STEP * (double)i, 0, 0}};
    return 0;
}

void hf_molecule_free(struct hf_molecule *molecule)
{
    free(molecule->atom);
}

// ---- xyz ----

static int parse_count(struct app_lines *lines, size_t *atoms)
{
    uint64_t count;
    int found = app_lines_next(lines);
    if (found < 0)
        return -1;
    if (found == 0)
        return app_lines_complain(lines, "the file is empty: it begins with the number of atoms");
    if (!app_lines_number(lines->text, &count) || count < 1 || count > ATOMS_MAX)
        return app_lines_complain(lines, "'%.40s' is no number of atoms: give 1 to %d", lines->text,
                                  ATOMS_MAX);
    *atoms = (size_t)count;
    return 0;
}

static int parse_atom(struct app_lines *lines, struct hf_atom *atom)
{
    char *words[4];
    if (app_lines_words(lines->text, words, 4) != 4)
        return app_lines_complain(lines, "an atom is an element and x, y, z in angstrom");
    atom->charge = hf_element_charge(words[0]);
    if (atom->charge == 0)
        return app_lines_complain(lines, "there is no element '%.40s': give H to Ar", words[0]);
    for (int axis = 0; axis < 3; axis++) {
        if (!app_lines_real(words[axis + 1], &atom->at[axis]))
            return app_lines_complain(lines, "'%.40s' is no coordinate", words[axis + 1]);
        atom->at[axis] *= HF_ANGSTROM;
    }
    return 0;
}

static double distance2(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

static int parse_atoms(struct app_lines *lines, struct hf_molecule *molecule)
{
    for (size_t i = 0; i < molecule->atoms; i++) {
        int found = app_lines_next(lines);
        if (found < 0)
            return -1;
        if (found == 0)
            return app_lines_complain(lines, "the file ends after %zu of %zu atoms", i,
                                      molecule->atoms);
        if (parse_atom(lines, &molecule->atom[i]) != 0)
            return -1;
        for (size_t j = 0; j < i; j++)
            if (distance2(molecule->atom[i].at, molecule->atom[j].at) < NEAREST * NEAREST)
                return app_lines_complain(lines, "this atom is where atom %zu is", j + 1);
    }
    int found = app_lines_next(lines);
    if (found > 0)
        return app_lines_complain(lines, "more than the %zu atoms that line 1 tells of",
                                  molecule->atoms);
    return found;
}

int hf_molecule_parse(struct hf_molecule *molecule, const char *source, const char *text,
                      char *message, size_t size)
{
    struct app_lines lines = {.source = source, .rest = text, .message = message, .size = size};
    size_t atoms = 0;
    if (parse_count(&lines, &atoms) != 0 || allocate(molecule, atoms, message, size) != 0)
        return -1;
    app_lines_skip(&lines); // the title
    if (parse_atoms(&lines, molecule) == 0)
        return 0;
    hf_molecule_free(molecule);
    return -1;
}

int hf_molecule_open(struct hf_molecule *molecule, const char *name, char *message, size_t size)
{
    for (size_t i = 0; hf_molecule_builtin_names[i]; i++)
        if (strcmp(hf_molecule_builtin_names[i], name) == 0)
            return hf_molecule_parse(molecule, name, hf_molecule_builtin_texts[i], message, size);
    char *text = app_lines_read(name, message, size);
    int error = text ? hf_molecule_parse(molecule, name, text, message, size) : -1;
    free(text);
    return error;
}

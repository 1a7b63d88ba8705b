// SPDX-License-Identifier: Apache-2.0
// Table 1 of the paper on persistence-based balancing: how many tasks its applications have, and
// how many of them are not null.
#include <string.h>

#include "apps/hf/screen.h"
#include "apps/hf/system.h"
#include "apps/hf/tasks.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/reproduce.h"

#define SCREEN 1e-6

// A column of the table; what the paper prints has three digits.
static const struct column {
    const char *system;
    size_t atoms; // 0: the tensor contraction
    size_t tile;
    const char *total, *non_null;
} columns[] = {
    {"HF-Be256", 256, 40, "84.9M", "213K"},
    {"HF-Be512", 512, 20, "21.7B", "9.10M"},
    {"HF-Be512", 512, 40, "1.36B", "862K"},
    {"TCE", 0, 20, "470K", "470K"},
};

// 862488 as 862K.
static void three_digits(char *text, size_t size, uint64_t value)
{
    static const char units[] = " KMBT";
    double scaled = (double)value;
    size_t unit = 0;
    for (; scaled >= 999.5 && units[unit + 1]; unit++)
        scaled /= 1000;
    int digits = scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0;
    snprintf(text, size, "%.*f%.1s", digits, scaled, unit ? &units[unit] : "");
}

// ---- Hartree-Fock: quartets of tiles ----

static int count_chain(const struct hf_system *system, size_t tile, uint64_t *total,
                       uint64_t *non_null)
{
    struct hf_screen screen;
    int error = hf_screen_make(&screen, system, tile, SCREEN);
    if (error)
        return error;
    uint64_t tiles = screen.tiles;
    *total = tiles * tiles * tiles * tiles;
    error = hf_tasks_count(&screen, non_null);
    hf_screen_free(&screen);
    return error;
}

static bool count_atoms(const struct column *column, uint64_t *total, uint64_t *non_null)
{
    char message[256] = "no memory";
    struct hf_molecule molecule;
    struct hf_basis basis;
    struct hf_system system;
    int error = hf_molecule_chain(&molecule, column->atoms, message, sizeof message);
    if (!error) {
        error = hf_basis_open(&basis, "be-chain", message, sizeof message);
        if (!error) {
            error = hf_system_make(&system, &molecule, &basis, 0, message, sizeof message);
            hf_basis_free(&basis);
        }
        hf_molecule_free(&molecule);
    }
    if (!error) {
        error = count_chain(&system, column->tile, total, non_null);
        hf_system_free(&system);
    }
    if (error)
        fprintf(stderr, "twill reproduce: table1: %s: %s\n", column->system, message);
    return !error;
}

// ---- the contraction C[i,j,k,l] += A[i,j,a,b] B[a,b,k,l] ----

// Each index has four blocks, cut into tiles. The number of a block is its irrep, an element of a
// group whose product is the exclusive or; a tile of C is other than zero where the product of its
// irreps is the identity, and then it is a task.
static uint64_t count_contraction(size_t tile)
{
    static const size_t blocks[] = {240, 180, 100, 210};
    unsigned irrep[730];
    size_t tiles = 0;
    uint64_t count = 0;
    for (unsigned block = 0; block < 4; block++)
        for (size_t begin = 0; begin < blocks[block]; begin += tile)
            irrep[tiles++] = block;
    for (size_t i = 0; i < tiles; i++)
        for (size_t j = 0; j < tiles; j++)
            for (size_t k = 0; k < tiles; k++)
                for (size_t l = 0; l < tiles; l++)
                    count += (irrep[i] ^ irrep[j] ^ irrep[k] ^ irrep[l]) == 0;
    return count;
}

static bool count(const struct column *column, uint64_t *total, uint64_t *non_null)
{
    if (column->atoms)
        return count_atoms(column, total, non_null);
    *total = *non_null = count_contraction(column->tile);
    return true;
}

// ---- output ----

static bool agrees(uint64_t value, const char *printed)
{
    char text[32];
    three_digits(text, sizeof text, value);
    return strcmp(text, printed) == 0;
}

static void print_row(const struct column *column, const char *what, uint64_t value,
                      const char *printed)
{
    char number[NUMBER_MAX];
    printf("  %-10s%6zu  %-16s%18s%10s   %s\n", column->system, column->tile, what,
           text_number(number, value), printed, agrees(value, printed) ? "agrees" : "DIFFERS");
}

static void write_column(struct json *json, const struct column *column, uint64_t total,
                         uint64_t non_null, bool same)
{
    json_object(json, NULL);
    json_text(json, "system", column->system);
    json_count(json, "tile", column->tile);
    json_count(json, "total", total);
    json_text(json, "paper_total", column->total);
    json_count(json, "non_null", non_null);
    json_text(json, "paper_non_null", column->non_null);
    json_text(json, "verdict", same ? "agrees" : "differs");
    json_close(json);
}

static bool run_column(struct reproduction *reproduction, const struct column *column)
{
    uint64_t total, non_null;
    if (!count(column, &total, &non_null))
        return false;
    bool same = agrees(total, column->total) && agrees(non_null, column->non_null);
    if (reproduction->json) {
        write_column(reproduction->json, column, total, non_null, same);
    } else {
        print_row(column, "total tasks", total, column->total);
        print_row(column, "non-null tasks", non_null, column->non_null);
    }
    reproduction->differs |= !same;
    return true;
}

static bool run(struct reproduction *reproduction)
{
    if (reproduction->json)
        json_array(reproduction->json, "table1");
    else
        printf("Table 1: tasks of the first iteration and of the following ones\n  %-10s%6s  %-16s"
               "%18s%10s   %s\n",
               "system", "tile", "", "here", "paper", "verdict");
    bool done = true;
    for (size_t i = 0; done && i < sizeof columns / sizeof columns[0]; i++)
        done = run_column(reproduction, &columns[i]);
    if (reproduction->json)
        json_close(reproduction->json);
    return done;
}

const struct reproduce_section reproduce_table1 = {
    .name = "table1",
    .summary = "how many tasks the applications have, and how many are not null",
    .run = run,
};

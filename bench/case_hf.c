// SPDX-License-Identifier: Apache-2.0
// Fock builds of a chain of <size> beryllium atoms, in seconds; the check is how many integrals
// they have. `hf_tasks` is by a collection of tasks, in a pool, each run an iteration of retentive
// stealing; `hf_plain` has the same tasks one after the other, without Twill; `hf_portable`
// likewise, with the loops that any processor can run; `hf_straight` computes each integral from
// exponents and centres.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/hf/build.h"
#include "apps/hf/system.h"
#include "cases.h"
#include "hf_straight.h"

#define TILE 10
#define TOLERANCE 1e-6
#define AGREED 1e-9 // elements of Fock matrices

typedef int build(const struct hf_fock *fock, const struct hf_tiles *density,
                  struct hf_tiles *result);

// What is there before a build is measured. One a process, made by its first run.
struct chain {
    struct hf_system system;
    struct hf_fock fock;
    struct hf_tiles density, result;
    struct hf_tiles right; // the result by another way
};

static void open_system(struct hf_system *system, long atoms)
{
    char message[512];
    struct hf_molecule molecule;
    struct hf_basis basis;
    if (hf_molecule_chain(&molecule, (size_t)atoms, message, sizeof message) != 0 ||
        hf_basis_open(&basis, "be-chain", message, sizeof message) != 0 ||
        hf_system_make(system, &molecule, &basis, 0, message, sizeof message) != 0) {
        fprintf(stderr, "serve: %s\n", message);
        exit(1);
    }
    hf_molecule_free(&molecule);
    hf_basis_free(&basis);
}

// Any that is symmetric: what is computed does not depend on it.
static void fill(struct hf_tiles *density)
{
    size_t n = density->n;
    double *rows = malloc(n * n * sizeof *rows);
    if (!rows)
        twb_require(TW_ENOMEM);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            rows[i * n + j] = 1 / (1 + fabs((double)i - (double)j));
    hf_tiles_load(density, rows);
    free(rows);
}

static void open_chain(struct chain *chain, long atoms, build *other)
{
    open_system(&chain->system, atoms);
    twb_require(hf_fock_make(&chain->fock, &chain->system, TILE, TOLERANCE, NULL));
    size_t functions = chain->system.functions;
    if (!hf_tiles_make(&chain->density, functions, TILE) ||
        !hf_tiles_make(&chain->result, functions, TILE) ||
        !hf_tiles_make(&chain->right, functions, TILE))
        twb_require(TW_ENOMEM);
    fill(&chain->density);
    twb_require(other(&chain->fock, &chain->density, &chain->right));
}

static uint64_t check(const struct chain *chain)
{
    for (size_t i = 0; i < hf_tiles_size(&chain->right); i++)
        if (!(fabs(chain->right.data[i] - chain->result.data[i]) <= AGREED))
            return 0;
    return chain->fock.tasks.integrals;
}

// `other` is what it is compared with; `row` takes the place of the fastest, unless it is NULL.
static struct twb_answer run(const struct twb_job *job, build *measured, build *other, hf_row *row)
{
    static struct chain chain;
    if (!chain.right.data)
        open_chain(&chain, job->size, other);
    if (row)
        chain.fock.screen.row = row;
    double begun = twb_seconds();
    twb_require(measured(&chain.fock, &chain.density, &chain.result));
    double seconds = twb_seconds() - begun;
    return (struct twb_answer){seconds, check(&chain)};
}

// The collection is kept, as from iteration to iteration.
static int build_by_tasks(const struct hf_fock *fock, const struct hf_tiles *density,
                          struct hf_tiles *result)
{
    const struct hf_plan plan = {.balance = TW_BALANCE_RETENTIVE};
    static struct hf_build tasks;
    static struct tw_collection_stats stats[2];
    int error = tasks.fock ? 0 : hf_build_open(&tasks, fock, plan, stats);
    if (!error)
        error = hf_build_lead(&tasks, density, result);
    tasks.builds = 1; // the first one's statistics are not needed
    return error;
}

// The first run opens the collection and is not measured.
static struct twb_answer run_tasks(const struct twb_job *job)
{
    return run(job, build_by_tasks, twb_hf_straight, NULL);
}

static struct twb_answer run_plain(const struct twb_job *job)
{
    return run(job, hf_fock_plain, twb_hf_straight, NULL);
}

static struct twb_answer run_portable(const struct twb_job *job)
{
    return run(job, hf_fock_plain, twb_hf_straight, hf_row_portable);
}

static struct twb_answer run_straight(const struct twb_job *job)
{
    return run(job, twb_hf_straight, hf_fock_plain, NULL);
}

const struct twb_case twb_hf_pool_cases[] = {
    {"hf_tasks", run_tasks},
    {NULL, NULL},
};

const struct twb_case twb_hf_cases[] = {
    {"hf_plain", run_plain},
    {"hf_portable", run_portable},
    {"hf_straight", run_straight},
    {NULL, NULL},
};

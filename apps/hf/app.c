// SPDX-License-Identifier: Apache-2.0
// `twill run hf`.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twill/twill.h>

#include "apps/app.h"
#include "apps/hf/fock.h"
#include "apps/hf/scf.h"
#include "apps/hf/system.h"
#include "apps/linear.h"

#define ATOMS 4            // unless said otherwise
#define AGREED 1e-8        // energies
#define CHECKED_MAX 1e9    // integrals that are computed again for a check, unless it is asked for
#define STRAIGHT_COST 10.0 // how much longer an integral takes by the straight formula

struct settings {
    uint64_t atoms; // 0: not given
    const char *geometry, *basis;
    double charge;
    uint64_t tile, iterations;
    double screen;
};

static const struct cli_option options[] = {
    {"atoms", "N", "a chain of so many beryllium atoms (4)", CLI_COUNT,
     offsetof(struct settings, atoms), 1, 1000, NULL},
    {"geometry", "FILE", "a molecule instead: h2, he, heh+, or a file in the format xyz", CLI_TEXT,
     offsetof(struct settings, geometry), 0, 0, NULL},
    {"basis", "FILE",
     "its functions: be-chain, sto-3g, or a file (be-chain for chains, else sto-3g)", CLI_TEXT,
     offsetof(struct settings, basis), 0, 0, NULL},
    {"charge", "N", "of the molecule (0)", CLI_REAL, offsetof(struct settings, charge), -1000, 1000,
     NULL},
    {"tile", "N", "functions in a tile; a task is a quartet of them (10)", CLI_COUNT,
     offsetof(struct settings, tile), 1, HF_TILE_MAX, NULL},
    {"screen", "BOUND", "leave out integrals that are known to be smaller; 0: none (1e-6)",
     CLI_REAL, offsetof(struct settings, screen), 0, 1, NULL},
    {"iterations", "N", "stop after so many, converged or not (100)", CLI_COUNT,
     offsetof(struct settings, iterations), 1, 10000, NULL},
    {.name = NULL},
};

static void defaults(void *settings)
{
    *(struct settings *)settings = (struct settings){.tile = 10, .iterations = 100, .screen = 1e-6};
}

struct calculation {
    struct linear linear;
    struct hf_system system;
    struct hf_fock fock;
    struct hf_scf scf;
};

// ---- what to calculate ----

static int make_system(const struct settings *settings, struct hf_system *system, char *message,
                       size_t size)
{
    struct hf_molecule molecule;
    struct hf_basis basis;
    const char *basis_name = settings->basis      ? settings->basis
                             : settings->geometry ? "sto-3g"
                                                  : "be-chain";
    int error = settings->geometry
                    ? hf_molecule_open(&molecule, settings->geometry, message, size)
                    : hf_molecule_chain(&molecule, settings->atoms ? settings->atoms : ATOMS,
                                        message, size);
    if (error)
        return error;
    error = hf_basis_open(&basis, basis_name, message, size);
    if (!error) {
        error = hf_system_make(system, &molecule, &basis, (int)settings->charge, message, size);
        hf_basis_free(&basis);
    }
    hf_molecule_free(&molecule);
    return error;
}

static enum app_outcome refuse(struct app_run *run, const char *message)
{
    snprintf(run->message, sizeof run->message, "%s", message);
    return APP_REFUSED;
}

static enum app_outcome prepare(const struct settings *settings, struct app_run *run,
                                struct calculation *it)
{
    if (settings->atoms && settings->geometry)
        return refuse(run, "--atoms and --geometry: give one of them");
    if (settings->charge != floor(settings->charge))
        return refuse(run, "--charge: a molecule has a whole number of electrons");
    if (make_system(settings, &it->system, run->message, sizeof run->message) != 0)
        return APP_REFUSED;
    if (!linear_open(&it->linear, NULL, run->message, sizeof run->message)) {
        hf_system_free(&it->system);
        return APP_FAILED;
    }
    struct hf_iteration *iteration = calloc(settings->iterations, sizeof *iteration);
    run->error = iteration ? hf_fock_make(&it->fock, &it->system, settings->tile, settings->screen)
                           : TW_ENOMEM;
    if (run->error) {
        free(iteration);
        linear_close(&it->linear);
        hf_system_free(&it->system);
        return APP_FAILED;
    }
    it->scf = (struct hf_scf){.system = &it->system,
                              .linear = &it->linear,
                              .tile = settings->tile,
                              .iterations_max = (unsigned)settings->iterations,
                              .builder = &it->fock,
                              .iteration = iteration};
    return APP_DONE;
}

static void release(struct calculation *it)
{
    free(it->scf.iteration);
    hf_fock_free(&it->fock);
    linear_close(&it->linear);
    hf_system_free(&it->system);
}

// ---- the calculation ----

static int build_plain(void *fock, const struct hf_tiles *density, struct hf_tiles *result)
{
    return hf_fock_plain(fock, density, result);
}

static int build_straight(void *fock, const struct hf_tiles *density, struct hf_tiles *result)
{
    return hf_fock_straight(fock, density, result);
}

static int build_loop(void *fock, const struct hf_tiles *density, struct hf_tiles *result)
{
    return hf_fock_loop(fock, density, result);
}

// Workers are kept from iteration to iteration; what is between two Fock builds runs on one.
TW_TASK(field, { struct hf_scf *scf; })
{
    int error = hf_scf_run(self.scf);
    if (error)
        tw_fail(error);
}

static int calculate(struct app_run *run, struct hf_scf *scf)
{
    if (run->sequential) {
        scf->build = build_plain;
        return hf_scf_run(scf);
    }
    scf->build = build_loop;
    return tw_run_with(run->options, field, .scf = scf);
}

// The first iterations again, by the sequential program; that one's by the straight formula. As
// many as do not take too long, unless all were asked for. 0, or a TW_E... code.
static int check(struct app_run *run, const struct calculation *it)
{
    double cost = (double)it->fock.tasks.integrals * (run->sequential ? STRAIGHT_COST : 1);
    unsigned again = it->scf.iterations;
    if (run->check != APP_CHECK_ORACLE && again * cost > CHECKED_MAX)
        again = (unsigned)(CHECKED_MAX / cost);
    if (again == 0)
        return 0;
    struct hf_scf oracle = it->scf;
    oracle.build = run->sequential ? build_straight : build_plain;
    oracle.iterations_max = again;
    oracle.iteration = calloc(again, sizeof *oracle.iteration);
    int error = oracle.iteration ? hf_scf_run(&oracle) : TW_ENOMEM;
    run->checked = APP_CHECK_ORACLE;
    // One of the two may be at the limit of convergence an iteration before the other.
    run->verified = !error && (oracle.iterations == again || oracle.converged);
    for (unsigned i = 0; !error && i < oracle.iterations; i++)
        run->verified &= fabs(oracle.iteration[i].energy - it->scf.iteration[i].energy) <= AGREED;
    free(oracle.iteration);
    return error;
}

// ---- the report ----

static const struct app_column columns[] = {
    {"energy", 10, false},    {"error", 1, true}, {"seconds", 4, false},
    {"fock_tasks", 0, false}, {NULL, 0, false},
};

static int fill_table(struct app_table *table, const struct calculation *it)
{
    double *cell = malloc(it->scf.iterations * 4 * sizeof *cell + 1);
    if (!cell)
        return TW_ENOMEM;
    *table = (struct app_table){
        .name = "iteration", .columns = columns, .rows = it->scf.iterations, .cells = cell};
    for (unsigned i = 0; i < it->scf.iterations; i++) {
        *cell++ = it->scf.iteration[i].energy;
        *cell++ = it->scf.iteration[i].error;
        *cell++ = it->scf.iteration[i].seconds;
        *cell++ = (double)it->fock.tasks.count;
    }
    return 0;
}

static void fill_facts(struct app_run *run, const struct calculation *it)
{
    const struct hf_screen *screen = &it->fock.screen;
    uint64_t tiles = screen->tiles, integrals = it->fock.tasks.integrals;
    const struct app_fact parameters[] = {
        {.name = "atoms", .count = it->system.atoms},
        {.name = "functions", .count = it->system.functions},
        {.name = "electrons", .count = 2 * it->system.pairs},
        {.name = "tile", .count = screen->tile},
        {.name = "screen", .real = screen->tolerance, .digits = 9},
        {.name = "lapack", .text = it->linear.library},
    };
    const struct app_fact results[] = {
        {.name = "energy", .real = it->scf.energy, .digits = 10},
        {.name = "converged", .text = it->scf.converged ? "yes" : "no"},
        {.name = "iterations", .count = it->scf.iterations},
        {.name = "all_tasks", .count = tiles * tiles * tiles * tiles},
        {.name = "fock_tasks", .count = it->fock.tasks.count},
        {.name = "integrals", .count = integrals},
    };
    memcpy(run->parameters, parameters, sizeof parameters);
    memcpy(run->results, results, sizeof results);
    run->work = (struct app_fact){.name = "integrals", .count = integrals * it->scf.iterations};
    run->checked = APP_CHECK_NONE;
}

static enum app_outcome measure(struct app_run *run, struct calculation *it)
{
    app_start(run);
    int error = calculate(run, &it->scf);
    if (app_stop(run, error) != APP_DONE) {
        if (error == TW_EINVAL)
            snprintf(run->message, sizeof run->message,
                     "the overlap or the Fock matrix has no usable eigenvectors: are there "
                     "functions that depend on each other?");
        return APP_FAILED;
    }
    fill_facts(run, it);
    run->error = fill_table(&run->table, it);
    if (!run->error && run->check != APP_CHECK_NONE)
        run->error = check(run, it);
    return run->error ? APP_FAILED : APP_DONE;
}

static enum app_outcome run(const void *given, struct app_run *run)
{
    struct calculation it;
    enum app_outcome outcome = prepare(given, run, &it);
    if (outcome != APP_DONE)
        return outcome;
    outcome = measure(run, &it);
    release(&it);
    return outcome;
}

const struct twill_app hf_app = {
    .name = "hf",
    .summary =
        "the energy of a molecule by Hartree-Fock: in each iteration a loop over quartets of "
        "tiles, whose costs differ by five orders of magnitude",
    .options = options,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
};

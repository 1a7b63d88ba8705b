// SPDX-License-Identifier: Apache-2.0
// `twill run hf`.
#include <math.h>
#include <stdio.h>

#include "apps/hf/calculation.h"

#define ATOMS 4        // unless said otherwise
#define ITERATIONS 100 // likewise

struct settings {
    uint64_t atoms; // 0: not given
    const char *geometry, *basis, *balance;
    double charge;
    uint64_t tile, iterations; // 0: not given
    unsigned start;
    double screen;
    bool goes_on;
};

static const char *const starts[] = {"owner", "first", NULL};

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
    {"all-iterations", NULL, "go on until then, with the same density, when it has converged",
     CLI_FLAG, offsetof(struct settings, goes_on), 0, 0, NULL},
    {"balance", "NAME",
     "how tasks come to workers and places: retentive, steal, steal-all (null tasks too), none, "
     "persist-central, persist-tree or auto (retentive)",
     CLI_TEXT, offsetof(struct settings, balance), 0, 0, NULL},
    {"start", NULL,
     "where tasks begin in the first iteration: where the Fock matrix has what they add to, or all "
     "at one worker (owner)",
     CLI_CHOICE, offsetof(struct settings, start), 0, 0, starts},
    {.name = NULL},
};

static void defaults(void *settings)
{
    *(struct settings *)settings =
        (struct settings){.tile = 10, .screen = 1e-6, .balance = "retentive"};
}

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

#ifdef TWILL_SERIAL // has no collections

static enum app_outcome choose_balance(const struct settings *settings, struct app_run *run,
                                       struct hf_calculation *it)
{
    (void)settings, (void)run, (void)it;
    return APP_DONE;
}

#else

static enum app_outcome choose_balance(const struct settings *settings, struct app_run *run,
                                       struct hf_calculation *it)
{
    it->plan.seed = (enum hf_seed)settings->start;
    if (!iterations_find(&it->plan.balance, settings->balance, run->message, sizeof run->message))
        return APP_REFUSED;
    double tiles = ceil((double)it->system.functions / (double)settings->tile);
    double quartets = tiles * tiles * tiles * tiles;
    if (run->sequential || it->plan.balance != TW_BALANCE_STEAL_ALL || quartets <= HF_SEEDS_MAX)
        return APP_DONE;
    snprintf(run->message, sizeof run->message,
             "--balance steal-all: all %.0f quartets of tiles would be tasks, %d at most may be: "
             "give a larger --tile, fewer --atoms or another balance",
             quartets, HF_SEEDS_MAX);
    return APP_REFUSED;
}

#endif

static enum app_outcome prepare(const struct settings *settings, struct app_run *run,
                                struct hf_calculation *it)
{
    if (settings->atoms && settings->geometry)
        return refuse(run, "--atoms and --geometry: give one of them");
    if (settings->charge != floor(settings->charge))
        return refuse(run, "--charge: a molecule has a whole number of electrons");
    if (make_system(settings, &it->system, run->message, sizeof run->message) != 0)
        return APP_REFUSED;
    enum app_outcome outcome = choose_balance(settings, run, it);
    if (outcome == APP_DONE && !linear_open(&it->linear, NULL, run->message, sizeof run->message))
        outcome = APP_FAILED;
    if (outcome != APP_DONE) {
        hf_system_free(&it->system);
        return outcome;
    }
    unsigned iterations = (unsigned)(settings->iterations ? settings->iterations : ITERATIONS);
    it->tolerance = settings->screen;
    it->is_limited = settings->iterations != 0;
    run->error = hf_calculation_make(it, settings->tile, iterations);
    it->scf.goes_on = settings->goes_on;
    if (run->error)
        hf_calculation_free(it);
    return run->error ? APP_FAILED : APP_DONE;
}

// ---- the calculation ----

static enum app_outcome measure(struct app_run *run, struct hf_calculation *it)
{
    app_start(run);
    int error = hf_calculation_run(it, run);
    if (app_stop(run, error) != APP_DONE) {
        if (error == TW_EINVAL)
            snprintf(run->message, sizeof run->message,
                     "the overlap or the Fock matrix has no usable eigenvectors: are there "
                     "functions that depend on each other?");
        return APP_FAILED;
    }
    run->error = hf_calculation_report(it, run);
    if (!run->error && run->check != APP_CHECK_NONE)
        run->error = hf_calculation_check(it, run);
    return run->error ? APP_FAILED : APP_DONE;
}

static enum app_outcome run(const void *given, struct app_run *run)
{
    struct hf_calculation it;
    enum app_outcome outcome = prepare(given, run, &it);
    if (outcome != APP_DONE)
        return outcome;
    outcome = measure(run, &it);
    hf_calculation_free(&it);
    return outcome;
}

const struct twill_app hf_app = {
    .name = "hf",
    .summary =
        "the energy of a molecule by Hartree-Fock: in each iteration a collection of quartets of "
        "tiles, whose costs differ by five orders of magnitude",
    .options = options,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
};

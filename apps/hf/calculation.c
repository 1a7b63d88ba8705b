// SPDX-License-Identifier: Apache-2.0
// See calculation.h.
//
// Place 0 does the linear algebra, the others take part in the Fock builds only. All could solve
// the same eigenproblem; but places whose libraries differ in the last bit would part ways.
#include "apps/hf/calculation.h"

#include <math.h>
#include <stdlib.h>

#define AGREED 1e-8        // energies
#define CHECKED_MAX 1e9    // integrals that are computed again for a check, unless it is asked for
#define STRAIGHT_COST 10.0 // how much longer an integral takes by the straight formula

int hf_calculation_make(struct hf_calculation *it, size_t tile, unsigned iterations)
{
    it->scf = (struct hf_scf){.system = &it->system,
                              .linear = &it->linear,
                              .tile = tile,
                              .iterations_max = iterations,
                              .iteration = calloc(iterations, sizeof *it->scf.iteration)};
    it->has_fock = false;
    bool made = it->scf.iteration != NULL;
#ifndef TWILL_SERIAL
    it->stats = calloc(iterations, sizeof *it->stats);
    made = made && it->stats;
#endif
    return made ? 0 : TW_ENOMEM;
}

void hf_calculation_free(struct hf_calculation *it)
{
#ifndef TWILL_SERIAL
    free(it->stats);
#endif
    free(it->scf.iteration);
    if (it->has_fock)
        hf_fock_free(&it->fock);
    linear_close(&it->linear);
    hf_system_free(&it->system);
}

// ---- without Twill ----

static int build_plain(void *fock, const struct hf_tiles *density, struct hf_tiles *result)
{
    return hf_fock_plain(fock, density, result);
}

static int build_straight(void *fock, const struct hf_tiles *density, struct hf_tiles *result)
{
    return hf_fock_straight(fock, density, result);
}

static int run_plain(struct hf_calculation *it)
{
    int error = hf_fock_make(&it->fock, &it->system, it->scf.tile, it->tolerance, NULL);
    it->has_fock = !error;
    it->scf.build = build_plain;
    it->scf.builder = &it->fock;
    return error ? error : hf_scf_run(&it->scf);
}

#ifdef TWILL_SERIAL

static bool is_plain(const struct app_run *run)
{
    (void)run;
    return true;
}

int hf_calculation_run(struct hf_calculation *it, const struct app_run *run)
{
    (void)run;
    return run_plain(it);
}

#else

static bool is_plain(const struct app_run *run)
{
    return run->sequential;
}

// ---- over places ----

// Workers are kept from iteration to iteration; what is between two Fock builds runs on one.
static int iterate(struct hf_calculation *it)
{
    if (tw_here() != 0)
        return hf_build_follow(&it->build);
    it->scf.build = hf_build_lead;
    it->scf.builder = &it->build;
    int error = hf_scf_run(&it->scf), dismissed = hf_build_dismiss();
    return error ? error : dismissed;
}

TW_TASK(field, { struct hf_calculation *it; })
{
    struct hf_calculation *it = self.it;
    int error = hf_build_fock(&it->fock, &it->system, it->scf.tile, it->tolerance);
    it->has_fock = !error;
    if (!error)
        error = hf_build_open(&it->build, &it->fock, it->plan, it->stats);
    if (!error) {
        error = iterate(it);
        hf_build_close(&it->build);
    }
    if (error)
        tw_fail(error);
}

int hf_calculation_run(struct hf_calculation *it, const struct app_run *run)
{
    return is_plain(run) ? run_plain(it) : tw_run_spmd_with(run->options, field, .it = it);
}

#endif

// ---- the check ----

static bool agrees(const struct hf_scf *found, const struct hf_scf *oracle)
{
    for (unsigned i = 0; i < oracle->iterations; i++)
        if (!(fabs(oracle->iteration[i].energy - found->iteration[i].energy) <= AGREED))
            return false;
    // One of the two may be at the limit of convergence an iteration before the other.
    return oracle->iterations == oracle->iterations_max || oracle->converged;
}

int hf_calculation_check(const struct hf_calculation *it, struct app_run *run)
{
    double cost = (double)it->fock.tasks.integrals * (is_plain(run) ? STRAIGHT_COST : 1);
    unsigned again = it->scf.iterations;
    if (run->check != APP_CHECK_ORACLE && again * cost > CHECKED_MAX)
        again = (unsigned)(CHECKED_MAX / cost);
    if (again == 0)
        return 0;
    struct hf_scf oracle = it->scf;
    oracle.build = is_plain(run) ? build_straight : build_plain;
    oracle.builder = (void *)&it->fock;
    oracle.iterations_max = again;
    oracle.iteration = calloc(again, sizeof *oracle.iteration);
    int error = oracle.iteration ? hf_scf_run(&oracle) : TW_ENOMEM;
    run->checked = APP_CHECK_ORACLE;
    run->verified = !error && agrees(&it->scf, &oracle);
    free(oracle.iteration);
    return error;
}

// SPDX-License-Identifier: Apache-2.0
// What `twill run hf` tells of a calculation: see calculation.h.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/hf/calculation.h"

// An energy that changed by this part of itself since the first density, or rose by that one above
// the lowest, is none.
#define CHANGE_MOST 0.5
#define RISE_MOST 0.01

// ---- the table ----

static const struct app_column plain_columns[] = {
    {.name = "energy", .digits = 10},
    {.name = "error", .digits = 1, .powers = true},
    {.name = "seconds", .digits = 4},
    {.name = "fock_tasks"},
    {.name = NULL},
};

static double *fill_plain(double *cell, const struct hf_iteration *iteration, double tasks)
{
    *cell++ = iteration->energy;
    *cell++ = iteration->error;
    *cell++ = iteration->seconds;
    *cell++ = tasks;
    return cell;
}

#ifdef TWILL_SERIAL

static const struct app_column *fill_cells(const struct hf_calculation *it, bool is_plain,
                                           double *cell)
{
    (void)is_plain;
    for (unsigned i = 0; i < it->scf.iterations; i++)
        cell = fill_plain(cell, &it->scf.iteration[i], (double)it->fock.tasks.count);
    return plain_columns;
}

#else

static const struct app_column columns[] = {
    {.name = "energy", .digits = 10},
    {.name = "error", .digits = 1, .powers = true},
    {.name = "seconds", .digits = 4},
    {.name = "fock_tasks"},
    ITERATIONS_COLUMNS,
    {.name = NULL},
};

static const struct app_column *fill_cells(const struct hf_calculation *it, bool is_plain,
                                           double *cell)
{
    for (unsigned i = 0; i < it->scf.iterations; i++) {
        uint64_t tasks = is_plain ? it->fock.tasks.count : it->stats[i].tasks;
        cell = fill_plain(cell, &it->scf.iteration[i], (double)tasks);
        if (!is_plain)
            cell = iterations_cells(cell, &it->stats[i]);
    }
    return is_plain ? plain_columns : columns;
}

#endif

// ---- the rest ----

static void fill_facts(const struct hf_calculation *it, struct app_run *run)
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
#ifndef TWILL_SERIAL
        {.name = run->sequential ? NULL : "balance", .text = tw_balance_name(it->plan.balance)},
#endif
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

static void warn(const struct hf_calculation *it, struct app_run *run)
{
    const struct hf_scf *scf = &it->scf;
    double lowest = scf->energy;
    for (unsigned i = 0; i < scf->iterations; i++)
        lowest = fmin(lowest, scf->iteration[i].energy);
    double first = scf->iterations ? scf->iteration[0].energy : 0;
    if (fabs(scf->energy - first) > CHANGE_MOST * fabs(first) ||
        scf->energy - lowest > RISE_MOST * fabs(lowest))
        snprintf(run->message, sizeof run->message,
                 "the energy went from %.4f to %.4f, which no molecule's does: --screen %g leaves "
                 "out too much; give less",
                 first, scf->energy, it->tolerance);
    else if (!scf->converged && !it->is_limited)
        snprintf(run->message, sizeof run->message, "no convergence in %u iterations",
                 scf->iterations);
}

int hf_calculation_report(const struct hf_calculation *it, struct app_run *run)
{
    double *cells = malloc(((size_t)it->scf.iterations * APP_COLUMNS_MAX + 1) * sizeof *cells);
    if (!cells)
        return TW_ENOMEM;
    run->table = (struct app_table){.name = "iteration",
                                    .columns = fill_cells(it, run->sequential, cells),
                                    .rows = it->scf.iterations,
                                    .cells = cells};
    fill_facts(it, run);
    if (tw_here() == 0)
        warn(it, run);
    return 0;
}

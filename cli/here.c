// SPDX-License-Identifier: Apache-2.0
#include "cli/here.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <twill/runtime.h>

#include "cli/launch.h"
#include "cli/reproduce.h"
#include "cli/samples.h"

const char *const here_schemes[HERE_SCHEMES] = {"steal-all", "steal", "retentive", "persist-tree"};

static const struct problem {
    const char *name, *words;
} problems[HERE_PROBLEMS] = {
    {"HF-Be8", "hf --atoms 8 --tile 10 --start first --all-iterations"},
    {"HF-Be16", "hf --atoms 16 --tile 10 --start first --all-iterations"},
    {"TCE", "tce --shrink 2"},
};

static const struct size {
    const char *text;
    unsigned places, workers;
} sizes[HERE_SIZES] = {{"1 worker", 1, 1}, {"2 workers", 1, 2}, {"2 places x 1 worker", 2, 1}};

// One round: a run of each scheme at each size.
struct round {
    struct run_table table[HERE_SIZES][HERE_SCHEMES];
};

struct measured {
    bool is_made, has_failed;
    struct round median; // cell by cell
};

struct here {
    unsigned iterations, rounds, processors;
    const char *mpi;
    struct measured problem[HERE_PROBLEMS];
};

struct here *here_of(struct reproduction *reproduction)
{
    struct tw_machine machine;
    if (reproduction->here)
        return reproduction->here;
    struct here *here = calloc(1, sizeof *here);
    if (!here) {
        fprintf(stderr, "twill reproduce: no memory\n");
        return NULL;
    }
    tw_machine_describe(&machine);
    here->processors = machine.workers;
    here->iterations = reproduction->iterations;
    here->rounds = reproduction->rounds;
    here->mpi = reproduction->mpi;
    reproduction->here = here;
    return here;
}

void here_free(struct here *here)
{
    free(here);
}

const char *here_problem(int problem)
{
    return problems[problem].name;
}

bool here_has(const struct here *here, int size)
{
    return here_cores(size) <= here->processors &&
           (sizes[size].places == 1 || launch_name(here->mpi) != NULL);
}

const char *here_size(int size)
{
    return sizes[size].text;
}

unsigned here_cores(int size)
{
    return sizes[size].places * sizes[size].workers;
}

unsigned here_iterations(const struct here *here)
{
    return here->iterations;
}

// ---- measuring ----

// Results are checked in the first round.
static bool run_once(const struct here *here, int problem, int size, int scheme, bool is_first,
                     struct run_table *table)
{
    char words[256];
    snprintf(words, sizeof words, "%s --balance %s --iterations %u --workers %u%s",
             problems[problem].words, here_schemes[scheme], here->iterations, sizes[size].workers,
             is_first ? "" : " --check none");
    unsigned places = sizes[size].places == 1 ? 0 : sizes[size].places;
    if (!run_table_measure(table, words, places, here->mpi))
        return false;
    if (is_first && !table->is_verified)
        fprintf(stderr, "twill reproduce: its result is wrong: run %s\n", words);
    else if (table->rows < here->iterations)
        fprintf(stderr, "twill reproduce: %zu iterations instead of %u: run %s\n", table->rows,
                here->iterations, words);
    else
        return true;
    return false;
}

static bool run_round(const struct here *here, int problem, bool is_first, struct round *round)
{
    for (int size = 0; size < HERE_SIZES; size++)
        for (int scheme = 0; here_has(here, size) && scheme < HERE_SCHEMES; scheme++)
            if (!run_once(here, problem, size, scheme, is_first, &round->table[size][scheme]))
                return false;
    return true;
}

static void take_medians(const struct here *here, const struct round *rounds, int size, int scheme,
                         struct run_table *median)
{
    struct samples samples = {.count = 0};
    *median = rounds[0].table[size][scheme];
    for (size_t row = 0; row < median->rows; row++)
        for (size_t column = 0; column < median->columns; column++) {
            samples.count = 0;
            for (unsigned i = 0; i < here->rounds; i++) {
                const struct run_table *one = &rounds[i].table[size][scheme];
                double value = run_table_cell(one, row, median->name[column]);
                if (!isnan(value))
                    samples_add(&samples, value);
            }
            if (samples.count)
                median->cell[row][column] = samples_summarize(&samples).median;
        }
}

static bool measure(const struct here *here, int problem, struct round *median)
{
    struct round *rounds = calloc(here->rounds, sizeof *rounds);
    bool done = rounds != NULL;
    for (unsigned i = 0; done && i < here->rounds; i++) {
        fprintf(stderr, "reproduce: %s, round %u of %u\n", problems[problem].name, i + 1,
                here->rounds);
        done = run_round(here, problem, i == 0, &rounds[i]);
    }
    for (int size = 0; done && size < HERE_SIZES; size++)
        for (int scheme = 0; here_has(here, size) && scheme < HERE_SCHEMES; scheme++)
            take_medians(here, rounds, size, scheme, &median->table[size][scheme]);
    free(rounds);
    return done;
}

const struct run_table *here_run(struct here *here, int problem, int size, enum here_scheme scheme)
{
    struct measured *measured = &here->problem[problem];
    if (!measured->is_made && !measured->has_failed) {
        measured->is_made = measure(here, problem, &measured->median);
        measured->has_failed = !measured->is_made;
    }
    return measured->is_made ? &measured->median.table[size][scheme] : NULL;
}

double here_best(struct here *here, int problem)
{
    double best = 0;
    for (int size = 0; size < HERE_SIZES; size++)
        for (int scheme = 0; here_has(here, size) && scheme < HERE_SCHEMES; scheme++) {
            const struct run_table *run = here_run(here, problem, size, (enum here_scheme)scheme);
            for (unsigned i = 0; run && i < here->iterations; i++) {
                double time = run_table_cell(run, i, HERE_SECONDS) * here_cores(size);
                best = best == 0 ? time : fmin(best, time);
            }
            if (!run)
                return 0;
        }
    return best;
}

// SPDX-License-Identifier: Apache-2.0
// Suite collections: what retention makes of the iterations of Hartree-Fock at two places, beside
// stealing that remembers nothing. One run gives all figures, so runs are taken here in turn and
// not by lanes.
#include <math.h>
#include <stdio.h>

#include "cli/run_table.h"
#include "collections.h"
#include "places.h"

enum { ITERATIONS = 5, STEADY = 3, ROUNDS_MOST = 100, WORKERS = 2 };

// Samples of one MPI, one a round.
struct samples {
    size_t n;
    double steals[ROUNDS_MOST];     // successful ones of iteration 1 over those of iteration 5
    double tasks[ROUNDS_MOST];      // tasks stolen by them, likewise
    double efficiency[ROUNDS_MOST]; // the least from iteration 3 on
    double retentive[ROUNDS_MOST];  // seconds of iterations 3 to 5
    double steal[ROUNDS_MOST];      // the same without retention
};

// Results are checked in the first round: a check takes longer than the run.
static bool measure(struct twb_bench *bench, const char *mpi, const char *balance, bool is_first,
                    struct run_table *table)
{
    char words[160];
    snprintf(words, sizeof words,
             "hf --atoms %d --tile 10 --start first --workers 1 --iterations %d --balance %s%s",
             bench->quick ? 8 : 16, ITERATIONS, balance, is_first ? "" : " --check none");
    bool measured = run_table_measure(table, words, 2, mpi) && (table->is_verified || !is_first);
    bench->report.wrong |= !measured;
    return measured;
}

static double seconds(const struct run_table *table)
{
    return run_table_sum(table, "seconds", STEADY - 1, ITERATIONS);
}

// A mean over workers of none at all counts as one of all of them: there is no ratio to nothing.
static double fall(const struct run_table *table, const char *column)
{
    double last = run_table_cell(table, ITERATIONS - 1, column);
    return run_table_cell(table, 0, column) / fmax(last, 1.0 / WORKERS);
}

static void take(struct samples *samples, const struct run_table *retentive,
                 const struct run_table *steal)
{
    double least = INFINITY;
    for (size_t row = STEADY - 1; row < ITERATIONS; row++)
        least = fmin(least, run_table_cell(retentive, row, "efficiency"));
    samples->steals[samples->n] = fall(retentive, "successful");
    samples->tasks[samples->n] = fall(retentive, "tasks_stolen");
    samples->efficiency[samples->n] = least;
    samples->retentive[samples->n] = seconds(retentive);
    samples->steal[samples->n++] = seconds(steal);
}

// Every other round goes backwards.
static bool run_round(struct twb_bench *bench, const char *mpi, unsigned round,
                      struct samples *samples)
{
    static struct run_table table[2];
    static const char *const balance[2] = {"retentive", "steal"};
    unsigned first = round % 2;
    if (!measure(bench, mpi, balance[first], round == 0, &table[first]) ||
        !measure(bench, mpi, balance[!first], round == 0, &table[!first]))
        return false;
    take(samples, &table[0], &table[1]);
    return true;
}

static void add_row(struct twb_report *report, const char *size, const char *mpi, const char *unit,
                    const double *sample, size_t n)
{
    struct twb_row row = {.case_name = "retention", .runtime = mpi, .workers = 1, .unit = unit};
    snprintf(row.size, sizeof row.size, "%s", size);
    twb_report_samples(report, &row, sample, n);
}

static void report_all(struct twb_report *report, const char *mpi, const struct samples *samples)
{
    size_t n = samples->n;
    if (n == 0)
        return;
    add_row(report, "steals 1 over 5", mpi, "times", samples->steals, n);
    add_row(report, "tasks stolen 1 over 5", mpi, "times", samples->tasks, n);
    add_row(report, "efficiency from 3 on", mpi, "", samples->efficiency, n);
    add_row(report, "3 to 5, retentive", mpi, "s", samples->retentive, n);
    add_row(report, "3 to 5, steal", mpi, "s", samples->steal, n);
    twb_report_goal(report, "retention_steals", twb_median_interval(samples->steals, n));
    twb_report_goal(report, "retention_tasks", twb_median_interval(samples->tasks, n));
    twb_report_goal(report, "retention_efficiency", twb_median_interval(samples->efficiency, n));
    twb_report_goal(report, "retention_time",
                    twb_pair_ratio(samples->retentive, samples->steal, n));
}

void twb_section_retention(struct twb_bench *bench)
{
    static struct samples samples[TWB_MPIS_MAX];
    unsigned rounds =
        bench->rounds ? bench->rounds : (bench->quick ? TWB_ROUNDS_QUICK : TWB_ROUNDS_FAR);
    const char *mpi;
    if (!twb_needs_two(bench, "retention"))
        return;
    fprintf(stderr, "bench: retention ");
    for (unsigned round = 0; round < rounds && round < ROUNDS_MOST; round++) {
        for (size_t at = 0; (mpi = twb_places_mpi(bench, at)) != NULL; at++)
            if (!run_round(bench, mpi, round, &samples[at]))
                twb_report_remark(&bench->report, mpi, "retention: a run failed");
        fputc('.', stderr);
    }
    fputc('\n', stderr);
    for (size_t at = 0; (mpi = twb_places_mpi(bench, at)) != NULL; at++)
        report_all(&bench->report, mpi, &samples[at]);
}

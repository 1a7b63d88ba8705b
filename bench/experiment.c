// SPDX-License-Identifier: Apache-2.0
// See experiment.h.
#include "experiment.h"

#include <stdlib.h>

// The paper has nine. Of fifteen the interval leaves out two at each end.
enum { REPEATS = TWB_REPEATS_MAX, REPEATS_QUICK = 2 };
#define QUICK_SCALE 0.25

static bool run_once(const struct twb_runner *runner, struct twb_measured *m)
{
    struct twb_cell_run run;
    if (!runner->run(runner->context, &m->cell, 1, TW_WAKE_AUTO, &run))
        return false;
    m->one[m->n] = run.seconds;
    for (int p = 0; p < TWB_POLICIES; p++) {
        if (!runner->run(runner->context, &m->cell, m->workers, twb_policies[p].wake, &run))
            return false;
        m->seconds[p][m->n] = run.seconds;
        m->tries_per_s[p][m->n] = run.tries_per_s;
    }
    m->n++;
    return true;
}

bool twb_measure_cells(const struct twb_runner *runner, const struct twb_cell *cells, size_t count,
                       unsigned repeats, struct twb_measured *measured)
{
    bool right = true;
    for (size_t i = 0; i < count; i++)
        measured[i] = (struct twb_measured){.cell = cells[i], .workers = runner->workers};
    fprintf(stderr, "bench: %zu cells on %s ", count, runner->name);
    for (unsigned repeat = 0; repeat < repeats && right; repeat++) {
        for (size_t i = 0; i < count && right; i++)
            right = run_once(runner, &measured[i]);
        fputc('.', stderr);
    }
    fputc('\n', stderr);
    return right;
}

static void report_row(struct twb_report *report, const struct twb_measured *m, struct twb_row row,
                       const double *sample)
{
    snprintf(row.size, sizeof row.size, "%ld/%.4gus", m->cell.tasks,
             (double)m->cell.work_ns * 1e-3);
    twb_report_samples(report, &row, sample, m->n);
}

static void report_policy(struct twb_report *report, const struct twb_measured *m, int policy)
{
    double speedup[TWB_REPEATS_MAX];
    struct twb_row row = {.case_name = "cell_time",
                          .runtime = twb_policies[policy].name,
                          .workers = m->workers,
                          .unit = "s"};
    for (size_t i = 0; i < m->n; i++)
        speedup[i] = m->one[i] / m->seconds[policy][i];
    report_row(report, m, row, m->seconds[policy]);
    row.case_name = "cell_speedup";
    row.unit = "times";
    report_row(report, m, row, speedup);
    row.case_name = "cell_attempts";
    row.unit = "attempts/s";
    report_row(report, m, row, m->tries_per_s[policy]);
}

void twb_report_cells(struct twb_report *report, const struct twb_measured *measured, size_t count)
{
    struct twb_row one = {
        .case_name = "cell_time", .runtime = "one worker", .workers = 1, .unit = "s"};
    for (size_t i = 0; i < count; i++) {
        report_row(report, &measured[i], one, measured[i].one);
        for (int p = 0; p < TWB_POLICIES; p++)
            report_policy(report, &measured[i], p);
    }
}

static void print_cell(const struct twb_measured *m, FILE *file)
{
    double one = twb_median(m->one, m->n);
    fprintf(file, "%5ld %8.4g %7ld %9.4g ", m->cell.tasks, (double)m->cell.work_ns * 1e-3,
            m->cell.rounds, one * 1e3);
    for (int p = 0; p < TWB_POLICIES; p++)
        fprintf(file, " %8.4g", twb_median(m->seconds[p], m->n) * 1e3);
    fputc(' ', file);
    for (int p = 0; p < TWB_POLICIES; p++)
        fprintf(file, " %5.2f", twb_pair_ratio(m->one, m->seconds[p], m->n).value);
    fputc(' ', file);
    for (int p = 0; p < TWB_POLICIES; p++)
        fprintf(file, " %8.2g", twb_median(m->tries_per_s[p], m->n));
    fputc('\n', file);
}

static void print_policies(int width, FILE *file)
{
    for (int p = 0; p < TWB_POLICIES; p++)
        fprintf(file, " %*s", width, twb_policies[p].name);
}

void twb_print_cells(const struct twb_measured *measured, size_t count, FILE *file)
{
    fprintf(file, "%33s%u workers, ms%16s%9s%22s\n", "", measured[0].workers, "speed-up", "",
            "attempts/s");
    fprintf(file, "%5s %8s %7s %9s ", "n", "work us", "rounds", "1 w., ms");
    print_policies(8, file);
    fputc(' ', file);
    print_policies(5, file);
    fputc(' ', file);
    print_policies(8, file);
    fputc('\n', file);
    for (size_t i = 0; i < count; i++)
        if (measured[i].n > 0)
            print_cell(&measured[i], file);
    fputc('\n', file);
}

bool twb_experiment_run(struct twb_bench *bench, const struct twb_runner *runner, unsigned number,
                        double scale, FILE *table)
{
    const struct twb_experiment *experiment = twb_experiment_find(number);
    struct twb_cell cells[TWB_CELLS_MAX];
    if (scale <= 0)
        scale = experiment->scale * (bench->quick ? QUICK_SCALE : 1);
    size_t count = twb_experiment_cells(experiment, scale, cells);
    struct twb_measured *measured = calloc(count + 1, sizeof *measured);
    if (measured == NULL)
        abort();
    twb_report_remark(&bench->report, "experiment", "%u: speed-up against %s, rounds x %g", number,
                      experiment->title, scale);
    bench->report.wrong =
        !twb_measure_cells(runner, cells, count, bench->quick ? REPEATS_QUICK : REPEATS, measured);
    twb_report_cells(&bench->report, measured, count);
    if (count > 0 && !bench->report.wrong)
        twb_findings_judge(&bench->report, number, measured, count);
    if (table != NULL && count > 0)
        twb_print_cells(measured, count, table);
    free(measured);
    return count > 0;
}

// SPDX-License-Identifier: Apache-2.0
// Running the cells of experiments.h, and what follows from them: rows, a table, findings.
//
// Every repetition runs all cells, each on one worker and, under each policy, on all workers, so
// that the runs of one repetition are comparable. A finding of the paper is a goal of the report:
// it holds, fails, or cannot be told, by the interval of a ratio.
#ifndef TWB_EXPERIMENT_H
#define TWB_EXPERIMENT_H

#include "experiments.h"
#include "harness.h"

#define TWB_REPEATS_MAX 15

// A cell and its runs. Nothing that waits has a choice on one worker: one policy stands for all.
struct twb_measured {
    struct twb_cell cell;
    unsigned workers;
    size_t n; // repetitions; 0: it could not be run
    double one[TWB_REPEATS_MAX];
    double seconds[TWB_POLICIES][TWB_REPEATS_MAX];
    double tries_per_s[TWB_POLICIES][TWB_REPEATS_MAX];
};

// Fills `measured` for each of the cells; false when a run failed or was wrong.
bool twb_measure_cells(const struct twb_runner *runner, const struct twb_cell *cells, size_t count,
                       unsigned repeats, struct twb_measured *measured);

// Rows: times, speed-ups and steal attempts.
void twb_report_cells(struct twb_report *report, const struct twb_measured *measured, size_t count);
// The same as a table, a line for each cell.
void twb_print_cells(const struct twb_measured *measured, size_t count, FILE *file);

// ---- findings (experiment_findings.c, experiment_judges.c) ----

// The findings that an experiment is asked about, as goals that end with a NULL name.
const struct twb_goal *twb_findings_goals(unsigned number);
void twb_findings_judge(struct twb_report *report, unsigned number,
                        const struct twb_measured *cells, size_t count);

// ---- an experiment, whole ----

// scale 0: its own. Prints the table to `table` unless that is NULL. False: no cell has a round
// left.
bool twb_experiment_run(struct twb_bench *bench, const struct twb_runner *runner, unsigned number,
                        double scale, FILE *table);

#endif

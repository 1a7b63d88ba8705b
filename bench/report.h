// SPDX-License-Identifier: Apache-2.0
// What a suite found: rows (every measurement) and goals (every figure to reach, computed from
// rows), printed as a table or as JSON in the same form for every suite.
#ifndef TWB_REPORT_H
#define TWB_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "stats.h"

// Rows of one case, size, runtime and number of workers are one measurement: samples accumulate.
struct twb_row {
    const char *case_name;
    char size[40]; // what it was run on: "38", "T3"
    const char *runtime;
    unsigned workers;
    const char *unit;
    double *sample;
    size_t n;
};

struct twb_goal {
    const char *name;
    enum twb_sense sense;
    double limit;
    const char *what; // of what the value is
    bool measured;
    struct twb_interval interval; // the worst of its parts
};

struct twb_remark {
    char *about, *text; // a runtime and its version, or why something was not measured
};

struct twb_report {
    const char *suite;
    bool quick;
    bool wrong; // some answer was not the expected one
    double seconds;
    struct twb_row *row;
    size_t rows;
    struct twb_goal *goal; // the suite's table, copied
    size_t goals;
    struct twb_remark *remark;
    size_t remarks;
};

// `goals` ends with a NULL name. Strings given to a report must outlive it, remarks excepted.
void twb_report_start(struct twb_report *report, const char *suite, const struct twb_goal *goals);
void twb_report_end(struct twb_report *report);

void twb_report_samples(struct twb_report *report, const struct twb_row *row, const double *sample,
                        size_t n);
// The row of the same case, size, runtime and number of workers, or NULL.
const struct twb_row *twb_report_find_row(const struct twb_report *report,
                                          const struct twb_row *like);
// A row `case_name` of the speed-ups of one row over another, run by run: both are asked for as
// above, and nothing is reported when one is absent.
void twb_report_speedup(struct twb_report *report, const char *case_name,
                        const struct twb_row *like, const struct twb_row *base_like);
// One more part of a goal: the goal is judged by its worst part.
void twb_report_goal(struct twb_report *report, const char *name, struct twb_interval part);
// The same by the row of that case and size, Twill's on one worker, of what is counted and not
// measured: once is enough, and its interval is a point. Nothing is reported when it is absent.
void twb_report_count(struct twb_report *report, const char *name, const char *case_name,
                      const char *size);
const struct twb_goal *twb_report_find_goal(const struct twb_report *report, const char *name);
// Said once, however often it is reported.
void twb_report_remark(struct twb_report *report, const char *about, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void twb_report_print(const struct twb_report *report, FILE *file);
void twb_report_print_goals(const struct twb_report *report, FILE *file); // without the rows
bool twb_report_json(const struct twb_report *report, FILE *file); // false: not written in full

#endif

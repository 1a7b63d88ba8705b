// SPDX-License-Identifier: Apache-2.0
// Collecting rows, goals and remarks; see report.h. report_print.c writes them.
#include "report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void *grown(void *array, size_t count, size_t size)
{
    void *larger = realloc(array, count * size);
    if (larger == NULL)
        abort();
    return larger;
}

void twb_report_start(struct twb_report *report, const char *suite, const struct twb_goal *goals)
{
    *report = (struct twb_report){.suite = suite};
    while (goals[report->goals].name != NULL)
        report->goals++;
    report->goal = grown(NULL, report->goals, sizeof *goals);
    memcpy(report->goal, goals, report->goals * sizeof *goals);
}

void twb_report_end(struct twb_report *report)
{
    for (size_t i = 0; i < report->rows; i++)
        free(report->row[i].sample);
    for (size_t i = 0; i < report->remarks; i++) {
        free(report->remark[i].about);
        free(report->remark[i].text);
    }
    free(report->row);
    free(report->remark);
    free(report->goal);
}

static bool same_measurement(const struct twb_row *a, const struct twb_row *b)
{
    return strcmp(a->case_name, b->case_name) == 0 && strcmp(a->size, b->size) == 0 &&
           strcmp(a->runtime, b->runtime) == 0 && a->workers == b->workers;
}

const struct twb_row *twb_report_find_row(const struct twb_report *report,
                                          const struct twb_row *like)
{
    for (size_t i = 0; i < report->rows; i++)
        if (same_measurement(&report->row[i], like))
            return &report->row[i];
    return NULL;
}

static struct twb_row *find_row(struct twb_report *report, const struct twb_row *wanted)
{
    const struct twb_row *found = twb_report_find_row(report, wanted);
    if (found != NULL)
        return &report->row[found - report->row];
    report->row = grown(report->row, report->rows + 1, sizeof *report->row);
    struct twb_row *row = &report->row[report->rows++];
    *row = *wanted;
    row->sample = NULL;
    row->n = 0;
    return row;
}

void twb_report_samples(struct twb_report *report, const struct twb_row *wanted,
                        const double *sample, size_t n)
{
    if (n == 0)
        return;
    struct twb_row *row = find_row(report, wanted);
    row->sample = grown(row->sample, row->n + n, sizeof *row->sample);
    memcpy(row->sample + row->n, sample, n * sizeof *sample);
    row->n += n;
}

void twb_report_speedup(struct twb_report *report, const char *case_name,
                        const struct twb_row *like, const struct twb_row *base_like)
{
    const struct twb_row *row = twb_report_find_row(report, like);
    const struct twb_row *base = twb_report_find_row(report, base_like);
    if (base == NULL || row == NULL)
        return;
    struct twb_row speedup = *row;
    size_t n = row->n < base->n ? row->n : base->n;
    double *ratio = grown(NULL, n, sizeof *ratio);
    for (size_t i = 0; i < n; i++)
        ratio[i] = base->sample[i] / row->sample[i];
    speedup.case_name = case_name;
    speedup.unit = "times";
    twb_report_samples(report, &speedup, ratio, n);
    free(ratio);
}

static struct twb_goal *find_goal(const struct twb_report *report, const char *name)
{
    for (size_t i = 0; i < report->goals; i++)
        if (strcmp(report->goal[i].name, name) == 0)
            return &report->goal[i];
    abort(); // a suite names only goals of its own table
}

const struct twb_goal *twb_report_find_goal(const struct twb_report *report, const char *name)
{
    return find_goal(report, name);
}

void twb_report_goal(struct twb_report *report, const char *name, struct twb_interval part)
{
    struct twb_goal *goal = find_goal(report, name);
    goal->interval = goal->measured ? twb_worse(goal->interval, part, goal->sense) : part;
    goal->measured = true;
}

void twb_report_count(struct twb_report *report, const char *name, const char *case_name,
                      const char *size)
{
    struct twb_row like = {.case_name = case_name, .runtime = "twill", .workers = 1};
    snprintf(like.size, sizeof like.size, "%s", size);
    const struct twb_row *row = twb_report_find_row(report, &like);
    if (row == NULL || row->n == 0)
        return;
    double count = twb_median(row->sample, row->n);
    twb_report_goal(report, name, (struct twb_interval){count, count, count, 1});
}

void twb_report_remark(struct twb_report *report, const char *about, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < report->remarks; i++)
        if (strcmp(report->remark[i].about, about) == 0 &&
            strcmp(report->remark[i].text, text) == 0)
            return;
    report->remark = grown(report->remark, report->remarks + 1, sizeof *report->remark);
    report->remark[report->remarks++] =
        (struct twb_remark){.about = strdup(about), .text = strdup(text)};
    fprintf(stderr, "bench: %s: %s\n", about, text);
}

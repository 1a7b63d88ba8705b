// SPDX-License-Identifier: Apache-2.0
// A report as a table for people and as JSON for programs.
#include "cli/json.h"
#include "report.h"

static const char *verdict_text(const struct twb_goal *goal)
{
    if (!goal->measured)
        return "not measured";
    switch (twb_judge(goal->interval, goal->limit, goal->sense)) {
    case TWB_HOLDS:
        return "holds";
    case TWB_FAILS:
        return "fails";
    case TWB_CANNOT_TELL:
        return "cannot tell";
    }
    return "";
}

static bool holds(const struct twb_goal *goal)
{
    return goal->measured && twb_judge(goal->interval, goal->limit, goal->sense) == TWB_HOLDS;
}

static void print_row(const struct twb_row *row, FILE *file)
{
    struct twb_summary s = twb_summarize(row->sample, row->n);
    fprintf(file, "%-18s %-20s %-23s %3u %12.4g %10.4g .. %-10.4g %-14s %4zu\n", row->case_name,
            row->size, row->runtime, row->workers, s.median, s.low_quartile, s.high_quartile,
            row->unit, s.n);
}

static void print_goal(const struct twb_goal *goal, FILE *file)
{
    const char *sense = goal->sense == TWB_AT_MOST ? "at most" : "at least";
    fprintf(file, "%-13s %-28s ", verdict_text(goal), goal->name);
    if (goal->measured)
        fprintf(file, "%8.4g [%.4g, %.4g] ", goal->interval.value, goal->interval.low,
                goal->interval.high);
    fprintf(file, "%s %g: %s\n", sense, goal->limit, goal->what);
}

void twb_report_print_goals(const struct twb_report *report, FILE *file)
{
    for (size_t i = 0; i < report->goals; i++)
        print_goal(&report->goal[i], file);
    if (report->quick)
        fprintf(file, "\nquick: few runs on small sizes; let the full suite decide\n");
}

void twb_report_print(const struct twb_report *report, FILE *file)
{
    fprintf(file, "%-18s %-20s %-23s %3s %12s %10s .. %-10s %-14s %4s\n", "case", "size", "runtime",
            "w", "median", "quartile", "quartile", "unit", "n");
    for (size_t i = 0; i < report->rows; i++)
        print_row(&report->row[i], file);
    fputc('\n', file);
    twb_report_print_goals(report, file);
}

static void row_json(const struct twb_row *row, struct json *json)
{
    struct twb_summary s = twb_summarize(row->sample, row->n);
    json_object(json, NULL);
    json_text(json, "case", row->case_name);
    json_text(json, "size", row->size);
    json_text(json, "runtime", row->runtime);
    json_count(json, "workers", row->workers);
    json_real(json, "median", s.median);
    json_real(json, "spread", s.high_quartile - s.low_quartile);
    json_real(json, "low_quartile", s.low_quartile);
    json_real(json, "high_quartile", s.high_quartile);
    json_real(json, "best", s.best);
    json_text(json, "unit", row->unit);
    json_count(json, "n", s.n);
    json_close(json);
}

static void real_or_null(struct json *json, const char *key, bool present, double value)
{
    if (present)
        json_real(json, key, value);
    else
        json_null(json, key);
}

static void goal_json(const struct twb_goal *goal, struct json *json)
{
    json_object(json, NULL);
    json_text(json, "name", goal->name);
    json_text(json, "what", goal->what);
    real_or_null(json, "value", goal->measured, goal->interval.value);
    real_or_null(json, "low", goal->measured, goal->interval.low);
    real_or_null(json, "high", goal->measured, goal->interval.high);
    real_or_null(json, "confidence", goal->measured, goal->interval.confidence);
    json_text(json, "sense", goal->sense == TWB_AT_MOST ? "at most" : "at least");
    json_real(json, "limit", goal->limit);
    json_bool(json, "holds", holds(goal));
    json_text(json, "verdict", verdict_text(goal));
    json_close(json);
}

bool twb_report_json(const struct twb_report *report, FILE *file)
{
    struct json json;
    json_start(&json, file);
    json_object(&json, NULL);
    json_text(&json, "suite", report->suite);
    json_bool(&json, "quick", report->quick);
    json_bool(&json, "verified", !report->wrong);
    json_real(&json, "seconds", report->seconds);
    json_array(&json, "rows");
    for (size_t i = 0; i < report->rows; i++)
        row_json(&report->row[i], &json);
    json_close(&json);
    json_array(&json, "goals");
    for (size_t i = 0; i < report->goals; i++)
        goal_json(&report->goal[i], &json);
    json_close(&json);
    json_array(&json, "remarks");
    for (size_t i = 0; i < report->remarks; i++) {
        json_object(&json, NULL);
        json_text(&json, "about", report->remark[i].about);
        json_text(&json, "text", report->remark[i].text);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
    return json_end(&json);
}

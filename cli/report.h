// SPDX-License-Identifier: Apache-2.0
// What one run of an application found, as text or as JSON.
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

struct app_run;
struct places_report;
struct tw_stats;

struct report {
    const char *app;
    const struct app_run *run;
    const struct tw_stats *stats;       // NULL: it ran without Twill
    const struct places_report *places; // NULL: there is one
};

void report_text(const struct report *report);
void report_json(const struct report *report);

#endif

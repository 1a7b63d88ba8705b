// SPDX-License-Identifier: Apache-2.0
// Reports of `twill run`.
#include "cli/report.h"

#include "apps/app.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/places_report.h"
#include "cli/table.h"

static const char *const check_names[] = {
    [APP_CHECK_ORACLE] = "oracle", [APP_CHECK_TABLE] = "table", [APP_CHECK_NONE] = "none"};

// The counters of tw_worker_stats. Text shows the first of them for each worker.
static const struct {
    const char *name;
    size_t offset;
} counters[] = {
    {"tasks", offsetof(struct tw_worker_stats, tasks)},
    {"stolen", offsetof(struct tw_worker_stats, pieces)},
    {"steals_tried", offsetof(struct tw_worker_stats, steals_tried)},
    {"steals", offsetof(struct tw_worker_stats, steals)},
    {"nudges_tried", offsetof(struct tw_worker_stats, nudges_tried)},
    {"nudges", offsetof(struct tw_worker_stats, nudges)},
    {"parks", offsetof(struct tw_worker_stats, parks)},
    {"sleeps", offsetof(struct tw_worker_stats, sleeps)},
    {"wakes", offsetof(struct tw_worker_stats, wakes)},
    {"stacks", offsetof(struct tw_worker_stats, stacks)},
    {"shares", offsetof(struct tw_worker_stats, shares)},
    {"overflows", offsetof(struct tw_worker_stats, overflows)},
    {"dropped", offsetof(struct tw_worker_stats, dropped)},
    {"traced", offsetof(struct tw_worker_stats, traced)},
    {"trace_lost", offsetof(struct tw_worker_stats, trace_lost)},
};
#define COUNTERS (sizeof counters / sizeof counters[0])
#define COUNTERS_EACH 2
_Static_assert(COUNTERS == sizeof(struct tw_worker_stats) / sizeof(uint64_t),
               "every counter is reported");

static uint64_t counter(const struct tw_worker_stats *stats, size_t which)
{
    return *(const uint64_t *)((const char *)stats + counters[which].offset);
}

// How many workers there is something to say of.
static unsigned told(const struct tw_stats *stats)
{
    return stats->workers < stats->room ? stats->workers : stats->room;
}

static void print_facts(const struct app_fact *facts)
{
    char number[NUMBER_MAX];
    for (size_t i = 0; i < APP_FACTS_MAX && facts[i].name; i++)
        if (facts[i].digits)
            printf("  %-14s%.*f\n", facts[i].name, facts[i].digits, facts[i].real);
        else
            printf("  %-14s%s\n", facts[i].name,
                   facts[i].text ? facts[i].text : text_number(number, facts[i].count));
}

static void print_check(const struct app_run *run)
{
    static const char *const right[] = {
        [APP_CHECK_ORACLE] = "yes, by the sequential oracle",
        [APP_CHECK_TABLE] = "yes, by the table of known results",
        [APP_CHECK_NONE] = "no, nothing was compared",
    };
    bool wrong = run->checked != APP_CHECK_NONE && !run->verified;
    printf("  %-14s%s\n", "verified", wrong ? "NO: THE RESULT IS WRONG" : right[run->checked]);
}

// One counter of each worker.
static void print_each(const struct tw_stats *stats, size_t which)
{
    char number[NUMBER_MAX];
    printf("  %-14s", counters[which].name);
    for (unsigned i = 0; i < told(stats); i++)
        printf("%s%s", i ? " + " : "", text_number(number, counter(&stats->worker[i], which)));
    printf("\n");
}

// Counters that stayed at zero are left out.
static void print_stats(const struct tw_stats *stats)
{
    char number[NUMBER_MAX];
    for (size_t i = 0; i < COUNTERS_EACH; i++)
        print_each(stats, i);
    for (size_t i = COUNTERS_EACH; i < COUNTERS; i++)
        if (counter(&stats->sum, i) > 0)
            printf("  %-14s%s\n", counters[i].name, text_number(number, counter(&stats->sum, i)));
}

void report_text(const struct report *report)
{
    const struct app_run *run = report->run;
    printf("%s\n", report->app);
    print_facts(run->parameters);
    if (report->stats)
        printf("  %-14s%u\n", "workers", report->stats->workers);
    if (run->table.name)
        table_text(&run->table);
    print_facts(run->results);
    double rate = run->seconds > 0 ? (double)run->work.count / run->seconds * 1e-6 : 0;
    printf("  %-14s%.4f   (%.2f million %s/s)\n", "seconds", run->seconds, rate, run->work.name);
    print_check(run);
    if (report->stats)
        print_stats(report->stats);
    if (report->places)
        places_report_text(report->places);
}

static void write_facts(struct json *json, const struct app_fact *facts)
{
    for (size_t i = 0; i < APP_FACTS_MAX && facts[i].name; i++) {
        if (facts[i].text)
            json_text(json, facts[i].name, facts[i].text);
        else if (facts[i].digits)
            json_real(json, facts[i].name, facts[i].real);
        else
            json_count(json, facts[i].name, facts[i].count);
    }
}

static void write_each(struct json *json, const struct tw_stats *stats, size_t which)
{
    json_array(json, counters[which].name);
    for (unsigned i = 0; i < told(stats); i++)
        json_count(json, NULL, counter(&stats->worker[i], which));
    json_close(json);
}

static void write_counters(struct json *json, const char *key, const struct tw_worker_stats *stats)
{
    json_object(json, key);
    for (size_t i = 0; i < COUNTERS; i++)
        json_count(json, counters[i].name, counter(stats, i));
    json_close(json);
}

static void write_stats(struct json *json, const struct tw_stats *stats)
{
    json_object(json, "stats");
    for (size_t i = 0; i < COUNTERS_EACH; i++)
        write_each(json, stats, i);
    for (size_t i = COUNTERS_EACH; i < COUNTERS; i++)
        json_count(json, counters[i].name, counter(&stats->sum, i));
    write_counters(json, "sum", &stats->sum);
    json_array(json, "worker");
    for (unsigned i = 0; i < told(stats); i++)
        write_counters(json, NULL, &stats->worker[i]);
    json_close(json);
    json_close(json);
}

void report_json(const struct report *report)
{
    const struct app_run *run = report->run;
    struct json json;
    json_start(&json, stdout);
    json_object(&json, NULL);
    json_text(&json, "app", report->app);
    write_facts(&json, run->parameters);
    json_real(&json, "seconds", run->seconds);
    json_count(&json, "workers", report->stats ? report->stats->workers : 0);
    json_count(&json, "places", tw_places());
    json_bool(&json, "verified", run->verified);
    json_text(&json, "check", check_names[run->checked]);
    write_facts(&json, run->results);
    if (run->table.name)
        table_json(&json, &run->table);
    json_count(&json, "peak_kb", (uint64_t)run->peak_kb);
    if (report->stats)
        write_stats(&json, report->stats);
    if (report->places)
        places_report_json(&json, report->places);
    json_close(&json);
    json_end(&json);
}

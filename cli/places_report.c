// SPDX-License-Identifier: Apache-2.0
// See places_report.h. A table of more than PLACES_SHOWN rows nobody reads: then there are the
// extremes instead, and no matrix, whose memory grows with the square of the places.
#include "cli/places_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <twill/place.h>

#include "cli/command.h"
#include "cli/figures.h"
#include "cli/json.h"

enum { PLACES_SHOWN = 64 };

static int denies_nobody(const char *policy)
{
    static const char *const names[] = {"adaptive", "success-only", "success-only-acyclic"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(policy, names[i]) == 0)
            return 1;
    return 0;
}

int places_report_make(struct places_report *report, const char *policy)
{
    size_t places = tw_places(), pairs = places <= PLACES_SHOWN ? places * places : 0;
    *report = (struct places_report){.places = (unsigned)places,
                                     .denies_nobody = denies_nobody(policy)};
    report->stats = calloc(places, sizeof *report->stats);
    report->stolen = pairs ? calloc(pairs, sizeof *report->stolen) : NULL;
    if (!report->stats || (pairs && !report->stolen))
        return TW_ENOMEM;
    int error = tw_places_stats(report->stats, report->stolen);
    for (size_t i = 0; i < places; i++)
        figures_add(&report->sum, &report->stats[i]);
    return error;
}

void places_report_free(struct places_report *report)
{
    free(report->stats);
    free(report->stolen);
}

// ---- text ----

static void print_head(void)
{
    printf("\n  %5s %7s %12s %8s %8s %7s %8s %7s %8s %9s %9s\n", "place", "workers", "tasks",
           "got", "given", "steals", "requests", "failed", "probes", "messages", "searching");
}

static void print_row(const char *name, const struct tw_place_stats *stats)
{
    printf("  %5s %7" PRIu64 " %12" PRIu64 " %8" PRIu64 " %8" PRIu64 " %7" PRIu64 " %8" PRIu64
           " %7" PRIu64 " %8" PRIu64 " %9" PRIu64 " %7.3f s\n",
           name, stats->workers, stats->tasks, stats->tasks_got, stats->tasks_given, stats->steals,
           stats->requests, stats->failed, stats->probes, stats->messages,
           (double)stats->searching_ns * 1e-9);
}

static void print_place(const struct places_report *report, unsigned place)
{
    char name[16];
    snprintf(name, sizeof name, "%u", place);
    print_row(name, &report->stats[place]);
}

// Who ran the fewest tasks and who the most.
static void print_extremes(const struct places_report *report)
{
    unsigned least = 0, most = 0;
    for (unsigned i = 1; i < report->places; i++) {
        if (report->stats[i].tasks < report->stats[least].tasks)
            least = i;
        if (report->stats[i].tasks > report->stats[most].tasks)
            most = i;
    }
    print_place(report, least);
    if (most != least)
        print_place(report, most);
}

static void print_matrix(const struct places_report *report)
{
    printf("\n  tasks that a place took (row) from another (column)\n  %5s", "");
    for (unsigned victim = 0; victim < report->places; victim++)
        printf(" %8u", victim);
    for (unsigned thief = 0; thief < report->places; thief++) {
        printf("\n  %5u", thief);
        for (unsigned victim = 0; victim < report->places; victim++)
            if (victim == thief)
                printf(" %8s", ".");
            else
                printf(" %8" PRIu64, report->stolen[(size_t)thief * report->places + victim]);
    }
    printf("\n");
}

void places_report_text(const struct places_report *report)
{
    print_head();
    for (unsigned i = 0; report->stolen && i < report->places; i++)
        print_place(report, i);
    if (!report->stolen)
        print_extremes(report);
    print_row("all", &report->sum);
    if (report->stolen)
        print_matrix(report);
    printf("\n  all places\n");
    figures_print(&report->sum, report->denies_nobody ? FIGURES_OPEN_ZEROS : FIGURES_NO_ZEROS);
    figures_print_victims(&report->sum);
}

// ---- JSON ----

static void write_place(struct json *json, const char *key, const struct tw_place_stats *stats)
{
    json_object(json, key);
    json_count(json, "workers", stats->workers);
    figures_json(json, stats);
    json_count(json, "tasks_given", stats->tasks_given);
    figures_json_victims(json, stats);
    json_close(json);
}

void places_report_json(struct json *json, const struct places_report *report)
{
    write_place(json, "all_places", &report->sum);
    json_array(json, "place");
    for (unsigned i = 0; i < report->places; i++)
        write_place(json, NULL, &report->stats[i]);
    json_close(json);
    if (!report->stolen)
        return;
    json_array(json, "steal_matrix");
    for (unsigned thief = 0; thief < report->places; thief++) {
        json_array(json, NULL);
        for (unsigned victim = 0; victim < report->places; victim++)
            json_count(json, NULL, report->stolen[(size_t)thief * report->places + victim]);
        json_close(json);
    }
    json_close(json);
}

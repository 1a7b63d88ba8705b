// SPDX-License-Identifier: Apache-2.0
// Statistics of all places, and recordings. Each place fills in its own row of a table of zeros:
// the sum over all places is the table.
#include "place/report.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twill/place.h>
#include <twill/runtime.h>

#include "place/place.h"
#include "steal/host_record.h"

#define OF_HOST offsetof(struct tw_place_stats, messages)
#define OF_WORKERS offsetof(struct tw_place_stats, tasks)
#define COUNTS (sizeof(struct tw_place_stats) / sizeof(uint64_t))

// The counts of the policy, then those of the host, then those of the workers.
_Static_assert(sizeof(struct twi_steal_stats) == OF_HOST, "each count of a policy is told");
_Static_assert(sizeof(struct twi_host_stats) == OF_WORKERS - OF_HOST, "likewise of a host");
_Static_assert(TW_VICTIMS_MOST == TWI_VICTIMS_MOST, "likewise of victims");

// A file for each place.
static struct twi_recording *start_recording(const char *record, const struct twi_host_parts *parts)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s.%u", record, parts->rules.place);
    return (size_t)length < sizeof path ? twi_recording_create(path, parts) : NULL;
}

int twi_report_begin(struct twi_place *place, const struct twi_host_parts *parts,
                     const char *record)
{
    struct twi_report *report = &place->report;
    uint32_t places = place->fabric->places;
    if (!report->stolen)
        report->stolen = malloc(places * sizeof *report->stolen);
    if (!report->stolen)
        return TW_ENOMEM;
    memset(report->stolen, 0, places * sizeof *report->stolen);
    memset(&report->stats, 0, sizeof report->stats);
    (void)twi_recording_close(report->recording); // of a run that came to nothing
    report->recording = record ? start_recording(record, parts) : NULL;
    return record && !report->recording ? TW_EIO : 0;
}

// A policy hears of the tasks that it has asked for, and of no others.
void twi_report_step(void *recorder, uint32_t number, const struct twi_machine *machine,
                     const struct twi_event *event, const struct twi_actions *actions)
{
    struct twi_place *place = recorder;
    (void)number;
    if (machine->stats && event->kind == TWI_ON_TASKS)
        place->report.stolen[event->peer] += event->count;
    if (place->report.recording)
        twi_recording_step(place->report.recording, machine, event, actions);
}

void twi_report_end(struct twi_place *place, struct tw_stats *workers)
{
    struct tw_place_stats *stats = &place->report.stats;
    memcpy(stats, twi_host_steals(place->host), OF_HOST);
    memcpy((char *)stats + OF_HOST, twi_host_counts(place->host), OF_WORKERS - OF_HOST);
    stats->tasks = workers->sum.tasks;
    stats->workers = workers->workers;
    if (twi_recording_close(place->report.recording) != 0)
        workers->trace_error = TW_EIO;
    place->report.recording = NULL;
}

int tw_places_stats(struct tw_place_stats *stats, uint64_t *stolen)
{
    struct twi_place *place = twi_place_here();
    unsigned places = tw_places(), here = tw_here();
    memset(stats, 0, places * sizeof *stats);
    if (stolen)
        memset(stolen, 0, (size_t)places * places * sizeof *stolen);
    stats[here] = place->report.stats;
    if (stolen && place->report.stolen)
        memcpy(stolen + (size_t)here * places, place->report.stolen, places * sizeof *stolen);
    int error = tw_places_sum((uint64_t *)stats, places * COUNTS);
    return error || !stolen ? error : tw_places_sum(stolen, (size_t)places * places);
}

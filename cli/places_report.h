// SPDX-License-Identifier: Apache-2.0
// What the places of a run did: a row for each, their sums, and who took tasks from whom.
#ifndef CLI_PLACES_REPORT_H
#define CLI_PLACES_REPORT_H

#include <twill/report.h>

struct json;

struct places_report {
    unsigned places;
    struct tw_place_stats *stats; // of each
    uint64_t *stolen;             // as tw_places_stats has it; NULL: too many places
    struct tw_place_stats sum;
    int denies_nobody; // the policy: requests wait, some until all is over
};

// Collective; after a run with the policy. 0, or a TW_E... code; what there is is to be freed in
// any case.
int places_report_make(struct places_report *report, const char *policy);
void places_report_free(struct places_report *report);

void places_report_text(const struct places_report *report);
// As members of the object that is open.
void places_report_json(struct json *json, const struct places_report *report);

#endif

// SPDX-License-Identifier: Apache-2.0
// What a place remembers of its last run, for tw_places_stats. The communication worker writes it.
#ifndef TWI_REPORT_H
#define TWI_REPORT_H

#include <twill/report.h>

#include "steal/host.h"

struct twi_place;
struct tw_stats;

struct twi_report {
    struct tw_place_stats stats;
    uint64_t *stolen; // tasks, by the place they were stolen from
};

// Before a run: forgets the last. 0, or TW_ENOMEM.
int twi_report_begin(struct twi_place *place);
// What a machine of the host was told, as twi_record; the recorder is the place.
twi_record twi_report_step;
// After a run: what the host and the workers have counted.
void twi_report_end(struct twi_place *place, const struct tw_stats *workers);

#endif

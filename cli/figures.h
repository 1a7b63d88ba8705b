// SPDX-License-Identifier: Apache-2.0
// What places count, by name: the same for those that ran and for simulated ones.
#ifndef CLI_FIGURES_H
#define CLI_FIGURES_H

#include <stddef.h>

#include <twill/report.h>

struct json;

struct figure {
    const char *name, *text;
    size_t offset; // in struct tw_place_stats
};

extern const struct figure figures[]; // ends with a name of NULL

uint64_t figure_of(const struct figure *figure, const struct tw_place_stats *stats);

// Adds up what places have counted, field by field.
void figures_add(struct tw_place_stats *sum, const struct tw_place_stats *more);

// Which lines are printed though they are 0: none, those of requests that were open at the end, or
// all.
enum figures_zeros { FIGURES_NO_ZEROS, FIGURES_OPEN_ZEROS, FIGURES_ALL_ZEROS };
// One a line.
void figures_print(const struct tw_place_stats *stats, enum figures_zeros zeros);
// A line: how many victims searches asked, in percent. Nothing when no search found tasks.
void figures_print_victims(const struct tw_place_stats *stats);
// As members of the object that is open.
void figures_json(struct json *json, const struct tw_place_stats *stats);
// Those behind figures_json: the histogram of victims.
void figures_json_victims(struct json *json, const struct tw_place_stats *stats);

#endif

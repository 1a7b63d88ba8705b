// SPDX-License-Identifier: Apache-2.0
// The sections of the suite places, and what they share: lanes of programs at places (placed.h).
#ifndef TWB_PLACES_H
#define TWB_PLACES_H

#include "lanes.h"
#include "placed.h"

void twb_section_two_places(struct twb_bench *bench);   // places_speed.c
void twb_section_many_places(struct twb_bench *bench);  // places_speed.c
void twb_section_thirty_two(struct twb_bench *bench);   // places_speed.c
void twb_section_one_place(struct twb_bench *bench);    // places_speed.c
void twb_section_plain_mpi(struct twb_bench *bench);    // places_peer.c
void twb_section_success_only(struct twb_bench *bench); // places_ways.c
void twb_section_comm(struct twb_bench *bench);         // places_ways.c
void twb_section_sim(struct twb_bench *bench);          // places_sim.c
void twb_section_steal_trip(struct twb_bench *bench);   // places_cost.c
void twb_section_idle_places(struct twb_bench *bench);  // places_cost.c

// ---- places.c ----
// MPIs that --mpi wants and that work here, in turn: `at` counts from 0; NULL ends them. A remark
// says which do not.
const char *twb_places_mpi(struct twb_bench *bench, size_t at);
#define TWB_MPIS_MAX 2

// A program of `twill run` that is known to be right.
struct twb_program {
    const char *name;       // in rows
    const char *words;      // after "run"
    const char *quick_name; // smaller, for --quick
    const char *quick_words;
};
extern const struct twb_program twb_program_t1l, twb_program_t3l, twb_program_queens;

// A group whose lanes keep their texts in it.
struct twb_places {
    struct twb_group group;
    const char *section; // in rows
    struct {
        char serve[TWB_PLACED_TEXT];
        char size[40];
    } text[TWB_LANES_MAX];
};
void twb_places_start(struct twb_places *places, struct twb_bench *bench, const char *section,
                      unsigned rounds_least);
// Adds a lane for the number that `placed` names, which rows call `size`. Its index.
size_t twb_places_lane(struct twb_places *places, const struct twb_placed *placed, unsigned workers,
                       const char *size, double scale, const char *unit);
// The same for a program, in seconds, with further options (NULL: none), which rows call `way`
// (NULL: they have no name). mpi "none": one place, without a launcher.
size_t twb_places_program(struct twb_places *places, const struct twb_program *program,
                          const char *mpi, unsigned count, unsigned workers, const char *options,
                          const char *way);

#endif

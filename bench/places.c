// SPDX-License-Identifier: Apache-2.0
// The suite places: the same programs at one place and at several, over each MPI that is here.
#include "places.h"

#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "cli/validate.h"

static const char *const peers[] = {"uts-openmpi", "uts-mpich", NULL};

static const struct twb_goal goals[] = {
    {.name = "two_places",
     .sense = TWB_AT_LEAST,
     .limit = 0.93,
     .what = "speed of 2 places x 1 worker over 1 place x 2"},
    {.name = "many_places",
     .sense = TWB_AT_LEAST,
     .limit = 0.85,
     .what = "speed of 4, 8, 16 places x 1 worker on two processors over 1 place x 2"},
    {.name = "places_32",
     .sense = TWB_AT_MOST,
     .limit = TWB_PLACED_SECONDS,
     .what = "seconds of UTS T1 at 32 places on two processors: every run ends"},
    {.name = "vs_plain_mpi",
     .sense = TWB_AT_LEAST,
     .limit = 1.25,
     .what = "UTS T1 at 2 places x 1, speed over a plain MPI program that steals at random"},
    {.name = "vs_plain_mpi_T3", .sense = TWB_AT_LEAST, .limit = 1, .what = "the same on T3"},
    {.name = "vs_plain_mpi_chunks",
     .sense = TWB_AT_LEAST,
     .limit = 1.25,
     .what = "UTS T1 with tasks of up to 8 nodes, likewise"},
    {.name = "vs_plain_mpi_T3_chunks",
     .sense = TWB_AT_LEAST,
     .limit = 1,
     .what = "the same on T3"},
    {.name = "vs_tuned_mpi",
     .sense = TWB_AT_LEAST,
     .limit = 1,
     .what = "on both, speed over that program tuned for these trees"},
    {.name = "steal_trip",
     .sense = TWB_AT_MOST,
     .limit = 3,
     .what = "from request to first stolen task, over a round trip and a hot hand-over"},
    {.name = "success_only",
     .sense = TWB_AT_MOST,
     .limit = 1.03,
     .what = "time of success-only over that of baseline, 4 places x 1"},
    {.name = "one_place",
     .sense = TWB_AT_MOST,
     .limit = 1.02,
     .what = "time at 1 place under a launcher over that without"},
    {.name = "idle_places",
     .sense = TWB_AT_MOST,
     .limit = 1,
     .what = "percent of a processor that an idle place takes, the worst of 2, and of 8"},
    {.name = "comm_auto",
     .sense = TWB_AT_MOST,
     .limit = 1.03,
     .what = "time with the communication worker of auto over dedicated and over shared"},
    {.name = "sim_error",
     .sense = TWB_AT_MOST,
     .limit = VALIDATE_ERROR_MOST,
     .what = "simulated over real time less 1, the worst of works, places and policies"},
    {.name = "sim_order",
     .sense = TWB_AT_LEAST,
     .limit = 1,
     .what = "part of the pairs of policies that differ, ranked the same by simulation"},
    {.name = NULL},
};

static const struct twb_section sections[] = {
    {"two_places", "UTS T1L, T3L and 16 queens at two places", twb_section_two_places},
    {"many_places", "the same at 4, 8 and 16", twb_section_many_places},
    {"places_32", "UTS T1 at 32 places", twb_section_thirty_two},
    {"vs_plain_mpi", "UTS beside a plain MPI program", twb_section_plain_mpi},
    {"steal_trip", "how long a steal takes", twb_section_steal_trip},
    {"success_only", "two policies", twb_section_success_only},
    {"one_place", "one place with and without a launcher", twb_section_one_place},
    {"idle_places", "what idle places take of a processor", twb_section_idle_places},
    {"comm", "a processor for the communication worker, or none", twb_section_comm},
    {"sim", "real runs beside their simulations", twb_section_sim},
    {NULL, NULL, NULL},
};

const struct twb_suite twb_places_suite = {
    .name = "places",
    .help = "programs at several places, over MPI",
    .peers = peers,
    .goals = goals,
    .sections = sections,
};

// ---- which MPI ----

// By starting two places that do next to nothing.
static bool works(const char *mpi)
{
    double percent;
    return twb_placed_run(
        &(struct twb_placed){
            .mpi = mpi, .places = 2, .number = "percent", .words = "bench --at-places idle 1 2"},
        &percent);
}

const char *twb_places_mpi(struct twb_bench *bench, size_t at)
{
    static const char *const all[TWB_MPIS_MAX] = {"openmpi", "mpich"};
    static const char *found[TWB_MPIS_MAX];
    static size_t count;
    static bool known;
    for (size_t i = 0; !known && i < TWB_MPIS_MAX; i++) {
        if (bench->mpi != NULL && strcmp(bench->mpi, all[i]) != 0)
            continue;
        if (works(all[i]))
            found[count++] = all[i];
        else
            twb_report_remark(&bench->report, all[i], "left out: two places cannot be started");
    }
    known = true;
    return at < count ? found[at] : NULL;
}

// ---- lanes ----

const struct twb_program twb_program_t1l = {"T1L", "uts --style any --tree T1L", "T1",
                                            "uts --style any --tree T1"};
const struct twb_program twb_program_t3l = {"T3L", "uts --style any --tree T3L", "T3",
                                            "uts --style any --tree T3"};
const struct twb_program twb_program_queens = {"queens 16", "nqueens --n 16", "queens 13",
                                               "nqueens --n 13"};

void twb_places_start(struct twb_places *places, struct twb_bench *bench, const char *section,
                      unsigned rounds_least)
{
    places->section = section;
    twb_group_start(&places->group, bench, section, rounds_least);
}

size_t twb_places_lane(struct twb_places *places, const struct twb_placed *placed, unsigned workers,
                       const char *size, double scale, const char *unit)
{
    char *serve = places->text[places->group.lanes].serve;
    char *size_name = places->text[places->group.lanes].size;
    twb_placed_write(placed, serve);
    snprintf(size_name, sizeof places->text[0].size, "%s", size);
    return twb_group_lane(
        &places->group,
        &(struct twb_lane){.case_name = places->section,
                           .size_name = size_name,
                           .runtime = strcmp(placed->mpi, "none") == 0 ? "alone" : placed->mpi,
                           .serve = serve,
                           .workers = workers,
                           .scale = scale,
                           .unit = unit,
                           .expected = 1});
}

size_t twb_places_program(struct twb_places *places, const struct twb_program *program,
                          const char *mpi, unsigned count, unsigned workers, const char *options,
                          const char *way)
{
    char size[40];
    char words[256];
    bool quick = places->group.bench->quick;
    snprintf(size, sizeof size, "%s %ux%u%s%s", quick ? program->quick_name : program->name, count,
             workers, way ? " " : "", way ? way : "");
    snprintf(words, sizeof words, "run %s --workers %u --check table --json %s",
             quick ? program->quick_words : program->words, workers, options ? options : "");
    const struct twb_placed placed = {
        .mpi = mpi, .places = count, .number = "seconds", .words = words};
    return twb_places_lane(places, &placed, workers, size, 1, "s");
}

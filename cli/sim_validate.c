// SPDX-License-Identifier: Apache-2.0
// `twill sim validate`: real runs beside simulations of the same.
#include <stdlib.h>
#include <string.h>

#include "cli/sim.h"
#include "cli/validate.h"
#include "sim/machine.h"

enum { ROUNDS = 15, ROUNDS_QUICK = 1 };

struct settings {
    const char *machine, *mpi, *places;
    uint64_t rounds;
    bool json, quick, quiet;
};

#define FIELD(name) offsetof(struct settings, name)

static const struct cli_option options[] = {
    {"machine", "FILE", "a machine file that 'twill sim calibrate' wrote (calibrates first)",
     CLI_TEXT, FIELD(machine), 0, 0, NULL},
    {"mpi", "NAME", "which MPI: auto, openmpi or mpich (auto)", CLI_TEXT, FIELD(mpi), 0, 0, NULL},
    {"places", "LIST", "how many places (1,2,4,8; quick: 1,2)", CLI_TEXT, FIELD(places), 0, 0,
     NULL},
    {"rounds", "N", "runs of each (15; quick: 1)", CLI_COUNT, FIELD(rounds), 1,
     SAMPLES_MOST / VALIDATE_SIZES_MOST, NULL},
    {"quick", NULL, "small work, few runs", CLI_FLAG, FIELD(quick), 0, 0, NULL},
    {"json", NULL, "one JSON object on stdout instead of text", CLI_FLAG, FIELD(json), 0, 0, NULL},
    {"quiet", NULL, "no progress on stderr", CLI_FLAG, FIELD(quiet), 0, 0, NULL},
    {.name = NULL},
};

void sim_validate_help(FILE *file)
{
    struct cli_group group = {.title = "Options of sim validate", .options = options};
    cli_print_options(file, &group, 1);
}

static bool read_places(const char *text, struct validation *v)
{
    for (const char *at = text; v->sizes < VALIDATE_SIZES_MOST;) {
        char *stop;
        unsigned long places = strtoul(at, &stop, 10);
        if (stop == at || places < 1 || places > 64 || (*stop != ',' && *stop != '\0'))
            break;
        v->places[v->sizes++] = (uint32_t)places;
        if (*stop == '\0')
            return true;
        at = stop + 1;
    }
    fprintf(stderr,
            "%s: --places '%s' is no list of numbers: give up to %d from 1 to 64, such as "
            "1,2,4\n",
            v->name, text, VALIDATE_SIZES_MOST);
    return false;
}

static bool read_machine(const char *name, struct validation *v)
{
    char message[512];
    if (sim_machine_read(name, &v->machine, message, sizeof message) == 0)
        return true;
    fprintf(stderr, "%s: %s\n", v->name, message);
    return false;
}

static int run(const struct settings *settings)
{
    static struct validation v;
    v = (struct validation){.name = "twill sim validate",
                            .mpi = settings->mpi,
                            .quick = settings->quick,
                            .quiet = settings->quiet};
    v.rounds = settings->rounds  ? (unsigned)settings->rounds
               : settings->quick ? ROUNDS_QUICK
                                 : ROUNDS;
    const char *places = settings->quick ? "1,2" : "1,2,4,8";
    if (!read_places(settings->places ? settings->places : places, &v))
        return EXIT_USAGE;
    if (settings->machine && !read_machine(settings->machine, &v))
        return EXIT_USAGE;
    if (!validate(&v))
        return EXIT_FAILED;
    if (settings->json)
        validate_json(&v, stdout);
    else
        validate_print(&v, stdout);
    return EXIT_DONE;
}

int sim_validate_main(int argc, char **argv)
{
    struct settings settings = {.mpi = "auto"};
    struct cli_group group = {.title = "", .options = options, .settings = &settings};
    switch (cli_parse("twill sim validate", &group, 1, argc, argv)) {
    case CLI_ASKED_HELP:
        printf("twill sim validate [OPTION ...]\nruns the real thing beside its simulation, and "
               "compares\n");
        sim_validate_help(stdout);
        return EXIT_DONE;
    case CLI_REFUSED:
        fprintf(stderr, "'twill sim validate --help' lists the options\n");
        return EXIT_USAGE;
    case CLI_PARSED:
        return run(&settings);
    }
    return EXIT_FAILED;
}

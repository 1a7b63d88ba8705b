// SPDX-License-Identifier: Apache-2.0
// `twill sim calibrate`: measures this machine and writes it as a machine file.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/calibrate.h"
#include "cli/json.h"
#include "cli/sim.h"
#include "sim/measure.h"

struct settings {
    const char *mpi, *output;
    bool json, quick, quiet;
};

#define FIELD(name) offsetof(struct settings, name)

static const struct cli_option options[] = {
    {"output", "FILE", "the machine file to write (stdout)", CLI_TEXT, FIELD(output), 0, 0, NULL},
    {"mpi", "NAME", "which MPI: auto, openmpi or mpich (auto)", CLI_TEXT, FIELD(mpi), 0, 0, NULL},
    {"quick", NULL, "few samples", CLI_FLAG, FIELD(quick), 0, 0, NULL},
    {"json", NULL, "one JSON object on stdout instead of text", CLI_FLAG, FIELD(json), 0, 0, NULL},
    {"quiet", NULL, "no progress on stderr", CLI_FLAG, FIELD(quiet), 0, 0, NULL},
    {.name = NULL},
};

void sim_calibrate_help(FILE *file)
{
    struct cli_group group = {.title = "Options of sim calibrate", .options = options};
    cli_print_options(file, &group, 1);
}

// ---- in the processes that measure ----

static void print_note(struct sim_notes *notes, const char *name, double value)
{
    (void)notes;
    printf("%s %.1f\n", name, value);
}

static int serve_start(struct sim_notes *notes, const char *mpi, char *message, size_t size)
{
    struct tw_options run;
    char name[32];
    int error = tw_options_init(&run, message, size);
    run.mpi = mpi;
    run.workers = 1;
    if (!error)
        error = tw_places_open(&run, message, size);
    snprintf(name, sizeof name, "start-%u", tw_places());
    return error ? error : sim_measure_start(notes, &run, name);
}

// WHAT SAMPLES MPI
static int serve(int argc, char **argv)
{
    struct sim_notes notes = {print_note};
    char message[1024] = "";
    int error = TW_EINVAL;
    unsigned samples = argc == 3 ? (unsigned)atoi(argv[1]) : 0;
    if (argc == 3 && strcmp(argv[0], "alone") == 0)
        error = sim_measure_alone(&notes, samples);
    else if (argc == 3 && strcmp(argv[0], "pair") == 0)
        error = sim_measure_pair(&notes, argv[2], samples, message, sizeof message);
    else if (argc == 3 && strcmp(argv[0], "start") == 0)
        error = serve_start(&notes, argv[2], message, sizeof message);
    if (error)
        fprintf(stderr, "twill sim calibrate: %s: %s\n", argc ? argv[0] : "?",
                message[0] ? message : tw_strerror(error));
    return error ? EXIT_FAILED : EXIT_DONE;
}

// ---- the command ----

static void print_json(const struct settings *settings, const struct calibration *found,
                       const struct twi_sim_machine *machine)
{
    struct json json;
    json_start(&json, stdout);
    json_object(&json, NULL);
    json_text(&json, "mpi", settings->mpi);
    json_array(&json, "measures");
    for (int i = 0; i < CALIBRATED_COUNT; i++) {
        struct summary of = samples_summarize(&found->measure[i]);
        json_object(&json, NULL);
        json_text(&json, "name", calibrated_name((enum calibrated)i));
        json_text(&json, "meaning", calibrated_meaning((enum calibrated)i));
        json_count(&json, "samples", found->measure[i].count);
        json_real(&json, "median_ns", of.median);
        json_real(&json, "low_ns", of.low);
        json_real(&json, "high_ns", of.high);
        json_close(&json);
    }
    json_close(&json);
    calibration_json(&json, machine);
    json_close(&json);
    json_end(&json);
}

static bool write_file(const struct settings *settings, const struct calibration *found,
                       const struct twi_sim_machine *machine)
{
    FILE *file = fopen(settings->output, "w");
    if (file)
        calibration_write(file, found, machine);
    if (file && fclose(file) == 0)
        return true;
    fprintf(stderr, "twill sim calibrate: cannot write --output '%s': %s\n", settings->output,
            strerror(errno));
    return false;
}

int sim_calibrate_main(int argc, char **argv)
{
    static struct calibration found;
    struct settings settings = {.mpi = "auto"};
    struct cli_group group = {.title = "", .options = options, .settings = &settings};
    if (argc > 0 && strcmp(argv[0], "--serve") == 0)
        return serve(argc - 1, argv + 1);
    switch (cli_parse("twill sim calibrate", &group, 1, argc, argv)) {
    case CLI_ASKED_HELP:
        printf("twill sim calibrate [OPTION ...]\nmeasures this machine and its MPI, and writes a "
               "machine file\n");
        sim_calibrate_help(stdout);
        return EXIT_DONE;
    case CLI_REFUSED:
        fprintf(stderr, "'twill sim calibrate --help' lists the options\n");
        return EXIT_USAGE;
    case CLI_PARSED:
        break;
    }
    struct calibrate wish = {.name = "twill sim calibrate",
                             .mpi = settings.mpi,
                             .quick = settings.quick,
                             .quiet = settings.quiet};
    struct twi_sim_machine machine;
    if (!calibrate(&wish, &found))
        return EXIT_FAILED;
    calibration_machine(&found, &machine);
    if (settings.output && !write_file(&settings, &found, &machine))
        return EXIT_FAILED;
    if (settings.json)
        print_json(&settings, &found, &machine);
    else
        calibration_write(stdout, &found, &machine);
    return EXIT_DONE;
}

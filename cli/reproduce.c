// SPDX-License-Identifier: Apache-2.0
// `twill reproduce`: the papers and their sections. Each section has a file of its own.
#include "cli/reproduce.h"

#include <string.h>

#include "cli/command.h"
#include "cli/here.h"
#include "cli/hopper.h"
#include "cli/json.h"
#include "cli/run_table.h"
#include "cli/samples.h"

static const struct paper {
    const char *name, *title;
    const struct reproduce_section *sections[12]; // NULL ends them
} papers[] = {
    {"p3",
     "work stealing and persistence-based load balancers for iterative overdecomposed applications",
     {&reproduce_table1, &reproduce_table2, &reproduce_table3, &reproduce_figure5,
      &reproduce_figure6, &reproduce_figure7, &reproduce_figure8, &reproduce_figure9,
      &reproduce_figure7_sim, &reproduce_figure10, NULL}},
};
enum { ITERATIONS = 5, ROUNDS = 3, PAPERS = sizeof papers / sizeof papers[0] };

struct settings {
    const char *only, *output, *mpi;
    uint64_t iterations, rounds;
    bool json;
};

static const struct cli_option options[] = {
    {"only", "LIST", "sections, names with commas (all)", CLI_TEXT, offsetof(struct settings, only),
     0, 0, NULL},
    {"output", "FOLDER", "write plots (SVG) of those figures that have them into it (none)",
     CLI_TEXT, offsetof(struct settings, output), 0, 0, NULL},
    {"iterations", "N", "of runs on this machine: 5 as on Hopper, 14 as on Titan and Intrepid (5)",
     CLI_COUNT, offsetof(struct settings, iterations), ITERATIONS, RUN_TABLE_ROWS, NULL},
    {"rounds", "N", "of these, whose medians are shown (3)", CLI_COUNT,
     offsetof(struct settings, rounds), 1, SAMPLES_MOST, NULL},
    {"mpi", "NAME", "of their places: openmpi or mpich (the one that is found)", CLI_TEXT,
     offsetof(struct settings, mpi), 0, 0, NULL},
    {"json", NULL, "one JSON object on stdout instead of text", CLI_FLAG,
     offsetof(struct settings, json), 0, 0, NULL},
    {.name = NULL},
};

static const struct paper *find_paper(const char *name)
{
    for (size_t i = 0; i < PAPERS; i++)
        if (strcmp(papers[i].name, name) == 0)
            return &papers[i];
    fprintf(stderr, "twill reproduce: unknown paper '%s': give", name);
    for (size_t i = 0; i < PAPERS; i++)
        fprintf(stderr, "%s %s", i ? "," : "", papers[i].name);
    fprintf(stderr, "\n");
    return NULL;
}

static const struct reproduce_section *find_section(const struct paper *paper, const char *name,
                                                    size_t length)
{
    for (size_t i = 0; paper->sections[i]; i++)
        if (strlen(paper->sections[i]->name) == length &&
            memcmp(paper->sections[i]->name, name, length) == 0)
            return paper->sections[i];
    return NULL;
}

// Whether the section is in the list of names; an empty list has all.
static bool is_listed(const char *list, const struct reproduce_section *section)
{
    size_t length = strlen(section->name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strcspn(at, ",") == length && memcmp(at, section->name, length) == 0)
            return true;
    return !list;
}

static bool list_is_known(const struct paper *paper, const char *list)
{
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (find_section(paper, at, strcspn(at, ",")))
            continue;
        fprintf(stderr, "twill reproduce %s: --only does not know '%.*s': give", paper->name,
                (int)strcspn(at, ","), at);
        for (size_t i = 0; paper->sections[i]; i++)
            fprintf(stderr, "%s %s", i ? "," : "", paper->sections[i]->name);
        fprintf(stderr, "\n");
        return false;
    }
    return true;
}

static int reproduce(const struct paper *paper, const struct settings *settings)
{
    struct json json;
    struct reproduction reproduction = {.json = settings->json ? &json : NULL,
                                        .output = settings->output,
                                        .iterations = (unsigned)settings->iterations,
                                        .rounds = (unsigned)settings->rounds,
                                        .mpi = settings->mpi};
    if (settings->json) {
        json_start(&json, stdout);
        json_object(&json, NULL);
        json_text(&json, "paper", paper->name);
    }
    bool done = true;
    for (size_t i = 0; done && paper->sections[i]; i++)
        if (is_listed(settings->only, paper->sections[i]))
            done = paper->sections[i]->run(&reproduction);
    if (settings->json) {
        json_close(&json);
        json_end(&json);
    }
    hopper_free(reproduction.hopper);
    here_free(reproduction.here);
    return done && !reproduction.differs ? EXIT_DONE : EXIT_FAILED;
}

static int reproduce_main(int argc, char **argv)
{
    struct settings settings = {.iterations = ITERATIONS, .rounds = ROUNDS, .mpi = "auto"};
    if (argc > 0 && argv[0][0] != '-') {
        const struct paper *paper = find_paper(argv[0]);
        struct cli_group group = {.title = "", .options = options, .settings = &settings};
        int status = EXIT_USAGE;
        if (!paper || !command_options(&reproduce_command, &group, 1, argc - 1, argv + 1, &status))
            return status;
        return list_is_known(paper, settings.only) ? reproduce(paper, &settings) : EXIT_USAGE;
    }
    if (argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
        command_help(stdout, &reproduce_command);
        return EXIT_DONE;
    }
    fprintf(stderr, "twill reproduce: which paper? 'twill help reproduce' lists them\n");
    return EXIT_USAGE;
}

static void reproduce_help(FILE *file)
{
    for (size_t i = 0; i < PAPERS; i++) {
        fprintf(file, "\nSections of %s, %s\n", papers[i].name, papers[i].title);
        for (size_t j = 0; papers[i].sections[j]; j++)
            cli_print_entry(file, papers[i].sections[j]->name, papers[i].sections[j]->summary);
    }
    struct cli_group group = {.title = "Options of reproduce", .options = options};
    cli_print_options(file, &group, 1);
}

const struct command reproduce_command = {
    .name = "reproduce",
    .usage = "reproduce PAPER [OPTION ...]",
    .summary = "computes a paper's tables and figures anew and compares them with what it prints",
    .main = reproduce_main,
    .help = reproduce_help,
};

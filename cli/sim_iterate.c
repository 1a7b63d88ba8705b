// SPDX-License-Identifier: Apache-2.0
// `twill sim iterate`: a collection of tasks, run again and again, by several schemes of balancing.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sim_collection.h"
#include "cli/sim_iterations.h"
#include "sim/machine.h"

struct settings {
    struct sim_collection collection;
    const char *scheme, *machine, *start;
    uint64_t iterations, attempt_ns, null_ns, shift, seed;
    double noise;
};

#define FIELD(name) offsetof(struct settings, name)

static const struct cli_option own_options[] = {
    {"scheme", "LIST", "how tasks are balanced, or all (retentive)", CLI_TEXT, FIELD(scheme), 0, 0,
     NULL},
    {"iterations", "N", "without iteration 0, of null tasks too (5)", CLI_COUNT, FIELD(iterations),
     1, SIM_ITERATIONS_MOST, NULL},
    {"machine", "NAME", "a machine that 'twill sim machines' lists, or a file (hopper)", CLI_TEXT,
     FIELD(machine), 0, 0, NULL},
    {"attempt", "TIME", "of a steal, there and back; 0: what the machine's network takes (500us)",
     CLI_TIME, FIELD(attempt_ns), 0, 1e9, NULL},
    {"null", "TIME", "what a null task costs (10ms)", CLI_TIME, FIELD(null_ns), 1, 1e10, NULL},
    {"noise", "PERCENT", "costs differ by up to this from iteration to iteration (5)", CLI_REAL,
     FIELD(noise), 0, 99, NULL},
    {"shift", "ITERATION", "in which tasks change costs with each other; 0: none (0)", CLI_COUNT,
     FIELD(shift), 0, SIM_ITERATIONS_MOST, NULL},
    {"start", "NAME", "blocks, or N,M: every N-th core gets M tasks at a time (blocks)", CLI_TEXT,
     FIELD(start), 0, 0, NULL},
    {"seed", "SEED", "of victims and noise (1)", CLI_COUNT, FIELD(seed), 0, 1e18, NULL},
    {.name = NULL},
};

void sim_iterate_help(FILE *file)
{
    struct cli_group group = {.title = "Options of sim iterate", .options = own_options};
    cli_print_options(file, &group, 1);
}

void sim_collection_help(FILE *file)
{
    struct cli_group group = {.title = "Options of sim iterate and sim rebalance",
                              .options = sim_collection_options};
    cli_print_options(file, &group, 1);
}

void sim_schemes_help(FILE *file)
{
    fprintf(file, "\nSchemes of sim iterate\n");
    for (int i = 0; i < SIM_SCHEMES; i++)
        cli_print_entry(file, sim_scheme_names[i], sim_scheme_summaries[i]);
}

// ---- what is asked for ----

static bool read_schemes(const char *text, enum sim_scheme *schemes, size_t *count, char *message,
                         size_t size)
{
    char word[SIM_WORD_MOST] = "";
    const char *rest = strcmp(text, "all") ? text
                                           : "none,steal-all,steal,retentive,"
                                             "persist-central,persist-tree,auto";
    for (*count = 0; *count < SIM_SCHEMES && sim_next_word(&rest, word);) {
        int found = 0;
        while (found < SIM_SCHEMES && strcmp(sim_scheme_names[found], word) != 0)
            found++;
        if (found == SIM_SCHEMES)
            break;
        schemes[(*count)++] = (enum sim_scheme)found;
        word[0] = '\0';
    }
    if (*count && *rest == '\0' && word[0] == '\0')
        return true;
    int used = snprintf(message, size, "--scheme '%s' is unknown: give all, or some of", text);
    for (int i = 0; i < SIM_SCHEMES && used > 0 && (size_t)used < size; i++)
        used += snprintf(message + used, size - (size_t)used, "%s %s", i ? "," : "",
                         sim_scheme_names[i]);
    return false;
}

static bool add_runs(struct sim_iterations *all, const struct settings *settings,
                     const struct sim_iterate *common, char *message, size_t size)
{
    enum sim_scheme schemes[SIM_SCHEMES];
    size_t count;
    struct sim_numbers *cores = malloc(sizeof *cores);
    if (!cores || !read_schemes(settings->scheme, schemes, &count, message, size) ||
        !sim_collection_cores(&settings->collection, cores, message, size)) {
        free(cores);
        return false;
    }
    all->runs = calloc(count * cores->count, sizeof *all->runs);
    for (size_t i = 0; all->runs && i < cores->count; i++)
        for (size_t scheme = 0; scheme < count; scheme++) {
            struct sim_iterate *run = &all->runs[all->count++].settings;
            *run = *common;
            run->cores = (uint32_t)cores->value[i];
            run->scheme = schemes[scheme];
        }
    free(cores);
    return all->runs != NULL;
}

static bool make_runs(struct sim_iterations *all, const struct settings *settings,
                      struct sim_costs *costs, char *message, size_t size)
{
    struct sim_iterate common = {.costs = costs,
                                 .machine = &all->machine,
                                 .iterations = (uint32_t)settings->iterations,
                                 .attempt_ns = settings->attempt_ns,
                                 .null_ns = settings->null_ns,
                                 .noise = (uint32_t)(settings->noise * 1e4 + 0.5),
                                 .shift = (uint32_t)settings->shift,
                                 .seed = settings->seed,
                                 .rules = sim_collection_rules(&settings->collection)};
    return sim_collection_start(settings->start, &common.every, &common.share, message, size) &&
           sim_machine_read(settings->machine, &all->machine, message, size) == 0 &&
           add_runs(all, settings, &common, message, size) &&
           sim_collection_open(&settings->collection, costs, message, size);
}

// ---- runs ----

static bool run_all(struct sim_iterations *all, uint64_t iterations)
{
    for (size_t i = 0; i < all->count; i++) {
        struct sim_iterated *run = &all->runs[i];
        run->iterations = calloc(iterations + 1, sizeof *run->iterations);
        if (!run->iterations)
            return false;
        run->count = sim_iterate(&run->settings, run->iterations);
        if (run->count < 0)
            return false;
    }
    return true;
}

static int run(const struct settings *settings)
{
    char message[512] = "no memory";
    struct sim_iterations all = {.runs = NULL};
    struct sim_costs costs;
    int status = EXIT_USAGE;
    sim_costs_init(&costs, "");
    if (!make_runs(&all, settings, &costs, message, sizeof message)) {
        fprintf(stderr, "twill sim iterate: %s\n", message);
    } else if (!run_all(&all, settings->iterations)) {
        fprintf(stderr, "twill sim iterate: no memory\n");
        status = EXIT_FAILED;
    } else {
        sim_iterations_print(&all, settings->collection.json);
        status = EXIT_DONE;
    }
    for (size_t i = 0; i < all.count; i++)
        free(all.runs[i].iterations);
    free(all.runs);
    sim_costs_free(&costs);
    return status;
}

int sim_iterate_main(int argc, char **argv)
{
    struct sim_iterate usual;
    sim_iterate_defaults(&usual);
    struct settings settings = {.scheme = sim_scheme_names[usual.scheme],
                                .machine = "hopper",
                                .start = "blocks",
                                .iterations = 5,
                                .attempt_ns = usual.attempt_ns,
                                .null_ns = usual.null_ns,
                                .noise = usual.noise / 1e4,
                                .seed = usual.seed};
    sim_collection_defaults(&settings.collection);
    settings.collection.cores = "2400";
    struct cli_group groups[] = {
        {.title = "", .options = own_options, .settings = &settings},
        {.title = "", .options = sim_collection_options, .settings = &settings.collection},
    };
    switch (cli_parse("twill sim iterate", groups, 2, argc, argv)) {
    case CLI_ASKED_HELP:
        printf("twill sim iterate [OPTION ...]\n"
               "a collection of tasks, run again and again, by several schemes of balancing\n");
        sim_iterate_help(stdout);
        sim_collection_help(stdout);
        sim_schemes_help(stdout);
        return EXIT_DONE;
    case CLI_REFUSED:
        fprintf(stderr, "'twill sim iterate --help' lists the options\n");
        return EXIT_USAGE;
    case CLI_PARSED:
        break;
    }
    return run(&settings);
}

// SPDX-License-Identifier: Apache-2.0
// `twill bench`: options, and running the sections of a suite.
#include "bench.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "cli/options.h"
#include "experiment.h"
#include "placed.h"

static const struct twb_suite *const suites[] = {
    &twb_forkjoin, &twb_tasks,        &twb_waiting,     &twb_networks,
    &twb_sim,      &twb_places_suite, &twb_collections, NULL,
};

struct settings {
    const char *against, *only, *peers, *mpi;
    bool quick, json;
    uint64_t rounds;     // 0: each group's own
    uint64_t experiment; // 0: none
    double scale;        // 0: the experiment's own
};

static const struct cli_option options[] = {
    {"against", "LIST", "runtimes to compare with: all, none, or names with commas (all)", CLI_TEXT,
     offsetof(struct settings, against), 0, 0, NULL},
    {"only", "LIST", "sections to run, names with commas (all)", CLI_TEXT,
     offsetof(struct settings, only), 0, 0, NULL},
    {"peers", "FOLDER", "where the other runtimes' programs are (beside this command's folder)",
     CLI_TEXT, offsetof(struct settings, peers), 0, 0, NULL},
    {"quick", NULL, "few runs on small sizes, to see that everything works", CLI_FLAG,
     offsetof(struct settings, quick), 0, 0, NULL},
    {"rounds", "N", "of each comparison, instead of as many as it takes to tell", CLI_COUNT,
     offsetof(struct settings, rounds), 1, 1000, NULL},
    {"mpi", "NAME", "of the suites places and collections: openmpi or mpich (each that is here)",
     CLI_TEXT, offsetof(struct settings, mpi), 0, 0, NULL},
    {"json", NULL, "one JSON object on stdout: rows, goals, remarks", CLI_FLAG,
     offsetof(struct settings, json), 0, 0, NULL},
    {"experiment", "NUMBER", "of the suite networks, 1 to 4, instead of its sections", CLI_COUNT,
     offsetof(struct settings, experiment), 1, TWB_EXPERIMENTS, NULL},
    {"scale", "FACTOR", "of an experiment's rounds; 1: the paper's, hours (what takes minutes)",
     CLI_REAL, offsetof(struct settings, scale), 1e-6, 1, NULL},
    {.name = NULL},
};

static void print_suite(FILE *file, const struct twb_suite *suite)
{
    fprintf(file, "\nSections of %s:\n", suite->name);
    for (const struct twb_section *section = suite->sections; section->name; section++)
        cli_print_entry(file, section->name, section->help);
    if (*suite->peers == NULL)
        return;
    fprintf(file, "  Beside it, built by 'make peers':");
    for (const char *const *peer = suite->peers; *peer; peer++)
        fprintf(file, " %s", *peer);
    fputc('\n', file);
}

static void print_help(FILE *file, const struct cli_group *group)
{
    fprintf(file, "Usage: twill bench SUITE [OPTION ...]\n\nSuites:\n");
    for (const struct twb_suite *const *suite = suites; *suite; suite++)
        cli_print_entry(file, (*suite)->name, (*suite)->help);
    for (const struct twb_suite *const *suite = suites; *suite; suite++)
        print_suite(file, *suite);
    cli_print_options(file, group, 1);
}

static const struct twb_case *const pool_tables[] = {
    twb_fib_cases,     twb_search_cases,  twb_latency_cases, twb_app_cases,
    twb_loop_cases,    twb_reducer_cases, twb_kernel_cases,  twb_waiting_cases,
    twb_parking_cases, twb_scatter_cases, twb_hf_pool_cases, NULL,
};
static const struct twb_case *const plain_tables[] = {
    twb_bare_cases,   twb_pool_cases,       twb_switch_cases, twb_live_cases,    twb_sim_cases,
    twb_placed_cases, twb_collection_cases, twb_hf_cases,     twb_balance_cases, NULL,
};

static const struct twb_case *find_table(const struct twb_case *const *tables, const char *name)
{
    for (; *tables; tables++)
        if (twb_find_case(*tables, name) != NULL)
            return *tables;
    return NULL;
}

static bool set_wake(const char *wake)
{
    struct tw_options options;
    char message[200];
    setenv("TWILL_WAKE", wake, 1);
    if (tw_options_init(&options, message, sizeof message) == 0)
        return true;
    fprintf(stderr, "serve: %s\n", message);
    return false;
}

static int serve(int argc, char **argv)
{
    const char *about = "Twill " TW_VERSION;
    const char *name = argc > 0 ? argv[0] : "";
    const struct twb_case *table = find_table(pool_tables, name);
    if (argc == 4 && !set_wake(argv[--argc]))
        return 2;
    if (table == NULL) {
        table = find_table(plain_tables, name);
        // Where it is not found again, which is said.
        return twb_serve(table ? table : twb_bare_cases, about, argc, argv);
    }
    struct twb_pool_wish wish = {.bind = TW_BIND_AUTO, .spmd = table == twb_hf_pool_cases};
    if (table == twb_latency_cases) // a latency is between two processors, not workers on one
        wish.bind = TW_BIND_ON;
    if (table == twb_waiting_cases || table == twb_parking_cases || table == twb_scatter_cases)
        // as whoever has many that wait
        wish.stack_size = 64 * 1024;
    return twb_serve_in_pool(table, about, wish, argc, argv);
}

static const struct twb_suite *find_suite(const char *name)
{
    for (const struct twb_suite *const *suite = suites; *suite; suite++)
        if (strcmp((*suite)->name, name) == 0)
            return *suite;
    return NULL;
}

static bool is_section(const struct twb_suite *suite, const char *name)
{
    for (const struct twb_section *section = suite->sections; section->name; section++)
        if (strcmp(section->name, name) == 0)
            return true;
    return false;
}

static bool is_peer(const struct twb_suite *suite, const char *name)
{
    size_t length = strlen(name);
    if (strcmp(name, "all") == 0 || strcmp(name, "none") == 0)
        return true;
    for (const char *const *peer = suite->peers; *peer; peer++)
        if (strcmp(*peer, name) == 0 ||
            (strncmp(*peer, name, length) == 0 && (*peer)[length] == '-'))
            return true;
    return false;
}

// Complains about the first name of a list that is not known.
static bool list_known(const struct twb_suite *suite, const char *list, const char *option,
                       bool (*known)(const struct twb_suite *, const char *))
{
    for (const char *at = list; *at != '\0';) {
        char name[64];
        size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        if (!known(suite, name)) {
            fprintf(stderr, "twill bench %s: --%s: '%s' is not known; see 'twill bench --help'\n",
                    suite->name, option, name);
            return false;
        }
        at += length + (at[length] == ',');
    }
    return true;
}

static void find_programs(struct twb_bench *bench, const char *peers)
{
    char folder[sizeof bench->self];
    ssize_t length = readlink("/proc/self/exe", bench->self, sizeof bench->self - 1);
    bench->self[length > 0 ? length : 0] = '\0';
    snprintf(folder, sizeof folder, "%s", bench->self);
    if (peers != NULL)
        snprintf(bench->peers, sizeof bench->peers, "%s", peers);
    else
        snprintf(bench->peers, sizeof bench->peers, "%.4000s/../peers", dirname(folder));
}

// Notes what each peer was built of.
static void describe_peers(struct twb_bench *bench, const struct twb_suite *suite)
{
    for (const char *const *peer = suite->peers; *peer; peer++) {
        char command[4300], version[200] = "";
        snprintf(command, sizeof command, "'%s/%s' --version 2>/dev/null", bench->peers, *peer);
        FILE *pipe = twb_wanted(bench, *peer) ? popen(command, "re") : NULL;
        if (pipe == NULL)
            continue;
        if (fgets(version, sizeof version, pipe) != NULL) {
            version[strcspn(version, "\n")] = '\0';
            twb_report_remark(&bench->report, *peer, "%s", version);
        }
        pclose(pipe);
    }
}

static void start_bench(struct twb_bench *bench, const struct twb_suite *suite,
                        const struct settings *settings, const struct twb_goal *goals)
{
    struct tw_machine machine;
    tw_machine_describe(&machine);
    *bench = (struct twb_bench){.quick = settings->quick,
                                .rounds = (unsigned)settings->rounds,
                                .all = machine.workers,
                                .against = settings->against,
                                .mpi = settings->mpi};
    twb_report_start(&bench->report, suite->name, goals);
    bench->report.quick = settings->quick;
}

// Writes the report, frees it and gives the exit status.
static int end_bench(struct twb_bench *bench, bool json,
                     void (*print)(const struct twb_report *, FILE *))
{
    bool written = true;
    if (json)
        written = twb_report_json(&bench->report, stdout);
    else
        print(&bench->report, stdout);
    int status = written && !bench->report.wrong ? 0 : 1;
    twb_report_end(&bench->report);
    return status;
}

static int run_suite(const struct twb_suite *suite, const struct settings *settings)
{
    struct twb_bench bench;
    double start = twb_seconds();
    start_bench(&bench, suite, settings, suite->goals);
    find_programs(&bench, settings->peers);
    describe_peers(&bench, suite);
    for (const struct twb_section *section = suite->sections; section->name; section++)
        if (settings->only == NULL || twb_listed(settings->only, section->name))
            section->run(&bench);
    bench.report.seconds = twb_seconds() - start;
    return end_bench(&bench, settings->json, twb_report_print);
}

static int run_experiment(const struct twb_suite *suite, const struct settings *settings)
{
    struct twb_bench bench;
    unsigned number = (unsigned)settings->experiment;
    double start = twb_seconds();
    start_bench(&bench, suite, settings, twb_findings_goals(number));
    struct twb_runner runner = twb_runner_real(bench.all);
    FILE *table = settings->json ? NULL : stdout;
    if (!twb_experiment_run(&bench, &runner, number, settings->scale, table)) {
        fprintf(stderr, "twill bench %s: --scale: no cell has a round left\n", suite->name);
        twb_report_end(&bench.report);
        return 2;
    }
    bench.report.seconds = twb_seconds() - start;
    return end_bench(&bench, settings->json, twb_report_print_goals);
}

static bool settings_fit(const struct twb_suite *suite, const struct settings *settings)
{
    if (settings->experiment != 0 && !suite->experiments) {
        fprintf(stderr, "twill bench %s: --experiment: it has none\n", suite->name);
        return false;
    }
    if (settings->scale != 0 && settings->experiment == 0) {
        fprintf(stderr, "twill bench %s: --scale: only with --experiment\n", suite->name);
        return false;
    }
    if (settings->mpi != NULL && suite != &twb_places_suite && suite != &twb_collections) {
        fprintf(stderr, "twill bench %s: --mpi: only of the suites places and collections\n",
                suite->name);
        return false;
    }
    if (settings->mpi != NULL && !twb_listed("openmpi,mpich", settings->mpi)) {
        fprintf(stderr, "twill bench %s: --mpi: openmpi or mpich\n", suite->name);
        return false;
    }
    return list_known(suite, settings->against, "against", is_peer) &&
           (settings->only == NULL || list_known(suite, settings->only, "only", is_section));
}

int twb_main(int argc, char **argv)
{
    struct settings settings = {.against = "all"};
    struct cli_group group = {.title = "Options", .options = options, .settings = &settings};
    if (argc < 1) {
        print_help(stderr, &group);
        return 2;
    }
    if (strcmp(argv[0], "--serve") == 0)
        return serve(argc - 1, argv + 1);
    if (strcmp(argv[0], "--at-places") == 0)
        return twb_at_places(argc - 1, argv + 1);
    const struct twb_suite *suite = find_suite(argv[0]);
    int named = argv[0][0] != '-';
    if (named && suite == NULL) {
        fprintf(stderr, "twill bench: no suite '%s'; see 'twill bench --help'\n", argv[0]);
        return 2;
    }
    switch (cli_parse("twill bench", &group, 1, argc - named, argv + named)) {
    case CLI_ASKED_HELP:
        print_help(stdout, &group);
        return 0;
    case CLI_REFUSED:
        return 2;
    case CLI_PARSED:
        break;
    }
    if (suite == NULL) {
        fprintf(stderr, "twill bench: wants a suite; see 'twill bench --help'\n");
        return 2;
    }
    if (!settings_fit(suite, &settings))
        return 2;
    return settings.experiment ? run_experiment(suite, &settings) : run_suite(suite, &settings);
}

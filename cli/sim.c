// SPDX-License-Identifier: Apache-2.0
// `twill sim`: the steal protocols on simulated machines.
#include "cli/sim.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <twill/atomic.h>

#include "cli/suggest.h"
#include "sim/machine.h"
#include "sim/sweep.h"
#include "sim/trace.h"

static int stop; // set by ^C

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    TWI_STORE(&stop, 1, TWI_RELAXED); // hint
}

// ---- progress ----

struct progress {
    struct timespec begun;
    bool shown;
};

static double seconds_since(const struct timespec *begun)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begun->tv_sec) + (double)(now.tv_nsec - begun->tv_nsec) * 1e-9;
}

static void show_progress(void *self, size_t done, size_t count)
{
    struct progress *progress = self;
    enum { WIDTH = 30 };
    char bar[WIDTH + 1];
    size_t filled = done * WIDTH / count;
    memset(bar, '.', WIDTH);
    memset(bar, '#', filled);
    bar[WIDTH] = '\0';
    double left = seconds_since(&progress->begun) / (double)done * (double)(count - done);
    fprintf(stderr, "\r%zu of %zu [%s] %.0f s left  ", done, count, bar, left);
    if (done == count)
        fprintf(stderr, "\n");
    progress->shown = done != count;
}

// ---- simulations ----

static int judge(const struct sim_report *report)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->results[i].end != SIM_STOPPED &&
            (report->results[i].end != SIM_DONE || report->results[i].verdict == 0)) {
            fprintf(stderr, "twill sim: a simulation is %s, its answer %s\n",
                    sim_end_name(report->results[i].end),
                    report->results[i].verdict == 0 ? "wrong" : "not known");
            return EXIT_FAILED;
        }
    int stopped = TWI_LOAD(&stop, TWI_RELAXED); // hint
    if (stopped)
        fprintf(stderr, "twill sim: interrupted; what was finished is above\n");
    return stopped ? EXIT_FAILED : EXIT_DONE;
}

static int run_list(const struct sim_request *request, const struct sim_kind *kind,
                    struct sim_list *list, FILE *trace)
{
    struct tw_options options;
    if (!settings_start(&options))
        return EXIT_USAGE;
    if (request->jobs)
        options.workers = (unsigned)request->jobs;
    if (list->count < 2 || trace)
        options.workers = 1;
    for (size_t i = 0; i < list->count; i++) {
        list->options[i].stop = &stop;
        list->options[i].trace = trace;
    }
    struct progress progress = {.shown = false};
    clock_gettime(CLOCK_MONOTONIC, &progress.begun);
    struct sim_sweep sweep = {.options = list->options, .count = list->count};
    if (!request->quiet && list->count > 1 && isatty(STDERR_FILENO)) {
        sweep.progress = show_progress;
        sweep.self = &progress;
    }
    signal(SIGINT, on_interrupt);
    int error = sim_sweep_run(&sweep, &options);
    if (progress.shown)
        fprintf(stderr, "\n");
    int status = EXIT_FAILED;
    if (error) {
        settings_complain("twill sim", &options, error);
    } else {
        struct sim_report report = {request, kind, list->options, sweep.results, list->count};
        sim_report_print(&report);
        status = judge(&report);
    }
    sim_sweep_free(&sweep);
    return status;
}

static FILE *open_trace(const struct sim_request *request, const struct sim_list *list)
{
    if (list->count != 1) {
        fprintf(stderr, "twill sim: --trace is for one simulation, not for %zu\n", list->count);
        return NULL;
    }
    FILE *trace = fopen(request->trace, "w");
    if (trace)
        sim_trace_begin(trace);
    else
        fprintf(stderr, "twill sim: cannot write --trace '%s'\n", request->trace);
    return trace;
}

static int simulate(const struct sim_request *request, const struct sim_kind *kind)
{
    struct sim_list list;
    char message[512] = "no memory";
    if (!sim_list_make(&list, request, kind, message, sizeof message)) {
        fprintf(stderr, "twill sim %s: %s\n", kind->name, message);
        sim_list_free(&list);
        return EXIT_USAGE;
    }
    FILE *trace = request->trace ? open_trace(request, &list) : NULL;
    int status = EXIT_USAGE;
    if (!request->trace || trace)
        status = run_list(request, kind, &list, trace);
    if (trace) {
        sim_trace_end(trace);
        if (fclose(trace) != 0) {
            fprintf(stderr, "twill sim: cannot write --trace '%s'\n", request->trace);
            status = EXIT_FAILED;
        }
    }
    sim_list_free(&list);
    return status;
}

// ---- machines ----

static int machines_main(int argc, char **argv)
{
    char message[512];
    struct twi_sim_machine machine;
    if (argc == 0) {
        for (const char *const *name = sim_machine_names(); *name; name++) {
            if (sim_machine_read(*name, &machine, message, sizeof message) != 0)
                continue;
            printf("%-10s %6u places x %3u workers\n", *name, machine.places, machine.workers);
        }
        printf("'twill sim machines NAME' prints one as a file, to be changed and given by "
               "--machine ./FILE\n");
        return EXIT_DONE;
    }
    if (argc > 1) {
        fprintf(stderr, "twill sim machines: give one machine, not %d\n", argc);
        return EXIT_USAGE;
    }
    if (sim_machine_read(argv[0], &machine, message, sizeof message) != 0) {
        fprintf(stderr, "twill sim machines: %s\n", message);
        return EXIT_USAGE;
    }
    sim_machine_print(stdout, &machine);
    return EXIT_DONE;
}

// ---- the command ----

static void print_kind(FILE *file, const struct sim_kind *kind)
{
    char title[64];
    snprintf(title, sizeof title, "Options of sim %s", kind->name);
    struct cli_group group = {.title = title, .options = kind->options};
    cli_print_options(file, &group, 1);
}

static void print_common(FILE *file)
{
    struct cli_group group = {.title = "Options of every simulation",
                              .options = sim_common_options};
    cli_print_options(file, &group, 1);
    fprintf(file, "\nSteal policies\n");
    for (size_t i = 0; twi_policies[i]; i++)
        cli_print_entry(file, twi_policies[i]->name, twi_policies[i]->summary);
    fprintf(file, "\nTermination detectors\n");
    for (size_t i = 0; twi_detectors[i]; i++)
        cli_print_entry(file, twi_detectors[i]->name, twi_detectors[i]->summary);
}

static void sim_help(FILE *file)
{
    fprintf(file, "\nWhat is simulated\n");
    for (const struct sim_kind *kind = sim_kinds; kind->name; kind++)
        cli_print_entry(file, kind->name, kind->summary);
    cli_print_entry(file, "campaign", "thousands of random simulations, all checked");
    cli_print_entry(file, "iterate",
                    "a collection of tasks, run again and again: retention and rebalancing");
    cli_print_entry(file, "rebalance", "evens out uneven starts by both balancers");
    cli_print_entry(file, "machines", "lists the machines, or prints one");
    cli_print_entry(file, "replay",
                    "tells the policies of recorded places the same again: replay FILE ...");
    cli_print_entry(file, "calibrate", "measures this machine, and writes it as a machine file");
    cli_print_entry(file, "validate", "runs the real thing beside its simulation, and compares");
    for (const struct sim_kind *kind = sim_kinds; kind->name; kind++)
        print_kind(file, kind);
    print_common(file);
    sim_campaign_help(file);
    sim_iterate_help(file);
    sim_rebalance_help(file);
    sim_collection_help(file);
    sim_schemes_help(file);
    sim_calibrate_help(file);
    sim_validate_help(file);
}

static int kind_main(const struct sim_kind *kind, int argc, char **argv)
{
    struct sim_request request;
    char name[64];
    sim_request_defaults(&request);
    struct cli_group groups[] = {
        {.title = "", .options = kind->options, .settings = &request},
        {.title = "", .options = sim_common_options, .settings = &request},
    };
    snprintf(name, sizeof name, "twill sim %s", kind->name);
    switch (cli_parse(name, groups, 2, argc, argv)) {
    case CLI_ASKED_HELP:
        printf("twill sim %s [OPTION ...]\n%s\n", kind->name, kind->summary);
        print_kind(stdout, kind);
        print_common(stdout);
        return EXIT_DONE;
    case CLI_REFUSED:
        fprintf(stderr, "'twill sim %s --help' lists the options\n", kind->name);
        return EXIT_USAGE;
    case CLI_PARSED:
        break;
    }
    return simulate(&request, kind);
}

static int unknown(const char *word)
{
    static const char *const others[] = {"campaign", "iterate",   "rebalance", "machines",
                                         "replay",   "calibrate", "validate",  NULL};
    struct suggestion near;
    suggest_start(&near, word);
    fprintf(stderr, "twill sim: unknown '%s': give", word);
    for (const struct sim_kind *kind = sim_kinds; kind->name; kind++) {
        suggest_offer(&near, kind->name);
        fprintf(stderr, " %s,", kind->name);
    }
    for (size_t i = 0; others[i]; i++) {
        suggest_offer(&near, others[i]);
        fprintf(stderr, "%s %s", i == 0 ? "" : others[i + 1] ? "," : " or", others[i]);
    }
    if (near.name)
        fprintf(stderr, "; did you mean %s?", near.name);
    fprintf(stderr, "\n");
    return EXIT_USAGE;
}

static int sim_main(int argc, char **argv)
{
    if (argc == 0) {
        fprintf(stderr, "twill sim: what? 'twill help sim' lists what can be simulated\n");
        return EXIT_USAGE;
    }
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        command_help(stdout, &sim_command);
        return EXIT_DONE;
    }
    if (strcmp(argv[0], "campaign") == 0)
        return sim_campaign_main(argc - 1, argv + 1);
    if (strcmp(argv[0], "iterate") == 0)
        return sim_iterate_main(argc - 1, argv + 1);
    if (strcmp(argv[0], "rebalance") == 0)
        return sim_rebalance_main(argc - 1, argv + 1);
    if (strcmp(argv[0], "machines") == 0)
        return machines_main(argc - 1, argv + 1);
    if (strcmp(argv[0], "replay") == 0)
        return sim_replay_main(argc - 1, argv + 1);
    if (strcmp(argv[0], "calibrate") == 0)
        return sim_calibrate_main(argc - 1, argv + 1);
    if (strcmp(argv[0], "validate") == 0)
        return sim_validate_main(argc - 1, argv + 1);
    for (const struct sim_kind *kind = sim_kinds; kind->name; kind++)
        if (strcmp(kind->name, argv[0]) == 0)
            return kind_main(kind, argc - 1, argv + 1);
    return unknown(argv[0]);
}

const struct command sim_command = {
    .name = "sim",
    .usage = "sim WORK [OPTION ...]",
    .summary = "runs the steal protocols on a simulated machine",
    .main = sim_main,
    .help = sim_help,
};

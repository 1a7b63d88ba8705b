// SPDX-License-Identifier: Apache-2.0
// `twill run`: one application, once. report.c prints what came of it.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <twill/place.h>

#include "apps/app.h"
#include "cli/command.h"
#include "cli/launch.h"
#include "cli/places_report.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/suggest.h"

struct run_settings {
    bool json;
    bool sequential;
    bool progress;
    unsigned check;
    uint64_t places;
};

static const char *const checks[] = {"auto", "oracle", "table", "none", NULL};

static const struct cli_option run_options[] = {
    {"json", NULL, "one JSON object on stdout instead of text", CLI_FLAG,
     offsetof(struct run_settings, json), 0, 0, NULL},
    {"sequential", NULL, "the plain sequential program, without Twill", CLI_FLAG,
     offsetof(struct run_settings, sequential), 0, 0, NULL},
    {"check", NULL,
     "compare the result with the sequential program's or with the table of known results (auto)",
     CLI_CHOICE, offsetof(struct run_settings, check), 0, 0, checks},
    {"places", "N", "start so many places, through an MPI launcher (1)", CLI_COUNT,
     offsetof(struct run_settings, places), 1, 100000, NULL},
    {"progress", NULL,
     "tell on stderr how far a long run of uts or nqueens is, though that is no terminal", CLI_FLAG,
     offsetof(struct run_settings, progress), 0, 0, NULL},
    {.name = NULL},
};

static const struct twill_app *find_app(const char *name)
{
    struct suggestion near;
    suggest_start(&near, name);
    for (size_t i = 0; twill_apps[i]; i++) {
        if (strcmp(twill_apps[i]->name, name) == 0)
            return twill_apps[i];
        suggest_offer(&near, twill_apps[i]->name);
    }
    fprintf(stderr, "twill run: unknown application '%s': give", name);
    for (size_t i = 0; twill_apps[i]; i++)
        fprintf(stderr, "%s %s", i ? "," : "", twill_apps[i]->name);
    if (near.name)
        fprintf(stderr, "; did you mean %s?", near.name);
    fprintf(stderr, "\n");
    return NULL;
}

static void print_app_options(FILE *file, const struct twill_app *app)
{
    char title[64];
    snprintf(title, sizeof title, "Options of %s", app->name);
    struct cli_group group = {.title = title, .options = app->options};
    cli_print_options(file, &group, 1);
}

static void print_common_options(FILE *file)
{
    struct tw_options options;
    struct cli_group groups[] = {{.title = "Options of every run", .options = run_options},
                                 settings_group(&options)};
    cli_print_options(file, groups, 2);
}

static void run_help(FILE *file)
{
    fprintf(file, "\nApplications\n");
    for (size_t i = 0; twill_apps[i]; i++)
        cli_print_entry(file, twill_apps[i]->name, twill_apps[i]->summary);
    for (size_t i = 0; twill_apps[i]; i++)
        print_app_options(file, twill_apps[i]);
    print_common_options(file);
}

static int app_help(const struct twill_app *app)
{
    printf("twill run %s [OPTION ...]\n%s\n", app->name, app->summary);
    print_app_options(stdout, app);
    print_common_options(stdout);
    return EXIT_DONE;
}

// Place 0 tells how it went.
static int tell(const char *name, const struct run_settings *settings, const struct report *report,
                const struct tw_options *options)
{
    const struct app_run *run = report->run;
    if (settings->json)
        report_json(report);
    else
        report_text(report);
    if (run->checked != APP_CHECK_NONE && !run->verified) {
        fprintf(stderr, "%s: the result is wrong\n", name);
        return EXIT_FAILED;
    }
    if (report->stats && report->stats->trace_error) {
        settings_complain(name, options, report->stats->trace_error);
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

// The same for a run at several places, which all take part in the report.
static int tell_together(const char *name, const struct run_settings *settings,
                         struct report *report, const struct tw_options *options)
{
    struct places_report places;
    int error = places_report_make(&places, options->policy), status = EXIT_DONE;
    report->places = &places;
    if (error) {
        settings_complain(name, options, error);
        status = EXIT_FAILED;
    } else if (tw_here() == 0) {
        status = tell(name, settings, report, options);
    }
    places_report_free(&places);
    return status;
}

static enum app_outcome run_watched(const struct twill_app *app, const void *app_settings,
                                    struct app_run *run, bool is_wanted)
{
    struct progress progress = {.app = NULL};
    if (app->so_far && tw_here() == 0 && (is_wanted || isatty(STDERR_FILENO)))
        progress_start(&progress, app);
    run->stopped = progress_stop;
    run->watcher = &progress;
    enum app_outcome outcome = app->run(app_settings, run);
    progress_stop(&progress); // of one that was refused
    return outcome;
}

static int run_once(const char *name, const struct twill_app *app, const void *app_settings,
                    const struct run_settings *settings, struct tw_options *options)
{
    static struct tw_worker_stats worker[TW_WORKERS_MAX];
    struct tw_stats stats = {.room = TW_WORKERS_MAX, .worker = worker};
    struct app_run run = {.options = options,
                          .sequential = settings->sequential,
                          .check = (enum app_check)settings->check};
    if (tw_here() != 0)
        run.check = APP_CHECK_NONE; // place 0 does it for all
    options->stats = &stats;
    switch (run_watched(app, app_settings, &run, settings->progress)) {
    case APP_REFUSED:
        fprintf(stderr, "%s: %s\n", name, run.message);
        return EXIT_USAGE;
    case APP_FAILED:
        if (run.message[0])
            fprintf(stderr, "%s: %s\n", name, run.message);
        else
            settings_complain(name, options, run.error);
        return EXIT_FAILED;
    case APP_DONE:
        if (run.message[0])
            fprintf(stderr, "%s: warning: %s\n", name, run.message);
        break;
    }
    struct report report = {
        .app = app->name, .run = &run, .stats = settings->sequential ? NULL : &stats};
    int status = tw_places() > 1 ? tell_together(name, settings, &report, options)
                                 : tell(name, settings, &report, options);
    free(run.table.cells);
    return status;
}

// Becomes a launcher, or finds the places that one has started. `wanted` 0: as many as there are.
static int join_places(const char *name, uint64_t wanted, const struct tw_options *options,
                       char **argv)
{
    char message[1024];
    if (wanted > 1 && !launch_is_done()) {
        launch_places(name, (unsigned)wanted, options->mpi, argv);
        return EXIT_FAILED;
    }
    if (tw_places_open(options, message, sizeof message) != 0) {
        fprintf(stderr, "%s: %s\n", name, message);
        return EXIT_FAILED;
    }
    if (wanted && wanted != tw_places()) {
        fprintf(stderr, "%s: --places %u, but the launcher has started %u\n", name,
                (unsigned)wanted, tw_places());
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

static int run_app(const struct twill_app *app, void *app_settings, int argc, char **argv)
{
    struct run_settings settings = {0};
    struct tw_options options;
    if (!settings_start(&options))
        return EXIT_USAGE;
    struct cli_group groups[] = {
        {.title = "", .options = app->options, .settings = app_settings},
        {.title = "", .options = run_options, .settings = &settings},
        settings_group(&options),
    };
    char name[64];
    snprintf(name, sizeof name, "twill run %s", app->name);
    app->defaults(app_settings);
    switch (cli_parse(name, groups, 3, argc, argv)) {
    case CLI_ASKED_HELP:
        return app_help(app);
    case CLI_REFUSED:
        fprintf(stderr, "'twill run %s --help' lists the options\n", app->name);
        return EXIT_USAGE;
    case CLI_PARSED:
        break;
    }
    int status = join_places(name, settings.places, &options, argv - 3); // twill run APP
    if (status == EXIT_DONE && options.record && tw_places() == 1)
        fprintf(stderr, "%s: nothing is recorded: one place steals from nobody\n", name);
    return status != EXIT_DONE ? status : run_once(name, app, app_settings, &settings, &options);
}

static int run_main(int argc, char **argv)
{
    if (argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
        command_help(stdout, &run_command);
        return EXIT_DONE;
    }
    if (argc == 0) {
        fprintf(stderr, "twill run: which application? 'twill help run' lists them\n");
        return EXIT_USAGE;
    }
    const struct twill_app *app = find_app(argv[0]);
    if (!app)
        return EXIT_USAGE;
    void *app_settings = malloc(app->settings_size);
    if (!app_settings) {
        fprintf(stderr, "twill run: no memory\n");
        return EXIT_FAILED;
    }
    int status = run_app(app, app_settings, argc - 1, argv + 1);
    free(app_settings);
    return status;
}

const struct command run_command = {
    .name = "run",
    .usage = "run APP [OPTION ...]",
    .summary = "runs an application once, checks its result and tells how long it took",
    .main = run_main,
    .help = run_help,
};

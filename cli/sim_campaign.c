// SPDX-License-Identifier: Apache-2.0
// `twill sim campaign`: random simulations until one fails.
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <twill/atomic.h>

#include "cli/json.h"
#include "cli/sim.h"
#include "sim/campaign.h"

struct campaign_settings {
    uint64_t seeds, first, jobs;
    const char *with;
    bool json, quiet;
};

#define FIELD(name) offsetof(struct campaign_settings, name)

static const struct cli_option campaign_options[] = {
    {"seeds", "COUNT", "scenarios, one from each seed (1000)", CLI_COUNT, FIELD(seeds), 1, 1e9,
     NULL},
    {"seed", "SEED", "the first seed (1)", CLI_COUNT, FIELD(first), 0, 1e18, NULL},
    {"with", "CHANGES",
     "numbers of every scenario instead of those drawn, such as 'places=3 jitter=0'", CLI_TEXT,
     FIELD(with), 0, 0, NULL},
    {"jobs", "N", "scenarios at the same time (the processors here)", CLI_COUNT, FIELD(jobs), 1,
     1024, NULL},
    {"json", NULL, "one JSON object on stdout instead of text", CLI_FLAG, FIELD(json), 0, 0, NULL},
    {"quiet", NULL, "no progress on stderr", CLI_FLAG, FIELD(quiet), 0, 0, NULL},
    {.name = NULL},
};

static int stop; // set by ^C

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    TWI_STORE(&stop, 1, TWI_RELAXED); // hint
}

static void show_progress(void *self, uint64_t done, uint64_t count)
{
    (void)self;
    fprintf(stderr, "\r%" PRIu64 " of %" PRIu64 " scenarios  ", done, count);
}

void sim_campaign_help(FILE *file)
{
    struct cli_group group = {.title = "Options of sim campaign", .options = campaign_options};
    cli_print_options(file, &group, 1);
}

// Only what differs from what the seed draws.
static void print_repeat(FILE *file, const struct sim_scenario *scenario)
{
    struct sim_scenario drawn;
    const char *separator = " --with '";
    sim_scenario_draw(&drawn, scenario->seed);
    fprintf(file, "twill sim campaign --seeds 1 --seed %" PRIu64, scenario->seed);
    for (int knob = 0; knob < SIM_KNOBS; knob++)
        if (scenario->knob[knob] != drawn.knob[knob]) {
            fprintf(file, "%s%s=%" PRIu64, separator, sim_knob_name((enum sim_knob)knob),
                    scenario->knob[knob]);
            separator = " ";
        }
    fprintf(file, "%s\n", strcmp(separator, " ") == 0 ? "'" : "");
}

static void print_failure(struct sim_campaign *campaign)
{
    struct sim_scenario small = campaign->scenario;
    fprintf(stderr, "twill sim campaign: %s, %s: %s\nto repeat it:\n  ",
            twi_policies[small.knob[SIM_KNOB_POLICY]]->name,
            twi_detectors[small.knob[SIM_KNOB_DETECTOR]]->name, campaign->trouble);
    print_repeat(stderr, &campaign->scenario);
    sim_scenario_minimise(&small, campaign->trouble);
    fprintf(stderr, "made small: %s\n  ", campaign->trouble);
    print_repeat(stderr, &small);
}

static void print_result(const struct campaign_settings *settings,
                         const struct sim_campaign *campaign)
{
    char number[3][NUMBER_MAX];
    if (!settings->json) {
        printf("%s scenarios, %s tasks, %s events: %s\n", text_number(number[0], campaign->done),
               text_number(number[1], campaign->tasks), text_number(number[2], campaign->events),
               campaign->failed ? "one failed" : "nothing was wrong");
        return;
    }
    struct json json;
    json_start(&json, stdout);
    json_object(&json, NULL);
    json_count(&json, "scenarios", campaign->done);
    json_count(&json, "tasks", campaign->tasks);
    json_count(&json, "events", campaign->events);
    json_bool(&json, "failed", campaign->failed);
    json_close(&json);
    json_end(&json);
}

static int run_campaign(const struct campaign_settings *settings)
{
    struct tw_options options;
    char message[256];
    struct sim_scenario scenario;
    sim_scenario_draw(&scenario, settings->first);
    if (settings->with &&
        sim_scenario_change(&scenario, settings->with, message, sizeof message) != 0) {
        fprintf(stderr, "twill sim campaign: --with %s\n", message);
        return EXIT_USAGE;
    }
    if (!settings_start(&options))
        return EXIT_USAGE;
    if (settings->jobs)
        options.workers = (unsigned)settings->jobs;
    struct sim_campaign campaign = {.first = settings->first,
                                    .count = settings->seeds,
                                    .change = settings->with,
                                    .stop = &stop};
    bool shows = !settings->quiet && isatty(STDERR_FILENO);
    if (shows)
        campaign.progress = show_progress;
    signal(SIGINT, on_interrupt);
    int error = sim_campaign_run(&campaign, &options);
    if (shows)
        fprintf(stderr, "\n");
    if (error) {
        settings_complain("twill sim campaign", &options, error);
        return EXIT_FAILED;
    }
    print_result(settings, &campaign);
    if (campaign.failed)
        print_failure(&campaign);
    return campaign.failed || campaign.done < settings->seeds ? EXIT_FAILED : EXIT_DONE;
}

int sim_campaign_main(int argc, char **argv)
{
    struct campaign_settings settings = {.seeds = 1000, .first = 1};
    struct cli_group group = {.title = "", .options = campaign_options, .settings = &settings};
    switch (cli_parse("twill sim campaign", &group, 1, argc, argv)) {
    case CLI_ASKED_HELP:
        printf("twill sim campaign [OPTION ...]\nthousands of random simulations, all checked\n");
        sim_campaign_help(stdout);
        return EXIT_DONE;
    case CLI_REFUSED:
        fprintf(stderr, "'twill sim campaign --help' lists the options\n");
        return EXIT_USAGE;
    case CLI_PARSED:
        break;
    }
    return run_campaign(&settings);
}

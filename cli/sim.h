// SPDX-License-Identifier: Apache-2.0
// `twill sim`: what its files share.
#ifndef CLI_SIM_H
#define CLI_SIM_H

#include "cli/command.h"
#include "sim/run.h"

// What the user asked for: one simulation, or all combinations of several values.
struct sim_request {
    // Of every simulation. Lists are separated by commas, ranges written 1..10.
    const char *machine, *places, *policy, *detector, *seed;
    uint64_t workers, threshold, batch, hungry, tries, lifelines, phases, jobs, node_ns, jitter_ns;
    unsigned order, communication;
    double network;
    bool json, csv, by_place, quiet;
    const char *trace;
    // Of the kinds of work.
    const char *tree, *file;
    uint64_t chunk, n, cutoff, tasks, mean_ns, fanout, depth, work_seed;
    unsigned distribution, placement;
};

struct sim_kind {
    const char *name, *summary;
    const struct cli_option *options;
    struct sim_work *(*make)(const struct sim_request *request, uint64_t node_ns, char *message,
                             size_t size);
};

extern const struct sim_kind sim_kinds[]; // ends with a name of NULL
extern const struct cli_option sim_common_options[];
void sim_request_defaults(struct sim_request *request);

// ---- sim_list.c ----

struct sim_list {
    struct sim_work *work;
    struct sim_options *options;
    size_t count;
};

// All simulations asked for. False: `message` says what is wrong.
bool sim_list_make(struct sim_list *list, const struct sim_request *request,
                   const struct sim_kind *kind, char *message, size_t size);
void sim_list_free(struct sim_list *list);

enum { SIM_VALUES_MOST = 4096, SIM_WORD_MOST = 64 };

struct sim_numbers {
    uint64_t value[SIM_VALUES_MOST];
    size_t count;
};

// A list such as "4,8" or "1..10". False: `message` says what is wrong with the option.
bool sim_read_numbers(struct sim_numbers *numbers, const char *option, const char *text,
                      uint64_t least, uint64_t most, char *message, size_t size);
// Takes the next word off a list separated by commas. False: there is none, or it is too long.
bool sim_next_word(const char **text, char word[SIM_WORD_MOST]);

// ---- sim_report.c ----

struct sim_report {
    const struct sim_request *request;
    const struct sim_kind *kind;
    const struct sim_options *list;
    const struct sim_result *results;
    size_t count;
};

void sim_report_print(const struct sim_report *report);

// ---- sim_campaign.c ----
int sim_campaign_main(int argc, char **argv);
void sim_campaign_help(FILE *file);

// ---- sim_iterate.c ----
int sim_iterate_main(int argc, char **argv);
void sim_iterate_help(FILE *file);
void sim_collection_help(FILE *file); // what both have
void sim_schemes_help(FILE *file);

// ---- sim_rebalance.c ----
int sim_rebalance_main(int argc, char **argv);
void sim_rebalance_help(FILE *file);

// ---- sim_replay.c ----
int sim_replay_main(int argc, char **argv);

// ---- sim_calibrate.c ----
int sim_calibrate_main(int argc, char **argv);
void sim_calibrate_help(FILE *file);

// ---- sim_validate.c ----
int sim_validate_main(int argc, char **argv);
void sim_validate_help(FILE *file);

#endif

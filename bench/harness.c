// SPDX-License-Identifier: Apache-2.0
// See harness.h.
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The seed of bootstraps: any number, always the same.
#define SEED 20

bool twb_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; *at != '\0';) {
        size_t word = strcspn(at, ",");
        if (word == length && strncmp(at, name, length) == 0)
            return true;
        at += word + (at[word] == ',');
    }
    return false;
}

bool twb_wanted(const struct twb_bench *bench, const char *peer)
{
    char family[32];
    snprintf(family, sizeof family, "%.*s", (int)strcspn(peer, "-"), peer);
    return strcmp(bench->against, "all") == 0 || twb_listed(bench->against, peer) ||
           twb_listed(bench->against, family);
}

void twb_group_start(struct twb_group *group, struct twb_bench *bench, const char *title,
                     unsigned rounds_least)
{
    *group = (struct twb_group){.bench = bench, .title = title};
    group->rounds_least = bench->quick ? TWB_ROUNDS_QUICK : rounds_least;
    group->rounds_most = bench->quick ? TWB_ROUNDS_QUICK : 3 * rounds_least;
    if (bench->rounds)
        group->rounds_least = group->rounds_most = bench->rounds;
}

size_t twb_group_lane(struct twb_group *group, const struct twb_lane *lane)
{
    if (group->lanes == TWB_LANES_MAX)
        abort();
    struct twb_lane *copy = &group->lane[group->lanes];
    *copy = *lane;
    snprintf(copy->number, sizeof copy->number, "%ld", lane->size);
    copy->sample = malloc(group->rounds_most * sizeof *copy->sample);
    if (copy->sample == NULL)
        abort();
    return group->lanes++;
}

void twb_group_claim(struct twb_group *group, const char *goal, enum twb_measure measure,
                     size_t lane, size_t base)
{
    if (group->claims == TWB_CLAIMS_MAX)
        abort();
    group->claim[group->claims++] =
        (struct twb_claim){.goal = goal, .measure = measure, .lane = lane, .base = base};
}

static void drop_lane(struct twb_group *group, struct twb_lane *lane, const char *why)
{
    twb_report_remark(&group->bench->report, lane->runtime, "%s %s left out: %s", lane->case_name,
                      lane->size_name ? lane->size_name : lane->number, why);
    twb_server_stop(&lane->server);
    lane->absent = true;
    lane->n = 0;
}

static bool start_server(const struct twb_bench *bench, struct twb_lane *lane)
{
    char workers[16], size[32], path[4200];
    snprintf(workers, sizeof workers, "%u", lane->workers);
    snprintf(size, sizeof size, "%ld", lane->size);
    snprintf(path, sizeof path, "%s/%s", bench->peers, lane->program ? lane->program : "");
    const char *peer[] = {path, lane->serve, workers, size, NULL};
    const char *twill[] = {bench->self, "bench", "--serve",  lane->serve,
                           workers,     size,    lane->wake, NULL};
    return twb_server_start(&lane->server, lane->program ? peer : twill, -1);
}

// One run; false when the lane is lost.
static bool ask(struct twb_group *group, struct twb_lane *lane, double *value)
{
    uint64_t check = 0;
    if (lane->server.pid == 0 && !start_server(group->bench, lane)) {
        drop_lane(group, lane, "it cannot be started");
        return false;
    }
    if (!twb_server_ask(&lane->server, value, &check)) {
        drop_lane(group, lane, "it gave no answer");
        return false;
    }
    if (check != lane->expected) {
        group->bench->report.wrong = true;
        drop_lane(group, lane, "its answer is wrong");
        return false;
    }
    *value *= lane->scale;
    return true;
}

static void run_lane(struct twb_group *group, struct twb_lane *lane)
{
    double value;
    if (lane->absent || !ask(group, lane, &value))
        return;
    if (lane->peak)
        value = twb_server_peak_bytes(&lane->server) * lane->scale;
    if (lane->fresh)
        twb_server_stop(&lane->server);
    lane->sample[lane->n++] = value;
}

// Finds what is absent; runs the others once unmeasured, for they grow their stacks and caches.
static void warm_up(struct twb_group *group, struct twb_lane *lane)
{
    char path[4200];
    double value;
    if (lane->program != NULL) {
        snprintf(path, sizeof path, "%s/%s", group->bench->peers, lane->program);
        if (access(path, X_OK) != 0) {
            lane->absent = true;
            twb_report_remark(&group->bench->report, lane->runtime,
                              "left out, not built (make peers)");
            return;
        }
    }
    if (!lane->fresh)
        ask(group, lane, &value);
}

// Every other round goes backwards: a steady drift of the machine then favours nobody.
static void run_round(struct twb_group *group, unsigned round)
{
    for (size_t i = 0; i < group->lanes; i++)
        run_lane(group, &group->lane[round % 2 ? group->lanes - 1 - i : i]);
}

static bool claim_interval(const struct twb_group *group, const struct twb_claim *claim,
                           struct twb_interval *interval)
{
    const struct twb_lane *lane = &group->lane[claim->lane], *base = &group->lane[claim->base];
    if (lane->n == 0 || base->n == 0)
        return false;
    switch (claim->measure) {
    case TWB_VALUE:
        *interval = twb_median_interval(lane->sample, lane->n);
        break;
    case TWB_RATIO:
        *interval = twb_pair_ratio(lane->sample, base->sample, lane->n);
        break;
    case TWB_BEST_RATIO:
        *interval = twb_best_ratio(lane->sample, base->sample, lane->n, SEED);
        break;
    }
    return true;
}

static bool cannot_tell(const struct twb_group *group)
{
    for (size_t i = 0; i < group->claims; i++) {
        const struct twb_claim *claim = &group->claim[i];
        const struct twb_goal *goal = twb_report_find_goal(&group->bench->report, claim->goal);
        struct twb_interval interval;
        if (claim_interval(group, claim, &interval) &&
            twb_judge(interval, goal->limit, goal->sense) == TWB_CANNOT_TELL)
            return true;
    }
    return false;
}

static void report_group(struct twb_group *group)
{
    struct twb_report *report = &group->bench->report;
    for (size_t i = 0; i < group->lanes; i++) {
        struct twb_lane *lane = &group->lane[i];
        struct twb_row row = {.case_name = lane->case_name,
                              .runtime = lane->runtime,
                              .workers = lane->workers,
                              .unit = lane->unit};
        snprintf(row.size, sizeof row.size, "%s", lane->size_name ? lane->size_name : lane->number);
        twb_report_samples(report, &row, lane->sample, lane->n);
    }
    for (size_t i = 0; i < group->claims; i++) {
        struct twb_interval interval;
        if (claim_interval(group, &group->claim[i], &interval))
            twb_report_goal(report, group->claim[i].goal, interval);
    }
}

static void free_group(struct twb_group *group)
{
    for (size_t i = 0; i < group->lanes; i++) {
        twb_server_stop(&group->lane[i].server);
        free(group->lane[i].sample);
    }
}

void twb_group_run(struct twb_group *group)
{
    for (size_t i = 0; i < group->lanes; i++)
        warm_up(group, &group->lane[i]);
    unsigned rounds = group->rounds_least;
    fprintf(stderr, "bench: %s ", group->title);
    for (unsigned round = 0; round < rounds; round++) {
        run_round(group, round);
        fputc('.', stderr);
        if (round + 1 == rounds && rounds < group->rounds_most && cannot_tell(group))
            rounds += (group->rounds_most - group->rounds_least) / 2;
    }
    fputc('\n', stderr);
    report_group(group);
    free_group(group);
}

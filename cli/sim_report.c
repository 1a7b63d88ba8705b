// SPDX-License-Identifier: Apache-2.0
// What simulations found, as text, JSON or lines of values.
#include "cli/sim.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/figures.h"
#include "cli/json.h"

// As places that ran have it.
static struct tw_place_stats counts_of(const struct sim_stats *stats)
{
    struct tw_place_stats counts = {.tasks = stats->tasks};
    memcpy(&counts, &stats->steals, sizeof stats->steals);
    memcpy((char *)&counts + offsetof(struct tw_place_stats, messages), &stats->host,
           sizeof stats->host);
    return counts;
}

static double seconds(uint64_t ns)
{
    return (double)ns * 1e-9;
}

static double efficiency(const struct sim_options *options, const struct sim_result *result)
{
    double workers = (double)options->machine.places * options->machine.workers;
    if (options->machine.cores && workers > options->machine.cores)
        workers = options->machine.cores;
    return result->makespan_ns ? (double)result->work_ns / ((double)result->makespan_ns * workers)
                               : 0;
}

static const char *verdict(const struct sim_result *result)
{
    return result->end != SIM_DONE ? sim_end_name(result->end)
           : result->verdict > 0   ? "right"
           : result->verdict == 0  ? "wrong"
                                   : "unchecked";
}

// ---- JSON ----

static void json_stats(struct json *json, const char *key, const struct sim_stats *stats)
{
    struct tw_place_stats counts = counts_of(stats);
    json_object(json, key);
    figures_json(json, &counts);
    json_count(json, "busy_ns", stats->busy_ns);
    figures_json_victims(json, &counts);
    json_close(json);
}

static void json_one(struct json *json, const struct sim_report *report, size_t number)
{
    const struct sim_options *options = &report->list[number];
    const struct sim_result *result = &report->results[number];
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, result->trace_hash);
    json_object(json, NULL);
    json_text(json, "work", report->kind->name);
    json_text(json, "machine", options->machine.name);
    json_count(json, "places", options->machine.places);
    json_count(json, "workers", options->machine.workers);
    json_text(json, "policy", options->policy->name);
    json_text(json, "detector", options->detector->name);
    json_count(json, "seed", options->seed);
    json_text(json, "end", sim_end_name(result->end));
    json_text(json, "answer", verdict(result));
    json_count(json, "nodes", result->answer.nodes);
    json_count(json, "result", result->answer.result);
    json_real(json, "makespan_s", seconds(result->makespan_ns));
    json_real(json, "last_task_s", seconds(result->last_task_ns));
    json_real(json, "work_s", seconds(result->work_ns));
    json_real(json, "efficiency", efficiency(options, result));
    json_count(json, "events", result->events);
    json_text(json, "trace_hash", hash);
    json_count(json, "memory", result->bytes);
    json_stats(json, "sum", &result->sum);
    if (report->request->by_place && result->place) {
        json_array(json, "place");
        for (uint32_t i = 0; i < options->machine.places; i++)
            json_stats(json, NULL, &result->place[i]);
        json_close(json);
    }
    json_close(json);
}

static void print_json(const struct sim_report *report)
{
    struct json json;
    json_start(&json, stdout);
    if (report->count != 1)
        json_array(&json, NULL);
    for (size_t i = 0; i < report->count; i++)
        json_one(&json, report, i);
    if (report->count != 1)
        json_close(&json);
    json_end(&json);
}

// ---- lines ----

static void print_csv(const struct sim_report *report)
{
    printf(
        "work,machine,places,workers,policy,detector,seed,end,answer,nodes,makespan_s,efficiency,"
        "events,trace_hash");
    for (const struct figure *figure = figures; figure->name; figure++)
        printf(",%s", figure->name);
    printf(",busy_ns\n");
    for (size_t i = 0; i < report->count; i++) {
        const struct sim_options *options = &report->list[i];
        const struct sim_result *result = &report->results[i];
        struct tw_place_stats sum = counts_of(&result->sum);
        printf("%s,%s,%" PRIu32 ",%" PRIu32 ",%s,%s,%" PRIu64 ",%s,%s,%" PRIu64
               ",%.9f,%.6f,%" PRIu64 ",%016" PRIx64,
               report->kind->name, options->machine.name, options->machine.places,
               options->machine.workers, options->policy->name, options->detector->name,
               options->seed, sim_end_name(result->end), verdict(result), result->answer.nodes,
               seconds(result->makespan_ns), efficiency(options, result), result->events,
               result->trace_hash);
        for (const struct figure *figure = figures; figure->name; figure++)
            printf(",%" PRIu64, figure_of(figure, &sum));
        printf(",%" PRIu64 "\n", result->sum.busy_ns);
    }
}

// ---- text ----

static void print_one(const struct sim_report *report)
{
    const struct sim_options *options = &report->list[0];
    const struct sim_result *result = &report->results[0];
    struct tw_place_stats sum = counts_of(&result->sum);
    char number[NUMBER_MAX];
    printf("%s on %s, %" PRIu32 " places x %" PRIu32 " workers, %s, %s, seed %" PRIu64 "\n",
           report->kind->name, options->machine.name, options->machine.places,
           options->machine.workers, options->policy->name, options->detector->name, options->seed);
    printf("  %-34s %s (%s)\n", "nodes", text_number(number, result->answer.nodes),
           verdict(result));
    printf("  %-34s %.6f s\n", "makespan", seconds(result->makespan_ns));
    printf("  %-34s %.6f s\n", "last task", seconds(result->last_task_ns));
    printf("  %-34s %.1f %%\n", "efficiency", 100 * efficiency(options, result));
    printf("  %-34s %s\n", "events", text_number(number, result->events));
    printf("  %-34s %016" PRIx64 "\n", "trace hash", result->trace_hash);
    printf("  %-34s %s bytes\n", "memory", text_number(number, result->bytes));
    figures_print(&sum, FIGURES_ALL_ZEROS);
    printf("  %-34s %s\n", "time of workers, ns", text_number(number, result->sum.busy_ns));
    figures_print_victims(&sum);
}

static int is_same_row(const struct sim_options *a, const struct sim_options *b)
{
    return a->policy == b->policy && a->detector == b->detector &&
           a->machine.places == b->machine.places;
}

static int compare_times(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

// A row of the table: all seeds of one policy, detector and size.
static void print_row(const struct sim_report *report, size_t from, size_t to, uint64_t *times)
{
    const struct sim_options *options = &report->list[from];
    struct {
        double efficiency, steals, failed, probes, messages;
    } mean = {0};
    size_t done = 0;
    const char *words = "right";
    for (size_t i = from; i < to; i++) {
        const struct sim_result *result = &report->results[i];
        if (result->end != SIM_DONE || result->verdict == 0)
            words = verdict(result);
        if (result->end != SIM_DONE)
            continue;
        times[done++] = result->makespan_ns;
        mean.efficiency += efficiency(&report->list[i], result);
        mean.steals += (double)result->sum.steals.steals;
        mean.failed += (double)result->sum.steals.failed;
        mean.probes += (double)result->sum.steals.probes;
        mean.messages += (double)result->sum.host.packets;
    }
    printf("%-21s %-7s %7" PRIu32 " %5zu ", options->policy->name, options->detector->name,
           options->machine.places, done);
    if (!done) {
        printf("%s\n", words);
        return;
    }
    qsort(times, done, sizeof *times, compare_times);
    printf("%11.6f %11.6f %11.6f %6.1f %9.0f %9.0f %10.0f %10.0f  %s\n", seconds(times[done / 2]),
           seconds(times[0]), seconds(times[done - 1]), 100 * mean.efficiency / (double)done,
           mean.steals / (double)done, mean.failed / (double)done, mean.probes / (double)done,
           mean.messages / (double)done, words);
}

static void print_table(const struct sim_report *report)
{
    uint64_t *times = malloc(report->count * sizeof *times);
    if (!times) {
        fprintf(stderr, "twill sim: no memory for the table\n");
        return;
    }
    printf("%s on %s; makespans of all seeds in seconds, the rest are means\n", report->kind->name,
           report->list[0].machine.name);
    printf("%-21s %-7s %7s %5s %11s %11s %11s %6s %9s %9s %10s %10s\n", "policy", "detect",
           "places", "seeds", "median", "least", "most", "eff %", "steals", "failed", "probes",
           "messages");
    for (size_t from = 0, to; from < report->count; from = to) {
        for (to = from + 1;
             to < report->count && is_same_row(&report->list[from], &report->list[to]);)
            to++;
        print_row(report, from, to, times);
    }
    free(times);
}

void sim_report_print(const struct sim_report *report)
{
    if (report->request->json)
        print_json(report);
    else if (report->request->csv)
        print_csv(report);
    else if (report->count == 1)
        print_one(report);
    else
        print_table(report);
}

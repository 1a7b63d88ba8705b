// SPDX-License-Identifier: Apache-2.0
#include "cli/sim_iterations.h"

#include <inttypes.h>
#include <string.h>

#include "cli/command.h"
#include "cli/json.h"
#include "sim/table2.h"

static double seconds(uint64_t ns)
{
    return (double)ns * 1e-9;
}

// Time of all cores of the best iteration without null tasks, of any scheme at any size: what the
// paper calls an efficiency of 1.
static double best_time(const struct sim_iterations *all)
{
    double best = 0;
    for (size_t i = 0; i < all->count; i++)
        for (int k = 0; k < all->runs[i].count; k++) {
            const struct sim_iteration *iteration = &all->runs[i].iterations[k];
            double time = seconds(iteration->makespan_ns) * all->runs[i].settings.cores;
            if (iteration->number > 0 && (best == 0 || time < best))
                best = time;
        }
    return best;
}

static double relative(const struct sim_iterated *run, const struct sim_iteration *iteration,
                       double best)
{
    double time = seconds(iteration->makespan_ns) * run->settings.cores;
    return time > 0 ? best / time : 0;
}

// How busy the cores were, from 0 to 1, in stretch `i`; the last may be cut short.
static double usage(const struct sim_iterated *run, const struct sim_iteration *iteration, int i)
{
    uint64_t width = iteration->usage.width_ns, begin = width * (uint64_t)i;
    uint64_t left = iteration->makespan_ns - begin;
    uint64_t time = left < width ? left : width;
    return (double)iteration->usage.busy_ns[i] / ((double)time * run->settings.cores);
}

// What the paper has of the same.
static const struct sim_table2 *printed(const struct sim_iterated *run,
                                        const struct sim_iteration *iteration)
{
    const struct sim_iterate *settings = &run->settings;
    if (strcmp(settings->costs->name, "hf-be256") != 0 || settings->every ||
        settings->scheme != SIM_SCHEME_RETENTIVE)
        return NULL;
    return sim_table2_printed(settings->cores, iteration->number);
}

// ---- text ----

static void print_line(const struct sim_iterated *run, const struct sim_iteration *iteration,
                       double best)
{
    printf("%9u %10.3f %10.3f %9.3f %10.3f %8.0f /%6.0f %7.2f /%5.2f %7.1f /%5.1f",
           iteration->number, seconds(iteration->makespan_ns),
           sim_iteration_efficiency(iteration, run->settings.cores), relative(run, iteration, best),
           seconds(iteration->most_ns), iteration->attempts.mean, iteration->attempts.deviation,
           iteration->steals.mean, iteration->steals.deviation, iteration->tasks.mean,
           iteration->tasks.deviation);
    const struct sim_table2 *paper = printed(run, iteration);
    if (iteration->is_rebalanced)
        printf("  %u moved", iteration->rebalanced.moved);
    if (paper)
        printf("  the paper: %.0f / %.0f, %g / %g", paper->attempts.mean, paper->attempts.deviation,
               paper->steals.mean, paper->steals.deviation);
    printf("\n");
}

static void print_text(const struct sim_iterations *all)
{
    double best = best_time(all);
    char number[3][NUMBER_MAX];
    for (size_t i = 0; i < all->count; i++) {
        const struct sim_iterated *run = &all->runs[i];
        const struct sim_costs *costs = run->settings.costs;
        printf("%s%s, %s: %s tasks, with null ones %s, on %s cores\n", i ? "\n" : "", costs->name,
               sim_scheme_names[run->settings.scheme], text_number(number[0], costs->tasks),
               text_number(number[1], costs->all), text_number(number[2], run->settings.cores));
        printf("iteration     time s efficiency  relative  busiest s  attempts / sd    steals / sd"
               "    tasks / sd\n");
        for (int k = 0; k < run->count; k++)
            print_line(run, &run->iterations[k], best);
    }
}

// ---- JSON ----

static void json_spread(struct json *json, const char *key, struct sim_spread_of spread)
{
    json_object(json, key);
    json_real(json, "mean", spread.mean);
    json_real(json, "deviation", spread.deviation);
    json_close(json);
}

static void json_rebalance(struct json *json, const struct sim_iteration *iteration)
{
    json_object(json, "rebalance");
    json_count(json, "donated", iteration->rebalanced.donated);
    json_count(json, "moved", iteration->rebalanced.moved);
    json_real(json, "busiest_before_s", seconds(iteration->rebalanced.before_ns));
    json_real(json, "busiest_after_s", seconds(iteration->rebalanced.after_ns));
    json_real(json, "time_s", seconds(iteration->rebalance_ns));
    json_close(json);
}

static void json_iteration(struct json *json, const struct sim_iterated *run,
                           const struct sim_iteration *iteration, double best)
{
    json_object(json, NULL);
    json_count(json, "iteration", iteration->number);
    json_bool(json, "stealing", iteration->is_stealing);
    json_real(json, "time_s", seconds(iteration->makespan_ns));
    json_real(json, "last_task_s", seconds(iteration->last_task_ns));
    json_real(json, "work_s", seconds(iteration->work_ns));
    json_real(json, "busiest_s", seconds(iteration->most_ns));
    json_real(json, "efficiency", sim_iteration_efficiency(iteration, run->settings.cores));
    json_real(json, "relative", relative(run, iteration, best));
    json_spread(json, "attempts", iteration->attempts);
    json_spread(json, "steals", iteration->steals);
    json_spread(json, "tasks", iteration->tasks);
    const struct sim_table2 *paper = printed(run, iteration);
    if (paper) {
        json_spread(json, "paper_attempts", paper->attempts);
        json_spread(json, "paper_steals", paper->steals);
    }
    json_count(json, "events", iteration->events);
    if (iteration->is_rebalanced)
        json_rebalance(json, iteration);
    json_real(json, "usage_width_s", seconds(iteration->usage.width_ns));
    json_array(json, "usage");
    for (int i = 0; i < SIM_USAGE_MOST; i++)
        if (iteration->usage.width_ns * (uint64_t)i < iteration->makespan_ns)
            json_real(json, NULL, usage(run, iteration, i));
    json_close(json);
    json_close(json);
}

static void print_json(const struct sim_iterations *all)
{
    struct json json;
    double best = best_time(all);
    json_start(&json, stdout);
    if (all->count != 1)
        json_array(&json, NULL);
    for (size_t i = 0; i < all->count; i++) {
        const struct sim_iterated *run = &all->runs[i];
        json_object(&json, NULL);
        json_text(&json, "costs", run->settings.costs->name);
        json_text(&json, "scheme", sim_scheme_names[run->settings.scheme]);
        json_text(&json, "machine", all->machine.name);
        json_count(&json, "cores", run->settings.cores);
        json_count(&json, "seed", run->settings.seed);
        json_count(&json, "tasks", run->settings.costs->tasks);
        json_count(&json, "all_tasks", run->settings.costs->all);
        json_array(&json, "iterations");
        for (int k = 0; k < run->count; k++)
            json_iteration(&json, run, &run->iterations[k], best);
        json_close(&json);
        json_close(&json);
    }
    if (all->count != 1)
        json_close(&json);
    json_end(&json);
}

void sim_iterations_print(const struct sim_iterations *all, bool json)
{
    if (json)
        print_json(all);
    else
        print_text(all);
}

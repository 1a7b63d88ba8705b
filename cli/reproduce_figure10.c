// SPDX-License-Identifier: Apache-2.0
// Figure 10 of the paper on persistence-based balancing: how busy all cores are over time, five
// iterations of HF-Be256 one after the other, on 2,400 and 9,600 cores of a simulated Hopper. With
// --output it is drawn.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/hopper.h"
#include "cli/json.h"
#include "cli/reproduce.h"
#include "cli/svg.h"

enum { SIZES = 2, SHOWN = 2, PARTS = 10 }; // the first sizes of Hopper; schemes; parts of a time
static const enum sim_scheme shown[SHOWN] = {SIM_SCHEME_RETENTIVE, SIM_SCHEME_PERSIST_TREE};
enum { RETENTIVE, TREE };

#define ALMOST 0.9 // of persistence: "almost as well"

struct figure10 {
    const struct sim_iteration *run[SHOWN][SIZES];
};

static bool compute(struct reproduction *reproduction, struct figure10 *figure)
{
    struct hopper *hopper = hopper_of(reproduction);
    for (int scheme = 0; hopper && scheme < SHOWN; scheme++)
        for (int size = 0; size < SIZES; size++)
            if (!(figure->run[scheme][size] = hopper_run(hopper, shown[scheme], size)))
                return false;
    return hopper != NULL;
}

// ---- utilisation ----

// Percent of all cores that were busy from one moment to another, on average. Within a stretch they
// were as busy at its beginning as at its end.
static double busy_percent(const struct sim_iteration *iteration, int size, double from_ns,
                           double to_ns)
{
    double width = (double)iteration->usage.width_ns, busy = 0;
    for (int i = 0; i < SIM_USAGE_MOST; i++) {
        double begin = fmax(from_ns, width * i), end = fmin(to_ns, width * (i + 1));
        if (begin < end)
            busy += (double)iteration->usage.busy_ns[i] * (end - begin) / width;
    }
    return 100 * busy / ((to_ns - from_ns) * hopper_sizes[size]);
}

static double average(const struct sim_iteration *iteration, int size)
{
    return busy_percent(iteration, size, 0, (double)iteration->makespan_ns);
}

static double part(const struct sim_iteration *iteration, int size, int i)
{
    double tenth = (double)iteration->makespan_ns / PARTS;
    return busy_percent(iteration, size, tenth * i, tenth * (i + 1));
}

// ---- rows ----

static void print_row(const struct figure10 *figure, int scheme, int size, int number)
{
    const struct sim_iteration *iteration = &figure->run[scheme][size][number];
    printf("  %6u %-13s %4d %7.1f", hopper_sizes[size], sim_scheme_names[shown[scheme]], number,
           (double)iteration->makespan_ns * 1e-9);
    for (int i = 0; i < PARTS; i++)
        printf(" %3.0f", part(iteration, size, i));
    printf(" %6.1f\n", average(iteration, size));
}

static void write_row(struct json *json, const struct figure10 *figure, int scheme, int size,
                      int number)
{
    const struct sim_iteration *iteration = &figure->run[scheme][size][number];
    json_object(json, NULL);
    json_count(json, "cores", hopper_sizes[size]);
    json_text(json, "scheme", sim_scheme_names[shown[scheme]]);
    json_count(json, "iteration", (uint64_t)number);
    json_real(json, "seconds", (double)iteration->makespan_ns * 1e-9);
    json_real(json, "percent", average(iteration, size));
    json_array(json, "percent_of_tenths");
    for (int i = 0; i < PARTS; i++)
        json_real(json, NULL, part(iteration, size, i));
    json_close(json);
    json_close(json);
}

// ---- the plot ----

enum { POINTS_MOST = HOPPER_ITERATIONS * (SIM_USAGE_MOST + 2) };

// One iteration after the other.
static size_t fill_points(const struct sim_iteration *run, int size, struct svg_point *points)
{
    size_t count = 0;
    double begun = 0;
    for (int number = 1; number <= HOPPER_ITERATIONS; number++) {
        double width = (double)run[number].usage.width_ns, end = (double)run[number].makespan_ns;
        points[count++] = (struct svg_point){begun * 1e-9, 0};
        for (int i = 0; i < SIM_USAGE_MOST && width * i < end; i++) {
            double until = fmin(end, width * (i + 1));
            points[count++] =
                (struct svg_point){(begun + (width * i + until) / 2) * 1e-9,
                                   busy_percent(&run[number], size, width * i, until)};
        }
        begun += end;
        points[count++] = (struct svg_point){begun * 1e-9, 0};
    }
    return count;
}

static double seconds_of(const struct sim_iteration *run)
{
    double sum = 0;
    for (int number = 1; number <= HOPPER_ITERATIONS; number++)
        sum += (double)run[number].makespan_ns * 1e-9;
    return sum;
}

static bool draw(const struct figure10 *figure, const char *folder)
{
    char path[4096], title[64];
    struct svg_point points[POINTS_MOST];
    struct svg svg;
    snprintf(path, sizeof path, "%s/figure10.svg", folder);
    bool drawn = svg_open(&svg, path, "Utilisation over time, HF-Be256, iterations 1 to 5", SIZES);
    for (int size = 0; drawn && size < SIZES; size++) {
        snprintf(title, sizeof title, "%u cores", hopper_sizes[size]);
        double most = fmax(seconds_of(figure->run[0][size]), seconds_of(figure->run[1][size]));
        svg_panel(&svg, title, "seconds", most, "percent busy", 100);
        for (int scheme = 0; scheme < SHOWN; scheme++) {
            size_t count = fill_points(figure->run[scheme][size], size, points);
            svg_curve(&svg, sim_scheme_names[shown[scheme]], points, count);
        }
    }
    drawn = drawn && svg_close(&svg);
    if (!drawn)
        fprintf(stderr, "twill reproduce: --output: cannot write '%s': %s\n", path,
                strerror(errno));
    return drawn;
}

// ---- claims ----

static void claim_all(struct reproduction *reproduction, const struct figure10 *figure)
{
    bool is_low = true, is_near = true;
    double worst = 1, lost[SIZES];
    for (int size = 0; size < SIZES; size++) {
        const struct sim_iteration *retentive = figure->run[RETENTIVE][size];
        const struct sim_iteration *tree = figure->run[TREE][size];
        lost[size] = 100 - average(&retentive[1], size);
        is_low &= average(&retentive[1], size) < average(&retentive[HOPPER_ITERATIONS], size);
        double near = seconds_of(tree) / seconds_of(retentive);
        is_near &= near >= ALMOST;
        worst = fmin(worst, near);
    }
    reproduce_claim(reproduction, "fewer cores are busy in iteration 1 than in iteration 5",
                    is_low);
    reproduce_judge(reproduction, "on 9,600 cores twice as much of iteration 1 is lost, or more",
                    lost[1] >= 2 * lost[0], "%.0f %% on 2,400 cores, %.0f %% on 9,600", lost[0],
                    lost[1]);
    reproduce_judge(reproduction, "all five iterations: retention at 90 % of persistence or more",
                    is_near, "%.0f %% of its speed", 100 * worst);
}

static bool run(struct reproduction *reproduction)
{
    struct figure10 figure;
    if (!compute(reproduction, &figure))
        return false;
    reproduce_rows(reproduction, "figure10",
                   "Figure 10: percent of cores that are busy, in tenths of each iteration of "
                   "HF-Be256, simulated\n"
                   "   cores scheme        iter seconds   1   2   3   4   5   6   7   8   9  10"
                   "    all");
    for (int size = 0; size < SIZES; size++)
        for (int scheme = 0; scheme < SHOWN; scheme++)
            for (int number = 1; number <= HOPPER_ITERATIONS; number++)
                if (reproduction->json)
                    write_row(reproduction->json, &figure, scheme, size, number);
                else
                    print_row(&figure, scheme, size, number);
    reproduce_claims(reproduction);
    claim_all(reproduction, &figure);
    reproduce_close(reproduction);
    return !reproduction->output || draw(&figure, reproduction->output);
}

const struct reproduce_section reproduce_figure10 = {
    .name = "figure10",
    .summary = "utilisation over time on 2,400 and 9,600 cores, simulated (5 s); drawn by --output",
    .run = run,
};

// SPDX-License-Identifier: Apache-2.0
// What `twill sim validate` found, as text and as JSON.
#include "cli/calibrate.h"
#include "cli/json.h"
#include "cli/validate.h"

static const char error_what[] = "simulated time over real time less 1, worst and median of all";
static const char order_what[] = "part of the pairs of policies that differ, ranked the same";

static double part_agreed(const struct validation *v)
{
    return v->pairs ? (double)v->agreed / v->pairs : 1;
}

static const char *verdict(bool holds)
{
    return holds ? "holds" : "fails";
}

static const char *policy_name(const struct validate_cell *cell)
{
    return cell->places > 1 ? cell->policy->name : "-";
}

static void print_goals(const struct validation *v, FILE *file)
{
    struct summary errors = samples_summarize(&v->errors);
    fprintf(file, "%-13s %-28s %8.4g [%.4g, %.4g] at most %g: %s\n",
            verdict(errors.most <= VALIDATE_ERROR_MOST), "sim_error", errors.most, errors.median,
            errors.most, VALIDATE_ERROR_MOST, error_what);
    fprintf(file, "%-13s %-28s %8.4g [%u of %u] at least 1: %s\n",
            v->pairs ? verdict(v->agreed == v->pairs) : "cannot tell", "sim_order", part_agreed(v),
            v->agreed, v->pairs, order_what);
}

void validate_print(const struct validation *v, FILE *file)
{
    fprintf(file, "%-10s %6s %-21s %10s  %-22s %10s %8s\n", "work", "places", "policy", "real",
            "[least, most]", "simulated", "error");
    for (size_t i = 0; i < v->cells; i++) {
        const struct validate_cell *cell = &v->cell[i];
        struct summary real = samples_summarize(&cell->real);
        char spread[32];
        snprintf(spread, sizeof spread, "[%.4f, %.4f]", real.least, real.most);
        fprintf(file, "%-10s %6u %-21s %8.4f s  %-22s %8.4f s %+7.1f%%\n", cell->work->name,
                cell->places, policy_name(cell), real.median, spread,
                samples_summarize(&cell->simulated).median, 100 * validate_error(cell));
    }
    fputc('\n', file);
    print_goals(v, file);
    if (v->quick)
        fprintf(file, "\nquick: few runs on small sizes; let the full validation decide\n");
}

// ---- JSON ----

static void write_samples(struct json *json, const char *key, const struct samples *samples)
{
    struct summary of = samples_summarize(samples);
    json_object(json, key);
    json_real(json, "median_s", of.median);
    json_real(json, "least_s", of.least);
    json_real(json, "most_s", of.most);
    json_array(json, "samples_s");
    for (size_t i = 0; i < samples->count; i++)
        json_real(json, NULL, samples->value[i]);
    json_close(json);
    json_close(json);
}

static void write_works(struct json *json, const struct validation *v)
{
    json_array(json, "works");
    for (const struct validate_work *work = v->work; work->name; work++) {
        json_object(json, NULL);
        json_text(json, "work", work->name);
        json_count(json, "nodes", work->nodes);
        json_count(json, "node_ns", work->node_ns);
        write_samples(json, "sequential", &work->sequential);
        json_close(json);
    }
    json_close(json);
}

static void write_cells(struct json *json, const struct validation *v)
{
    json_array(json, "cells");
    for (size_t i = 0; i < v->cells; i++) {
        const struct validate_cell *cell = &v->cell[i];
        json_object(json, NULL);
        json_text(json, "work", cell->work->name);
        json_count(json, "places", cell->places);
        json_text(json, "policy", policy_name(cell));
        write_samples(json, "real", &cell->real);
        write_samples(json, "simulated", &cell->simulated);
        json_real(json, "error", validate_error(cell));
        json_close(json);
    }
    json_close(json);
}

static void write_goals(struct json *json, const struct validation *v)
{
    struct summary errors = samples_summarize(&v->errors);
    json_array(json, "goals");
    json_object(json, NULL);
    json_text(json, "name", "sim_error");
    json_real(json, "value", errors.most);
    json_real(json, "median", errors.median);
    json_real(json, "limit", VALIDATE_ERROR_MOST);
    json_text(json, "what", error_what);
    json_text(json, "verdict", verdict(errors.most <= VALIDATE_ERROR_MOST));
    json_close(json);
    json_object(json, NULL);
    json_text(json, "name", "sim_order");
    json_real(json, "value", part_agreed(v));
    json_count(json, "pairs", v->pairs);
    json_count(json, "agreed", v->agreed);
    json_text(json, "what", order_what);
    json_text(json, "verdict", v->pairs ? verdict(v->agreed == v->pairs) : "cannot tell");
    json_close(json);
    json_close(json);
}

void validate_json(const struct validation *v, FILE *file)
{
    struct json json;
    json_start(&json, file);
    json_object(&json, NULL);
    json_text(&json, "mpi", v->mpi);
    json_bool(&json, "quick", v->quick);
    json_count(&json, "rounds", v->rounds);
    calibration_json(&json, &v->machine);
    write_works(&json, v);
    write_cells(&json, v);
    write_goals(&json, v);
    json_close(&json);
    json_end(&json);
}

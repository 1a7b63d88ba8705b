// SPDX-License-Identifier: Apache-2.0
// From what was measured to a machine file.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twill/runtime.h>

#include "cli/calibrate.h"
#include "cli/json.h"

enum { LARGE = 65536 };

static double median(const struct calibration *found, enum calibrated which)
{
    return samples_summarize(&found->measure[which]).median;
}

static uint64_t at_least(double value, uint64_t least)
{
    return value > (double)least ? (uint64_t)llround(value) : least;
}

// A line through the medians: what a run of nothing takes, and what each place adds.
static void fit_start(const struct calibration *found, struct twi_sim_machine *machine)
{
    static const double places[] = {1, 2, 4, 8};
    enum { POINTS = CALIBRATED_COUNT - CALIBRATED_START_1 };
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < POINTS; i++) {
        double ns = median(found, (enum calibrated)(CALIBRATED_START_1 + i));
        x += places[i];
        y += ns;
        xx += places[i] * places[i];
        xy += places[i] * ns;
    }
    double slope = (POINTS * xy - x * y) / (POINTS * xx - x * x);
    slope = slope > 0 ? slope : 0;
    machine->start_place_ns = at_least(slope, 0);
    machine->start_ns = at_least((y - slope * x) / POINTS, 0);
}

// A packet costs each end what it uses of a processor, sleep included, since communication workers
// do sleep in between: where all are busy, as only there somebody misses it. The rest of its way to
// a place that looks is latency; what it takes longer to one that sleeps is noticing.
static void fit_network(const struct calibration *found, struct twi_sim_machine *machine)
{
    double calls = median(found, CALIBRATED_SEND) + median(found, CALIBRATED_RECEIVE);
    double way = median(found, CALIBRATED_WAY_0), used = median(found, CALIBRATED_USED_BUSY);
    machine->latency_ns = at_least(way - calls, 1);
    machine->overhead_ns = at_least(used > calls / 2 ? used : calls / 2, 1);
    machine->gap_ns = at_least(median(found, CALIBRATED_BURST), 1);
    double more = median(found, CALIBRATED_WAY_65536) - way;
    machine->gap_ps_per_byte = at_least(more * 1000 / LARGE, 1);
    machine->read_ns = at_least(median(found, CALIBRATED_READ), 1);
    double known = (double)(machine->latency_ns + 2 * machine->overhead_ns);
    machine->notice_ns = at_least(median(found, CALIBRATED_ASLEEP) - known, 1);
    machine->notice_busy_ns = at_least(median(found, CALIBRATED_ASLEEP_BUSY) - known, 1);
}

void calibration_machine(const struct calibration *found, struct twi_sim_machine *machine)
{
    struct tw_machine here;
    tw_machine_describe(&here);
    memset(machine, 0, sizeof *machine);
    *machine = (struct twi_sim_machine){.name = "calibrated",
                                        .places = 2,
                                        .workers = 1,
                                        .dedicated = 1,
                                        .cores = here.workers,
                                        .poll_ns = 2000,
                                        .topology = TWI_TOPOLOGY_FLAT};
    machine->node_ns = at_least(median(found, CALIBRATED_NODE), 1);
    machine->task_ns = at_least(median(found, CALIBRATED_TASK), 0);
    machine->wake_ns = at_least(median(found, CALIBRATED_WAKE), 0);
    fit_network(found, machine);
    fit_start(found, machine);
}

const char *calibration_time(char text[TIME_TEXT], double ns)
{
    if (ns < 1000)
        snprintf(text, TIME_TEXT, "%.1f ns", ns);
    else if (ns < 1e6)
        snprintf(text, TIME_TEXT, "%.2f us", ns * 1e-3);
    else
        snprintf(text, TIME_TEXT, "%.2f ms", ns * 1e-6);
    return text;
}

void calibration_write(FILE *file, const struct calibration *found,
                       const struct twi_sim_machine *machine)
{
    fprintf(file, "# Measured by 'twill sim calibrate'.\n# %-12s %12s  %-26s\n", "measure",
            "median", "[quartiles]");
    for (int i = 0; i < CALIBRATED_COUNT; i++) {
        struct summary of = samples_summarize(&found->measure[i]);
        char median[TIME_TEXT], low[TIME_TEXT], high[TIME_TEXT], spread[2 * TIME_TEXT + 8];
        snprintf(spread, sizeof spread, "[%s, %s]", calibration_time(low, of.low),
                 calibration_time(high, of.high));
        fprintf(file, "# %-12s %12s  %-26s %s\n", calibrated_name((enum calibrated)i),
                calibration_time(median, of.median), spread,
                calibrated_meaning((enum calibrated)i));
    }
    sim_machine_print(file, machine);
}

void calibration_json(struct json *json, const struct twi_sim_machine *machine)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (file) {
        sim_machine_print(file, machine);
        fclose(file);
    }
    json_text(json, "machine", text);
    free(text);
}

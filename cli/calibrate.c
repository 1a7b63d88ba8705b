// SPDX-License-Identifier: Apache-2.0
// See calibrate.h. The measuring processes print a line for each sample: its name and nanoseconds.
#include "cli/calibrate.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/launch.h"

enum { SAMPLES = 25, SAMPLES_QUICK = 5, STARTS = 5, STARTS_QUICK = 1, SECONDS_MOST = 120 };

static const struct {
    const char *name, *meaning;
} measures[] = {
    [CALIBRATED_NODE] = {"node", "a node of a tree, searched by plain C"},
    [CALIBRATED_TASK] = {"task", "what a task for each node adds to it"},
    [CALIBRATED_WAKE] = {"wake", "from a submitted task to a worker that slept"},
    [CALIBRATED_HAND_OVER] = {"hand-over", "from a forked task to another worker here"},
    [CALIBRATED_WAY_0] = {"way-0", "a packet to a place that looks, one way"},
    [CALIBRATED_WAY_256] = {"way-256", "the same with 256 bytes"},
    [CALIBRATED_WAY_4096] = {"way-4096", "the same with 4096 bytes"},
    [CALIBRATED_WAY_65536] = {"way-65536", "the same with 65536 bytes"},
    [CALIBRATED_SEND] = {"send", "the call that sends a packet"},
    [CALIBRATED_RECEIVE] = {"receive", "a look that finds one"},
    [CALIBRATED_BURST] = {"burst", "a packet among many"},
    [CALIBRATED_READ] = {"read", "reading another place's load"},
    [CALIBRATED_ASLEEP] = {"asleep", "a packet to a place that sleeps"},
    [CALIBRATED_ASLEEP_BUSY] = {"asleep-busy", "the same while all processors are busy"},
    [CALIBRATED_USED] = {"used", "of a processor at each end, when both sleep in between"},
    [CALIBRATED_USED_BUSY] = {"used-busy", "the same while all processors are busy"},
    [CALIBRATED_START_1] = {"start-1", "a run of nothing at one place"},
    [CALIBRATED_START_2] = {"start-2", "the same at 2 places"},
    [CALIBRATED_START_4] = {"start-4", "the same at 4 places"},
    [CALIBRATED_START_8] = {"start-8", "the same at 8 places"},
};

static const unsigned start_places[] = {1, 2, 4, 8};
enum { START_SIZES = sizeof start_places / sizeof *start_places };

const char *calibrated_name(enum calibrated which)
{
    return measures[which].name;
}

const char *calibrated_meaning(enum calibrated which)
{
    return measures[which].meaning;
}

// "node 47.3"; whatever else a process prints is left out.
static void take_line(void *self, const char *line)
{
    struct calibration *found = self;
    for (int i = 0; i < CALIBRATED_COUNT; i++) {
        size_t length = strlen(measures[i].name);
        if (strncmp(line, measures[i].name, length) == 0 && line[length] == ' ')
            samples_add(&found->measure[i], strtod(line + length, NULL));
    }
}

struct progress {
    const struct calibrate *wish;
    unsigned done, count;
};

static void show(struct progress *progress)
{
    if (progress->wish->quiet || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\rcalibrating: %u of %u  ", progress->done, progress->count);
    if (progress->done == progress->count)
        fputc('\n', stderr);
}

static bool serve(struct progress *progress, struct calibration *found, const char *what,
                  unsigned places, unsigned samples)
{
    char count[16];
    snprintf(count, sizeof count, "%u", samples);
    const char *words[] = {"sim", "calibrate", "--serve", what, count, progress->wish->mpi, NULL};
    struct child child = {.name = progress->wish->name,
                          .places = places,
                          .mpi = progress->wish->mpi,
                          .words = words,
                          .seconds = SECONDS_MOST,
                          .line = take_line,
                          .self = found};
    show(progress);
    bool is_well = child_run(&child) == 0;
    progress->done++;
    show(progress);
    return is_well;
}

static bool is_complete(const struct calibrate *wish, const struct calibration *found)
{
    for (int i = 0; i < CALIBRATED_COUNT; i++)
        if (!found->measure[i].count) {
            fprintf(stderr, "%s: '%s' could not be measured\n", wish->name, measures[i].name);
            return false;
        }
    return true;
}

bool calibrate(const struct calibrate *wish, struct calibration *found)
{
    unsigned samples = wish->quick ? SAMPLES_QUICK : SAMPLES;
    unsigned starts = wish->quick ? STARTS_QUICK : STARTS;
    struct progress progress = {.wish = wish, .count = 2 + starts * START_SIZES};
    *found = (struct calibration){0};
    if (launch_is_done()) {
        fprintf(stderr, "%s: starts its places itself: run it without a launcher\n", wish->name);
        return false;
    }
    if (!serve(&progress, found, "alone", 0, samples) ||
        !serve(&progress, found, "pair", 2, samples))
        return false;
    for (unsigned round = 0; round < starts; round++)
        for (unsigned i = 0; i < START_SIZES; i++)
            if (!serve(&progress, found, "start", start_places[i] > 1 ? start_places[i] : 0, 1))
                return false;
    return is_complete(wish, found);
}

// SPDX-License-Identifier: Apache-2.0
// What `twill sim calibrate` measures, and the machine that follows from it.
#ifndef CLI_CALIBRATE_H
#define CLI_CALIBRATE_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/samples.h"
#include "sim/machine.h"

enum calibrated {
    CALIBRATED_NODE,
    CALIBRATED_TASK,
    CALIBRATED_WAKE,
    CALIBRATED_HAND_OVER,
    CALIBRATED_WAY_0,
    CALIBRATED_WAY_256,
    CALIBRATED_WAY_4096,
    CALIBRATED_WAY_65536,
    CALIBRATED_SEND,
    CALIBRATED_RECEIVE,
    CALIBRATED_BURST,
    CALIBRATED_READ,
    CALIBRATED_ASLEEP,
    CALIBRATED_ASLEEP_BUSY,
    CALIBRATED_USED,
    CALIBRATED_USED_BUSY,
    CALIBRATED_START_1,
    CALIBRATED_START_2,
    CALIBRATED_START_4,
    CALIBRATED_START_8,
    CALIBRATED_COUNT
};

struct calibration {
    struct samples measure[CALIBRATED_COUNT]; // nanoseconds
};

const char *calibrated_name(enum calibrated which);
const char *calibrated_meaning(enum calibrated which);

struct calibrate {
    const char *name; // of the command, in complaints
    const char *mpi;
    bool quick, quiet;
};

// Measures this machine: starts processes that do, by turns. False: it was said what is wrong.
bool calibrate(const struct calibrate *wish, struct calibration *found);

// ---- calibrate_machine.c ----

void calibration_machine(const struct calibration *found, struct twi_sim_machine *machine);
// The machine as a file, with what was measured as its comment.
void calibration_write(FILE *file, const struct calibration *found,
                       const struct twi_sim_machine *machine);
// The machine as a value "machine": the text of its file.
struct json;
void calibration_json(struct json *json, const struct twi_sim_machine *machine);
// "30.4 us"
enum { TIME_TEXT = 24 };
const char *calibration_time(char text[TIME_TEXT], double ns);

#endif

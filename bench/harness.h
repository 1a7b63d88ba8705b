// SPDX-License-Identifier: Apache-2.0
// Groups of lanes: what a suite is made of.
//
// A lane is one case on one runtime with one number of workers. The lanes of a group take turns,
// one run each and round after round, so that the samples of a round are comparable however the
// machine changes from minute to minute. A claim ties a goal to one lane or to the ratio of two.
// A group runs its least number of rounds, then goes on while a claim cannot be told, up to its
// most. An absent runtime leaves its lanes without samples and their claims unmeasured.
#ifndef TWB_HARNESS_H
#define TWB_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report.h"
#include "server.h"

#define TWB_LANES_MAX 32
#define TWB_CLAIMS_MAX 32

struct twb_bench {
    struct twb_report report;
    bool quick;
    unsigned rounds;     // of each group; 0: its own
    unsigned all;        // workers that the machine grants
    const char *against; // list of peers to compare with, or "all"
    const char *mpi;     // to measure with; NULL: each that is here
    char self[4096];     // this command
    char peers[4096];    // folder of the peers
};

struct twb_lane {
    const char *case_name; // in rows
    const char *size_name; // in rows; NULL: `size` as a number
    const char *runtime;   // in rows
    const char *program;   // of the peers' folder; NULL: this command
    const char *serve;     // the case to serve
    unsigned workers;
    long size;
    double scale; // from the served value to the unit
    const char *unit;
    uint64_t expected; // the answer
    const char *wake;  // TWILL_WAKE of a lane of this command, or NULL
    bool fresh;        // a new process for each run
    bool peak;         // its peak memory is the sample
    // Filled by the group:
    char number[16];
    double *sample;
    size_t n;
    bool absent;
    struct twb_server server;
};

enum twb_measure {
    TWB_VALUE,      // the lane's median
    TWB_RATIO,      // the median of lane / base
    TWB_BEST_RATIO, // best of lane / best of base
};

struct twb_claim {
    const char *goal;
    enum twb_measure measure;
    size_t lane, base;
};

struct twb_group {
    struct twb_bench *bench;
    const char *title;
    unsigned rounds_least, rounds_most;
    struct twb_lane lane[TWB_LANES_MAX];
    size_t lanes;
    struct twb_claim claim[TWB_CLAIMS_MAX];
    size_t claims;
};

// For claims whose limit lies within 10 %, rounds_least is at least TWB_ROUNDS_CLOSE.
#define TWB_ROUNDS_CLOSE 15
#define TWB_ROUNDS_FAR 7
#define TWB_ROUNDS_QUICK 3

void twb_group_start(struct twb_group *group, struct twb_bench *bench, const char *title,
                     unsigned rounds_least);
size_t twb_group_lane(struct twb_group *group, const struct twb_lane *lane); // its index
void twb_group_claim(struct twb_group *group, const char *goal, enum twb_measure measure,
                     size_t lane, size_t base);
// Runs the group, reports its rows and claims, and frees it.
void twb_group_run(struct twb_group *group);

// Is `name` in a list of names separated by commas?
bool twb_listed(const char *list, const char *name);
// Does --against want this peer? "openmp" stands for all named openmp-..., "none" for nobody.
bool twb_wanted(const struct twb_bench *bench, const char *peer);

#endif

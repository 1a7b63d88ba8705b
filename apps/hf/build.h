// SPDX-License-Identifier: Apache-2.0
// Fock builds by a collection of tasks, over all places.
//
// Density and Fock matrix are dealt out to the places in tiles. A task is a quartet. A plan says
// where it begins in the first build; where it goes from there is the collection's balance.
//
// One place leads: it has the density, calls for builds, gets the results and dismisses the others,
// which follow. All of it is collective, at the top level of a task that tw_run_spmd runs.
#ifndef APPS_HF_BUILD_H
#define APPS_HF_BUILD_H

#include <twill/collection.h>

#include "apps/hf/fock.h"
#include "apps/hf/spread.h"
#include "apps/hf/sums.h"

#define HF_SEEDS_MAX 10000000 // of all quartets, null ones too

enum hf_seed {
    HF_SEED_OWNER, // where its tile (I, J) of the Fock matrix is
    HF_SEED_FIRST, // all at the first worker of place 0
};

// How tasks come to workers.
struct hf_plan {
    enum hf_seed seed;
    enum tw_balance balance;
};

struct hf_build {
    const struct hf_fock *fock;
    struct hf_plan plan;
    struct hf_spread density, result;
    struct tw_collection *tasks;
    struct hf_desk *desk;              // of each worker here
    struct tw_collection_stats *stats; // of each build; room for as many as will be
    unsigned builds;
};

// The screen and the tasks of a system, as hf_fock_make. The bounds of pairs are a matrix over
// places, too, to which each adds a part.
int hf_build_fock(struct hf_fock *fock, const struct hf_system *system, size_t tile,
                  double tolerance);

// Seeds all tasks that are not null; with TW_BALANCE_STEAL_ALL all that there are. The same at all
// places: 0, TW_ENOMEM, TW_ECANCELED.
int hf_build_open(struct hf_build *build, const struct hf_fock *fock, struct hf_plan plan,
                  struct tw_collection_stats *stats);
void hf_build_close(struct hf_build *build);

// Place 0: one build, and that there will be no more.
int hf_build_lead(void *build, const struct hf_tiles *density, struct hf_tiles *result);
int hf_build_dismiss(void);
// The others: all builds until they are dismissed.
int hf_build_follow(struct hf_build *build);

#endif

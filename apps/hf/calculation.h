// SPDX-License-Identifier: Apache-2.0
// One calculation of `twill run hf`: how it is run, checked and told.
#ifndef APPS_HF_CALCULATION_H
#define APPS_HF_CALCULATION_H

#include <twill/twill.h>

#include "apps/app.h"
#ifndef TWILL_SERIAL
#include "apps/hf/build.h"
#include "apps/iterations.h"
#endif
#include "apps/hf/fock.h"
#include "apps/hf/scf.h"
#include "apps/hf/system.h"
#include "apps/linear.h"

struct hf_calculation {
    // what is asked for
    struct hf_system system;
    struct linear linear;
    double tolerance;
    bool is_limited; // by a number of iterations that was asked for
    // what there is when it was made
    struct hf_scf scf;
    struct hf_fock fock;
    bool has_fock;
#ifndef TWILL_SERIAL // has no collections
    struct hf_plan plan;
    struct hf_build build;
    struct tw_collection_stats *stats; // of each iteration
#endif
};

// Room for the results of so many iterations. 0 or TW_ENOMEM; hf_calculation_free in any case.
int hf_calculation_make(struct hf_calculation *it, size_t tile, unsigned iterations);
// All that it holds, with system and library.
void hf_calculation_free(struct hf_calculation *it);

// All of it: at every place, or plain. 0 or a TW_E... code.
int hf_calculation_run(struct hf_calculation *it, const struct app_run *run);

// The first iterations again, by the sequential program; that one's by the straight formula. As
// many as do not take too long, unless all were asked for. 0 or a TW_E... code.
int hf_calculation_check(const struct hf_calculation *it, struct app_run *run);

// Facts, table, and what to be warned of, into the run. 0 or TW_ENOMEM.
int hf_calculation_report(const struct hf_calculation *it, struct app_run *run);

#endif

// SPDX-License-Identifier: Apache-2.0
// Suite places: how far simulations are from real runs (cli/validate.h).
#include "cli/validate.h"
#include "places.h"

enum { ROUNDS = 15, ROUNDS_QUICK = 1 };

// What is counted once and has no spread.
static struct twb_interval point(double value)
{
    return (struct twb_interval){value, value, value, 1};
}

static void report(struct twb_bench *bench, const struct validation *v)
{
    struct twb_row row = {.case_name = "sim_error",
                          .size = "all",
                          .runtime = v->mpi,
                          .workers = 1,
                          .unit = "of the time"};
    twb_report_samples(&bench->report, &row, v->errors.value, v->errors.count);
    twb_report_goal(&bench->report, "sim_error", point(samples_summarize(&v->errors).most));
    twb_report_remark(&bench->report, v->mpi,
                      "%u of %u pairs of policies that differ are ranked "
                      "the same",
                      v->agreed, v->pairs);
    if (v->pairs)
        twb_report_goal(&bench->report, "sim_order", point((double)v->agreed / v->pairs));
}

void twb_section_sim(struct twb_bench *bench)
{
    static struct validation v;
    const char *mpi;
    if (!twb_needs_two(bench, "sim"))
        return;
    for (size_t i = 0; (mpi = twb_places_mpi(bench, i)) != NULL; i++) {
        v = (struct validation){.name = "twill bench places",
                                .mpi = mpi,
                                .quick = bench->quick,
                                .rounds = bench->quick ? ROUNDS_QUICK : ROUNDS,
                                .places = {1, 2, 4, 8},
                                .sizes = bench->quick ? 2 : 4};
        if (validate(&v))
            report(bench, &v);
        else
            bench->report.wrong = true;
    }
}

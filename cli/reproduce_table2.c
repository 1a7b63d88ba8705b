// SPDX-License-Identifier: Apache-2.0
// Table 2 of the paper on persistence-based balancing: steals of a core in the first iterations of
// HF-Be256 by retentive stealing, on a simulated Hopper.
#include <stdio.h>

#include "cli/hopper.h"
#include "cli/json.h"
#include "cli/reproduce.h"
#include "sim/table2.h"

static const uint32_t numbers[] = {1, 2, 5}; // of the iterations that the paper prints
enum { PRINTED = sizeof numbers / sizeof numbers[0] };

struct table {
    const struct sim_iteration *run[HOPPER_SIZES];
};

static bool compute(struct reproduction *reproduction, struct table *table)
{
    struct hopper *hopper = hopper_of(reproduction);
    for (int i = 0; hopper && i < HOPPER_SIZES; i++)
        if (!(table->run[i] = hopper_run(hopper, SIM_SCHEME_RETENTIVE, i)))
            return false;
    return hopper != NULL;
}

// ---- what was found ----

static void print_row(uint32_t cores, const struct sim_iteration *here)
{
    const struct sim_table2 *paper = sim_table2_printed(cores, here->number);
    printf("  %6u %9u %10.3f %8.0f /%6.0f %8.0f /%6.0f %7.2f /%5.2f %7.1f /%4.1f\n", cores,
           here->number, sim_iteration_efficiency(here, cores), here->attempts.mean,
           here->attempts.deviation, paper->attempts.mean, paper->attempts.deviation,
           here->steals.mean, here->steals.deviation, paper->steals.mean, paper->steals.deviation);
}

static void write_row(struct json *json, uint32_t cores, const struct sim_iteration *here)
{
    const struct sim_table2 *paper = sim_table2_printed(cores, here->number);
    json_object(json, NULL);
    json_count(json, "cores", cores);
    json_count(json, "iteration", here->number);
    json_real(json, "efficiency", sim_iteration_efficiency(here, cores));
    json_real(json, "attempts", here->attempts.mean);
    json_real(json, "attempts_deviation", here->attempts.deviation);
    json_real(json, "paper_attempts", paper->attempts.mean);
    json_real(json, "steals", here->steals.mean);
    json_real(json, "steals_deviation", here->steals.deviation);
    json_real(json, "paper_steals", paper->steals.mean);
    json_close(json);
}

static bool is_near(double a, double b)
{
    return a <= 2 * b && b <= 2 * a;
}

static void claim_all(struct reproduction *reproduction, const struct table *table)
{
    bool is_falling = true, is_rising = true, are_near = true, first_near = true, are_less = true;
    for (int i = 0; i < HOPPER_SIZES; i++) {
        const struct sim_iteration *all = table->run[i];
        for (int k = 0; k < PRINTED; k++) {
            const struct sim_table2 *paper = sim_table2_printed(hopper_sizes[i], numbers[k]);
            are_near &= is_near(all[numbers[k]].attempts.mean, paper->attempts.mean);
        }
        first_near &=
            is_near(all[1].steals.mean, sim_table2_printed(hopper_sizes[i], 1)->steals.mean);
        are_less &= all[5].steals.mean * 5 <= all[1].steals.mean;
        is_falling &= all[1].attempts.mean > all[2].attempts.mean &&
                      all[2].attempts.mean > all[5].attempts.mean;
        is_rising &=
            all[1].makespan_ns > all[2].makespan_ns && all[2].makespan_ns > all[5].makespan_ns;
    }
    reproduce_claim(reproduction,
                    "successful steals of iteration 1 within a factor of two (fitted, at 2,400)",
                    first_near);
    reproduce_claim(reproduction, "a fifth of them or less in iteration 5", are_less);
    reproduce_claim(reproduction, "attempts fall from iteration to iteration", is_falling);
    reproduce_claim(reproduction, "attempts within a factor of two", are_near);
    reproduce_claim(reproduction, "efficiency rises from iteration to iteration (figure 7)",
                    is_rising);
}

static bool run(struct reproduction *reproduction)
{
    struct table table;
    if (!compute(reproduction, &table))
        return false;
    reproduce_rows(reproduction, "table2",
                   "Table 2: retentive stealing on a simulated Hopper, HF-Be256\n"
                   "   cores iteration efficiency  attempts / sd  the paper's      steals / sd"
                   "  the paper's");
    for (int i = 0; i < HOPPER_SIZES; i++)
        for (int k = 0; k < PRINTED; k++) {
            const struct sim_iteration *here = &table.run[i][numbers[k]];
            if (reproduction->json)
                write_row(reproduction->json, hopper_sizes[i], here);
            else
                print_row(hopper_sizes[i], here);
        }
    reproduce_claims(reproduction);
    claim_all(reproduction, &table);
    reproduce_close(reproduction);
    return true;
}

const struct reproduce_section reproduce_table2 = {
    .name = "table2",
    .summary = "steals and efficiency of retentive stealing, simulated",
    .run = run,
};

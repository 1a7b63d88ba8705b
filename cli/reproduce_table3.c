// SPDX-License-Identifier: Apache-2.0
// Table 3 of the paper on persistence-based balancing: how even both balancers leave uneven starts
// of HF-Be256, and how long they take.
#include <stdio.h>

#include "cli/json.h"
#include "cli/reproduce.h"
#include "sim/table3.h"

enum { CELLS = SIM_TABLE3_ROWS * SIM_TABLE3_COLUMNS };

static bool compute(struct sim_cell *cells)
{
    char message[512] = "no memory";
    struct sim_costs costs;
    struct twi_balance_rules rules = TWI_BALANCE_RULES;
    bool done = sim_costs_open(&costs, "hf-be256", message, sizeof message) == 0;
    if (!done) {
        fprintf(stderr, "twill reproduce: table3: %s\n", message);
        return false;
    }
    for (int i = 0; done && i < CELLS; i++) {
        const uint32_t *start = sim_table3_starts[i / SIM_TABLE3_COLUMNS];
        cells[i] = (struct sim_cell){.cores = sim_table3_cores[i % SIM_TABLE3_COLUMNS],
                                     .every = start[0],
                                     .share = start[1]};
        done = sim_cell_fill(&cells[i], &costs, &rules) == 0;
    }
    if (!done)
        fprintf(stderr, "twill reproduce: table3: no memory\n");
    sim_costs_free(&costs);
    return done;
}

// ---- what was found ----

static const struct sim_printed *paper_of(const struct sim_cell *cell)
{
    return sim_table3_printed(cell->cores, cell->every, cell->share);
}

static void print_cell(const struct sim_cell *cell)
{
    const struct sim_printed *paper = paper_of(cell);
    printf("  %2u %2u %6u %7.2f / %6.2f %7.2f / %5.2f %9.3f / %5.3f %7.2f / %4.2f\n", cell->every,
           cell->share, cell->cores, cell->over[SIM_CENTRAL], cell->over[SIM_TREE],
           paper->over[SIM_CENTRAL], paper->over[SIM_TREE], cell->seconds[SIM_CENTRAL],
           cell->seconds[SIM_TREE], paper->seconds[SIM_CENTRAL], paper->seconds[SIM_TREE]);
}

static void write_cell(struct json *json, const struct sim_cell *cell)
{
    const struct sim_printed *paper = paper_of(cell);
    json_object(json, NULL);
    json_count(json, "n", cell->every);
    json_count(json, "m", cell->share);
    json_count(json, "cores", cell->cores);
    json_real(json, "central_percent_over", cell->over[SIM_CENTRAL]);
    json_real(json, "tree_percent_over", cell->over[SIM_TREE]);
    json_real(json, "paper_central_percent_over", paper->over[SIM_CENTRAL]);
    json_real(json, "paper_tree_percent_over", paper->over[SIM_TREE]);
    json_real(json, "central_s", cell->seconds[SIM_CENTRAL]);
    json_real(json, "tree_s", cell->seconds[SIM_TREE]);
    json_real(json, "paper_central_s", paper->seconds[SIM_CENTRAL]);
    json_real(json, "paper_tree_s", paper->seconds[SIM_TREE]);
    json_close(json);
}

static void claim_all(struct reproduction *reproduction, const struct sim_cell *cells)
{
    bool is_better = true, is_worse_later = true, is_near = true;
    double seconds[SIM_BOTH] = {0, 0};
    for (int i = 0; i < CELLS; i++) {
        const struct sim_cell *first = &cells[i - i % SIM_TABLE3_COLUMNS], *cell = &cells[i];
        is_better &= cell->over[SIM_CENTRAL] <= cell->over[SIM_TREE];
        for (int k = 0; k < SIM_BOTH; k++) {
            is_worse_later &= first->over[k] <= cell->over[k];
            is_near &= cell->over[k] <= 2 * paper_of(cell)->over[k];
            seconds[k] += cell->seconds[k];
        }
    }
    reproduce_claim(reproduction, "the central balancer leaves loads at least as even as the tree",
                    is_better);
    reproduce_claim(reproduction, "both leave them less even where tasks are few", is_worse_later);
    reproduce_claim(reproduction, "the tree takes less time, in sum",
                    seconds[SIM_TREE] < seconds[SIM_CENTRAL]);
    reproduce_claim(reproduction, "no more than twice the paper's percentages over ideal", is_near);
}

static bool run(struct reproduction *reproduction)
{
    struct sim_cell cells[CELLS];
    if (!compute(cells))
        return false;
    reproduce_rows(reproduction, "table3",
                   "Table 3: uneven starts of HF-Be256; each time central / tree\n"
                   "   n  m  cores percent over ideal   the paper's   seconds, one process"
                   "   the paper's");
    for (int i = 0; i < CELLS; i++)
        if (reproduction->json)
            write_cell(reproduction->json, &cells[i]);
        else
            print_cell(&cells[i]);
    reproduce_claims(reproduction);
    claim_all(reproduction, cells);
    reproduce_close(reproduction);
    return true;
}

const struct reproduce_section reproduce_table3 = {
    .name = "table3",
    .summary = "quality and time of both persistence-based balancers",
    .run = run,
};

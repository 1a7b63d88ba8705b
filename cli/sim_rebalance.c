// SPDX-License-Identifier: Apache-2.0
// `twill sim rebalance`: how well both balancers even out uneven starts, and how long they take.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "cli/sim_collection.h"
#include "sim/table3.h"

struct settings {
    struct sim_collection collection;
    const char *start;
};

static const struct cli_option own_options[] = {
    {"start", "N,M", "every N-th core gets M tasks at a time (those of the paper's table 3)",
     CLI_TEXT, offsetof(struct settings, start), 0, 0, NULL},
    {.name = NULL},
};

void sim_rebalance_help(FILE *file)
{
    struct cli_group group = {.title = "Options of sim rebalance", .options = own_options};
    cli_print_options(file, &group, 1);
}

// ---- what is asked for ----

struct table {
    struct sim_cell *cells;
    size_t count;
};

static bool make_table(struct table *table, const struct settings *settings, char *message,
                       size_t size)
{
    struct sim_numbers *cores = malloc(sizeof *cores);
    uint32_t every = 0, share = 0;
    *table = (struct table){0};
    bool is_right =
        cores && sim_collection_cores(&settings->collection, cores, message, size) &&
        (!settings->start || sim_collection_start(settings->start, &every, &share, message, size));
    size_t rows = every ? 1 : SIM_TABLE3_ROWS;
    if (is_right)
        table->cells = calloc(rows * cores->count, sizeof *table->cells);
    for (size_t row = 0; table->cells && row < rows; row++)
        for (size_t i = 0; i < cores->count; i++)
            table->cells[table->count++] = (struct sim_cell){
                .cores = (uint32_t)cores->value[i],
                .every = every ? every : sim_table3_starts[row][0],
                .share = every ? share : sim_table3_starts[row][1],
            };
    free(cores);
    return table->cells != NULL;
}

// ---- what came out ----

static const struct sim_printed *printed(const struct sim_costs *costs, const struct sim_cell *cell)
{
    bool is_paper = strcmp(costs->name, sim_costs_names[0]) == 0;
    return is_paper ? sim_table3_printed(cell->cores, cell->every, cell->share) : NULL;
}

static void print_text(const struct table *table, const struct sim_costs *costs)
{
    char number[NUMBER_MAX];
    printf("%s: %s tasks of %.3f s, the longest %.3f s\n", costs->name,
           text_number(number, costs->tasks), (double)costs->sum_ns * 1e-9 / costs->tasks,
           (double)costs->longest_ns * 1e-9);
    printf("  n  m   cores   start %%   percent over ideal      seconds          tasks moved"
           "      the paper: percent, seconds\n"
           "                           central      tree  central    tree   central     tree\n");
    for (size_t i = 0; i < table->count; i++) {
        const struct sim_cell *cell = &table->cells[i];
        const struct sim_printed *paper = printed(costs, cell);
        printf("%3u %2u %7u %8.0f %9.2f %9.2f %8.4f %7.4f %9u %8u", cell->every, cell->share,
               cell->cores, cell->start, cell->over[SIM_CENTRAL], cell->over[SIM_TREE],
               cell->seconds[SIM_CENTRAL], cell->seconds[SIM_TREE], cell->moved[SIM_CENTRAL],
               cell->moved[SIM_TREE]);
        if (paper)
            printf("   %5.2f / %5.2f, %5.2f / %4.2f", paper->over[SIM_CENTRAL],
                   paper->over[SIM_TREE], paper->seconds[SIM_CENTRAL], paper->seconds[SIM_TREE]);
        printf("\n");
    }
}

static void json_pair(struct json *json, const char *key, const double pair[SIM_BOTH])
{
    json_object(json, key);
    json_real(json, "central", pair[SIM_CENTRAL]);
    json_real(json, "tree", pair[SIM_TREE]);
    json_close(json);
}

static void print_json(const struct table *table, const struct sim_costs *costs)
{
    struct json json;
    json_start(&json, stdout);
    if (table->count != 1)
        json_array(&json, NULL);
    for (size_t i = 0; i < table->count; i++) {
        const struct sim_cell *cell = &table->cells[i];
        const struct sim_printed *paper = printed(costs, cell);
        json_object(&json, NULL);
        json_text(&json, "costs", costs->name);
        json_count(&json, "cores", cell->cores);
        json_count(&json, "n", cell->every);
        json_count(&json, "m", cell->share);
        json_real(&json, "start_percent", cell->start);
        json_pair(&json, "percent_over", cell->over);
        json_pair(&json, "seconds", cell->seconds);
        json_count(&json, "moved_central", cell->moved[SIM_CENTRAL]);
        json_count(&json, "moved_tree", cell->moved[SIM_TREE]);
        if (paper) {
            json_pair(&json, "paper_percent_over", paper->over);
            json_pair(&json, "paper_seconds", paper->seconds);
        }
        json_close(&json);
    }
    if (table->count != 1)
        json_close(&json);
    json_end(&json);
}

static int run(const struct settings *settings)
{
    char message[512] = "no memory";
    struct table table;
    struct sim_costs costs;
    if (!make_table(&table, settings, message, sizeof message) ||
        !sim_collection_open(&settings->collection, &costs, message, sizeof message)) {
        fprintf(stderr, "twill sim rebalance: %s\n", message);
        free(table.cells);
        return EXIT_USAGE;
    }
    struct twi_balance_rules rules = sim_collection_rules(&settings->collection);
    int status = EXIT_DONE;
    for (size_t i = 0; i < table.count && status == EXIT_DONE; i++)
        if (sim_cell_fill(&table.cells[i], &costs, &rules) != 0)
            status = EXIT_FAILED;
    if (status != EXIT_DONE)
        fprintf(stderr, "twill sim rebalance: no memory\n");
    else if (settings->collection.json)
        print_json(&table, &costs);
    else
        print_text(&table, &costs);
    sim_costs_free(&costs);
    free(table.cells);
    return status;
}

int sim_rebalance_main(int argc, char **argv)
{
    struct settings settings = {.start = NULL};
    sim_collection_defaults(&settings.collection);
    settings.collection.cores = "2400,4800,9600,19200,38400";
    struct cli_group groups[] = {
        {.title = "", .options = own_options, .settings = &settings},
        {.title = "", .options = sim_collection_options, .settings = &settings.collection},
    };
    switch (cli_parse("twill sim rebalance", groups, 2, argc, argv)) {
    case CLI_ASKED_HELP:
        printf("twill sim rebalance [OPTION ...]\n"
               "evens out uneven starts by both balancers, for the paper's table 3\n");
        sim_rebalance_help(stdout);
        sim_collection_help(stdout);
        return EXIT_DONE;
    case CLI_REFUSED:
        fprintf(stderr, "'twill sim rebalance --help' lists the options\n");
        return EXIT_USAGE;
    case CLI_PARSED:
        break;
    }
    return run(&settings);
}

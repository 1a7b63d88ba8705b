// SPDX-License-Identifier: Apache-2.0
#include "sim/costs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/lines.h"

void sim_costs_init(struct sim_costs *costs, const char *name)
{
    *costs = (struct sim_costs){.name = name};
}

void sim_costs_free(struct sim_costs *costs)
{
    free(costs->cost_ns);
    free(costs->index);
    *costs = (struct sim_costs){0};
}

static int grow(struct sim_costs *costs)
{
    uint32_t room = costs->room ? 2 * costs->room : 1024;
    uint64_t *cost_ns = realloc(costs->cost_ns, room * sizeof *cost_ns);
    if (!cost_ns)
        return -1;
    costs->cost_ns = cost_ns;
    uint64_t *index = realloc(costs->index, room * sizeof *index);
    if (!index)
        return -1;
    costs->index = index;
    costs->room = room;
    return 0;
}

int sim_costs_add(struct sim_costs *costs, uint64_t index, uint64_t cost_ns)
{
    if (costs->tasks == costs->room && grow(costs) != 0)
        return -1;
    costs->cost_ns[costs->tasks] = cost_ns;
    costs->index[costs->tasks++] = index;
    costs->all = index + 1;
    costs->sum_ns += cost_ns;
    costs->longest_ns = cost_ns > costs->longest_ns ? cost_ns : costs->longest_ns;
    return 0;
}

// ---- from a file ----

// "COST" or "INDEX COST".
static int parse_task(struct sim_costs *costs, struct app_lines *lines)
{
    char *blank = strpbrk(lines->text, " \t");
    uint64_t index = costs->all, cost_ns;
    const char *word = lines->text;
    if (blank) {
        *blank = '\0';
        if (!app_lines_number(lines->text, &index) || index < costs->all || index >> 48)
            return app_lines_complain(
                lines, "'%.40s' is no index: a whole number above that of the line before",
                lines->text);
        word = blank + 1 + strspn(blank + 1, " \t");
    }
    if (!app_lines_number(word, &cost_ns) || cost_ns < 1 || cost_ns > SIM_COST_MOST_NS)
        return app_lines_complain(lines,
                                  "'%.40s' is no cost: a whole number of nanoseconds, "
                                  "1 to %" PRIu64,
                                  word, SIM_COST_MOST_NS);
    if (costs->tasks == SIM_COSTS_MOST || costs->sum_ns + cost_ns > INT64_MAX)
        return app_lines_complain(lines, "more than 2^30 tasks or 2^63 ns");
    if (sim_costs_add(costs, index, cost_ns) != 0)
        return app_lines_complain(lines, "no memory for so many tasks");
    return 0;
}

static int parse_all(struct app_lines *lines, uint64_t *all)
{
    const char *word = lines->text + 3 + strspn(lines->text + 3, " \t");
    if (!app_lines_number(word, all) || *all == 0 || *all >> 48)
        return app_lines_complain(lines, "'%.40s' is no number of tasks: give 1 to 2^48", word);
    return 0;
}

int sim_costs_parse(struct sim_costs *costs, const char *source, const char *text, char *message,
                    size_t size)
{
    struct app_lines lines = {.source = source, .rest = text, .message = message, .size = size};
    uint64_t all = 0;
    int found, error = 0;
    sim_costs_init(costs, source);
    while (error == 0 && (found = app_lines_next(&lines)) != 0)
        error = found < 0                            ? -1
                : strncmp(lines.text, "all", 3) == 0 ? parse_all(&lines, &all)
                                                     : parse_task(costs, &lines);
    if (error == 0 && costs->tasks == 0)
        error = app_lines_complain(&lines, "the file ends without a cost");
    if (error == 0 && all != 0 && all < costs->all)
        error = app_lines_complain(&lines, "there are tasks beyond 'all %" PRIu64 "'", all);
    if (error != 0)
        sim_costs_free(costs);
    else if (all != 0)
        costs->all = all;
    return error;
}

static int read_file(struct sim_costs *costs, const char *path, char *message, size_t size)
{
    char *text = app_lines_read(path, message, size);
    if (!text)
        return -1;
    int error = sim_costs_parse(costs, path, text, message, size);
    free(text);
    return error;
}

// ---- from a distribution ----

int sim_costs_spread(struct sim_costs *costs, const struct sim_spread *spread, char *message,
                     size_t size)
{
    sim_costs_init(costs, "spread");
    for (uint64_t i = 0; i < spread->tasks; i++)
        if (sim_costs_add(costs, i, sim_spread_cost(spread, i)) != 0) {
            snprintf(message, size, "no memory for %" PRIu64 " tasks", spread->tasks);
            sim_costs_free(costs);
            return -1;
        }
    return 0;
}

// ---- by name ----

int sim_costs_open(struct sim_costs *costs, const char *name, char *message, size_t size)
{
    int found = sim_costs_named(costs, name, message, size);
    if (found != 0)
        return found > 0 ? 0 : -1;
    return read_file(costs, name, message, size);
}

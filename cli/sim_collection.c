// SPDX-License-Identifier: Apache-2.0
#include "cli/sim_collection.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(name) offsetof(struct sim_collection, name)

enum { CORES_MOST = 1000000, SHARE_MOST = 1000 };

const struct cli_option sim_collection_options[] = {
    {"costs", "NAME",
     "what tasks cost: hf-be256, hf-be512, hf-be512-20, spread, or a file (hf-be256)", CLI_TEXT,
     FIELD(costs), 0, 0, NULL},
    {"tasks", "COUNT", "tasks of a spread (100000)", CLI_COUNT, FIELD(tasks), 1, 1e9, NULL},
    {"distribution", NULL, "of the costs of a spread (exponential)", CLI_CHOICE,
     FIELD(distribution), 0, 0, sim_distribution_names},
    {"mean", "TIME", "mean of these costs (100ms)", CLI_TIME, FIELD(mean_ns), 1, 1e12, NULL},
    {"work-seed", "SEED", "of these costs (1)", CLI_COUNT, FIELD(work_seed), 0, 1e18, NULL},
    {"cores", "LIST", "how many cores", CLI_TEXT, FIELD(cores), 0, 0, NULL},
    {"keep", "FACTOR", "C: a core gives away what it has above so many averages (1.003)", CLI_REAL,
     FIELD(keep), 1, 10, NULL},
    {"fill", "FACTOR", "D: a node of the tree fills its cores up to so many averages (1.003)",
     CLI_REAL, FIELD(fill), 1, 10, NULL},
    {"fan", "N", "children of a node of the tree (3)", CLI_COUNT, FIELD(fan), 2, TWI_FAN_MOST,
     NULL},
    {"json", NULL, "JSON on stdout instead of text", CLI_FLAG, FIELD(json), 0, 0, NULL},
    {.name = NULL},
};

void sim_collection_defaults(struct sim_collection *settings)
{
    *settings = (struct sim_collection){.costs = "hf-be256",
                                        .tasks = 100000,
                                        .mean_ns = 100000000,
                                        .work_seed = 1,
                                        .distribution = SIM_EXPONENTIAL,
                                        .keep = 1.003,
                                        .fill = 1.003,
                                        .fan = 3};
}

bool sim_collection_open(const struct sim_collection *settings, struct sim_costs *costs,
                         char *message, size_t size)
{
    struct sim_spread spread = {.tasks = settings->tasks,
                                .distribution = (enum sim_distribution)settings->distribution,
                                .mean_ns = settings->mean_ns,
                                .seed = settings->work_seed};
    if (strcmp(settings->costs, "spread") == 0)
        return sim_costs_spread(costs, &spread, message, size) == 0;
    if (sim_costs_open(costs, settings->costs, message, size) == 0)
        return true;
    size_t length = strlen(message);
    if (!strpbrk(settings->costs, "./"))
        snprintf(message + length, size - length,
                 "; --costs is hf-be256, hf-be512, hf-be512-20, spread or a file");
    return false;
}

bool sim_collection_cores(const struct sim_collection *settings, struct sim_numbers *cores,
                          char *message, size_t size)
{
    return sim_read_numbers(cores, "cores", settings->cores, 1, CORES_MOST, message, size);
}

struct twi_balance_rules sim_collection_rules(const struct sim_collection *settings)
{
    return (struct twi_balance_rules){.keep = (uint32_t)(settings->keep * 1e6 + 0.5),
                                      .fill = (uint32_t)(settings->fill * 1e6 + 0.5),
                                      .fan = (uint32_t)settings->fan};
}

bool sim_collection_start(const char *text, uint32_t *every, uint32_t *share, char *message,
                          size_t size)
{
    char *end = NULL;
    *every = *share = 0;
    if (strcmp(text, "blocks") == 0)
        return true;
    unsigned long n = strtoul(text, &end, 10), m = 0;
    if (*end == ',')
        m = strtoul(end + 1, &end, 10);
    if (*end != '\0' || n < 1 || n > SHARE_MOST || m < 1 || m > SHARE_MOST) {
        snprintf(message, size,
                 "--start '%s' is no start: give blocks, or two numbers from 1 to %d such as 4,2: "
                 "every 4th core gets 2 tasks at a time",
                 text, SHARE_MOST);
        return false;
    }
    *every = (uint32_t)n;
    *share = (uint32_t)m;
    return true;
}

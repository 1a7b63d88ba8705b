// SPDX-License-Identifier: Apache-2.0
// The options of `twill sim`, and the kinds of work.
#include "cli/sim.h"

#include "sim/works.h"

#define FIELD(name) offsetof(struct sim_request, name)

static const char *const orders[] = {"random", "ring", "near", NULL};
static const char *const communications[] = {"as-the-machine", "dedicated", "shared", NULL};

const struct cli_option sim_common_options[] = {
    {"machine", "NAME", "a machine that 'twill sim machines' lists, or a file (edison)", CLI_TEXT,
     FIELD(machine), 0, 0, NULL},
    {"places", "LIST", "how many places (as the machine has)", CLI_TEXT, FIELD(places), 0, 0, NULL},
    {"workers", "N", "workers of a place that compute (as the machine has)", CLI_COUNT,
     FIELD(workers), 1, 4096, NULL},
    {"communication", NULL, "whether communication has a processor of its own (as-the-machine)",
     CLI_CHOICE, FIELD(communication), 0, 0, communications},
    {"policy", "LIST", "steal policies, or all (adaptive)", CLI_TEXT, FIELD(policy), 0, 0, NULL},
    {"detector", "LIST", "termination detectors, or all (scopes)", CLI_TEXT, FIELD(detector), 0, 0,
     NULL},
    {"seed", "LIST", "seeds of the machines' choices, such as 1,5 or 1..10 (1)", CLI_TEXT,
     FIELD(seed), 0, 0, NULL},
    {"threshold", "TASKS", "load above which a place is a victim (twice its workers)", CLI_COUNT,
     FIELD(threshold), 1, 1e9, NULL},
    {"batch", "TASKS", "tasks of a steal, at most (4)", CLI_COUNT, FIELD(batch), 1, 1e6, NULL},
    {"order", NULL, "how victims are chosen (random)", CLI_CHOICE, FIELD(order), 0, 0, orders},
    {"hungry", "WORKERS", "idle workers that start a search (an eighth)", CLI_COUNT, FIELD(hungry),
     1, 4096, NULL},
    {"tries", "N", "random victims before the lifelines (2)", CLI_COUNT, FIELD(tries), 1, 1e6,
     NULL},
    {"lifelines", "N", "lifelines of a place, at most (the logarithm of the places)", CLI_COUNT,
     FIELD(lifelines), 1, 32, NULL},
    {"node", "TIME", "what a node of a tree costs (as the machine has)", CLI_TIME, FIELD(node_ns),
     1, 1e7, NULL},
    {"network", "FACTOR", "multiplies all times of the network, to see what depends on them (1)",
     CLI_REAL, FIELD(network), 0.01, 1000, NULL},
    {"jitter", "TIME", "messages are late by up to this, at random (0)", CLI_TIME, FIELD(jitter_ns),
     0, 1e9, NULL},
    {"phases", "N", "the work so often, one after the other (1)", CLI_COUNT, FIELD(phases), 1,
     SIM_PHASES_MOST, NULL},
    {"jobs", "N", "simulations at the same time (the processors here)", CLI_COUNT, FIELD(jobs), 1,
     1024, NULL},
    {"json", NULL, "JSON on stdout instead of text", CLI_FLAG, FIELD(json), 0, 0, NULL},
    {"csv", NULL, "a line for each simulation, separated by commas", CLI_FLAG, FIELD(csv), 0, 0,
     NULL},
    {"by-place", NULL, "the statistics of each place in the JSON", CLI_FLAG, FIELD(by_place), 0, 0,
     NULL},
    {"trace", "FILE", "a trace of one simulation for ui.perfetto.dev", CLI_TEXT, FIELD(trace), 0, 0,
     NULL},
    {"quiet", NULL, "no progress on stderr", CLI_FLAG, FIELD(quiet), 0, 0, NULL},
    {.name = NULL},
};

void sim_request_defaults(struct sim_request *request)
{
    *request = (struct sim_request){.machine = "edison",
                                    .policy = "adaptive",
                                    .detector = "scopes",
                                    .seed = "1",
                                    .network = 1,
                                    .tree = "T1",
                                    .n = 12,
                                    .cutoff = SIM_NQUEENS_CUTOFF,
                                    .tasks = 100000,
                                    .mean_ns = 100000,
                                    .distribution = SIM_EXPONENTIAL,
                                    .work_seed = 1};
}

// ---- kinds of work ----

static const struct cli_option uts_options[] = {
    {"tree", "NAME", "a tree that 'twill run uts' knows, such as T1L (T1)", CLI_TEXT, FIELD(tree),
     0, 0, NULL},
    {"chunk", "N", "siblings of a task, at most (8)", CLI_COUNT, FIELD(chunk), 1, 100, NULL},
    {.name = NULL},
};

static struct sim_work *make_uts(const struct sim_request *request, uint64_t node_ns, char *message,
                                 size_t size)
{
    struct sim_uts settings = {
        .tree = request->tree, .node_ns = node_ns, .chunk = (uint32_t)request->chunk};
    return sim_work_uts(&settings, message, size);
}

static const struct cli_option nqueens_options[] = {
    {"n", "N", "size of the board (12)", CLI_COUNT, FIELD(n), 4, 20, NULL},
    {"cutoff", "ROWS", "rows whose queens are tasks (6)", CLI_COUNT, FIELD(cutoff), 1, 20, NULL},
    {.name = NULL},
};

static struct sim_work *make_nqueens(const struct sim_request *request, uint64_t node_ns,
                                     char *message, size_t size)
{
    struct sim_nqueens settings = {
        .n = (uint32_t)request->n, .cutoff = (uint32_t)request->cutoff, .node_ns = node_ns};
    return sim_work_nqueens(&settings, message, size);
}

static const struct cli_option tasks_options[] = {
    {"tasks", "COUNT", "tasks at the start (100000)", CLI_COUNT, FIELD(tasks), 1, 1e9, NULL},
    {"distribution", NULL, "of their costs (exponential)", CLI_CHOICE, FIELD(distribution), 0, 0,
     sim_distribution_names},
    {"mean", "TIME", "mean of their costs (100us)", CLI_TIME, FIELD(mean_ns), 1, 1e12, NULL},
    {"placement", NULL, "where they are at the start (all-on-one)", CLI_CHOICE, FIELD(placement), 0,
     0, sim_placement_names},
    {"fanout", "N", "tasks that each spawns (0)", CLI_COUNT, FIELD(fanout), 0, 64, NULL},
    {"depth", "N", "how often (0)", CLI_COUNT, FIELD(depth), 0, 32, NULL},
    {"work-seed", "SEED", "of costs and places (1)", CLI_COUNT, FIELD(work_seed), 0, 1e18, NULL},
    {.name = NULL},
};

static struct sim_work *make_tasks(const struct sim_request *request, uint64_t node_ns,
                                   char *message, size_t size)
{
    struct sim_spread settings = {.tasks = request->tasks,
                                  .distribution = (enum sim_distribution)request->distribution,
                                  .mean_ns = request->mean_ns,
                                  .seed = request->work_seed,
                                  .placement = (enum sim_placement)request->placement,
                                  .fanout = (uint32_t)request->fanout,
                                  .depth = (uint32_t)request->depth};
    (void)node_ns;
    return sim_work_spread(&settings, message, size);
}

static const struct cli_option recorded_options[] = {
    {"file", "FILE", "costs in nanoseconds, one a line", CLI_TEXT, FIELD(file), 0, 0, NULL},
    {"placement", NULL, "where they are at the start (all-on-one)", CLI_CHOICE, FIELD(placement), 0,
     0, sim_placement_names},
    {.name = NULL},
};

static struct sim_work *make_recorded(const struct sim_request *request, uint64_t node_ns,
                                      char *message, size_t size)
{
    struct sim_recorded settings = {.path = request->file,
                                    .seed = request->work_seed,
                                    .placement = (enum sim_placement)request->placement};
    (void)node_ns;
    if (!settings.path) {
        snprintf(message, size, "--file is missing: give a file with a cost on each line");
        return NULL;
    }
    return sim_work_recorded(&settings, message, size);
}

const struct sim_kind sim_kinds[] = {
    {"uts", "an unbalanced tree, really searched", uts_options, make_uts},
    {"nqueens", "queens on a board, really placed", nqueens_options, make_nqueens},
    {"tasks", "tasks whose costs come from a distribution", tasks_options, make_tasks},
    {"recorded", "tasks whose costs stand in a file", recorded_options, make_recorded},
    {NULL, NULL, NULL, NULL},
};
